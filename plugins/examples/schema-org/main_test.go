package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk/extract"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// printed is what was found, a line for each object and field.
func printed(r *abi.ExtractResponse) string {
	var b strings.Builder
	for _, o := range r.Objects {
		fmt.Fprintf(&b, "%s %s\n", o.Type, o.ID)
		for _, f := range o.Fields {
			v := any(f.Value.Str)
			switch f.Value.Kind {
			case abi.IntKind:
				v = f.Value.Int
			case abi.FloatKind:
				v = f.Value.Float
			case abi.BoolKind:
				v = f.Value.Bool
			case abi.IRIKind:
				v = "<" + f.Value.Str + ">"
			case abi.TimeKind:
				v = "@" + f.Value.Str
			}
			fmt.Fprintf(&b, "  %s: %v", f.Name, v)
			if f.Lang != "" {
				b.WriteString(" (" + f.Lang + ")")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func page(html string) *extract.Page {
	return &extract.Page{URL: "http://example.org/a/page#top", HTML: html}
}

func TestExtract(t *testing.T) {
	script := func(json string) string { return `<script type="application/ld+json">` + json + `</script>` }
	for name, c := range map[string]struct{ html, want string }{
		"a node": {script(`{"@context": "https://schema.org", "@type": "Event", "@id": "/e/1", "name": "Fair",
		"startDate": "2026-11-21T10:00:00+01:00", "endDate": "2026-11-22",
			"maximumAttendeeCapacity": 40, "price": 2.5, "isAccessibleForFree": false, "url": "../fair", "sameAs": ["https://a.example/",
			"https://b.example/"], "x y": 1}`),
			"schema:Event http://example.org/e/1\n  endDate: 2026-11-22\n  isAccessibleForFree: false\n  maximumAttendeeCapacity: 40\n  " +
				"name: Fair\n  price: 2.5\n" +
				"  sameAs: <https://a.example/>\n  sameAs: <https://b.example/>\n  startDate: @2026-11-21T10:00:00+01:00\n  url: " +
				"<http://example.org/fair>\n"},
		"a graph, nested things and references": {script(`{"@context": {"@vocab": "http://schema.org/"}, "@graph": [
			{"@type": ["NewsArticle", "Review"], "author": {"@type": "Person", "name": "Ann"}, "publisher": {"@id": "#org"},
			"headline": {"@value": "Sturm", "@language": "de"}},
			{"@type": "Organization", "@id": "#org", "name": "Org"}]}`),
			"schema:NewsArticle \n  additionalType: <https://schema.org/Review>\n  author: <http://example.org/a/page#schema-2>\n" +
				"  headline: Sturm (de)\n  publisher: <http://example.org/a/page#org>\n" +
				"schema:Person http://example.org/a/page#schema-2\n  name: Ann\nschema:Organization http://example.org/a/page#org\n" +
				"  name: Org\n"},
		"line breaks within strings, comments around": {script("<!-- {\"@context\": \"schema.org\", \"@type\": " +
			"\"Thing\", \"name\": \"two\nlines \\\"q\\\"\"} -->"),
			"schema:Thing \n  name: two\nlines \"q\"\n"},
		"another vocabulary, and what is broken": {script(`{"@context": "https://w3id.org/x", "@type": "Event", "name": "x"}`) +
			script(`{"@context": "https://schema.org", `) + script(`[1, "x", null]`), ""},
		"microdata": {`<base href="/b/"><div itemscope itemtype="https://schema.org/Product" itemref="more" itemid="urn:p:1">
		<h1 itemprop="name">  A <b>thing</b>  </h1><img itemprop="image" src="i.png">
			<div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="price" content="9.50">
			<link itemprop="availability" href="http://schema.org/InStock">
			<time itemprop="validFrom" datetime="2026-01-02T03:04:05Z">then</time>
			</div>
			<span itemprop="brand maker">Acme<script>no()</script></span></div><p id="more">
			<data itemprop="sku" value="77">seventy-seven</data>
			</p>`,
			"schema:Product urn:p:1\n  name: A thing\n  image: <http://example.org/b/i.png>\n" +
				"  offers: <http://example.org/a/page#schema-2>\n  brand: Acme\n  maker: Acme\n  sku: 77\n" +
				"schema:Offer http://example.org/a/page#schema-2\n  price: 9.50\n  availability: <http://schema.org/InStock>\n" +
				"  validFrom: @2026-01-02T03:04:05Z\n"},
		"items that refer to each other": {`<div id=a itemscope itemtype="http://schema.org/Person" itemref="b"></div><div id=b ` +
			`itemscope itemprop=knows itemtype="http://schema.org/Person" itemref="a"></div>`,
			"schema:Person \n  knows: <http://example.org/a/page#schema-2>\nschema:Person http://example.org/a/page#schema-2\n"},
		"items of other vocabularies": {`<div itemscope itemtype="http://data-vocabulary.org/Person"><p itemprop=name>x</p></div><div ` +
			`itemscope><p itemprop=name>x</p></div>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if r := plugintest.Extract(t, page(c.html)); r != nil {
				got = printed(r)
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Whatever a page does, the result is one that the host takes: plugintest validates it.
func TestHostilePages(t *testing.T) {
	deep := strings.Repeat(`{"@type": "Thing", "about": `, 5_000) + "1" + strings.Repeat("}", 5_000)
	many := strings.Repeat(`{"@type":"Thing","name":"n"},`, 20_000)
	for _, html := range []string{
		`<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [` + many + `1]}</script>`,
		`<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Thing", "about": ` + deep + `}</script>`,
		strings.Repeat(`<div itemscope itemprop=about itemtype="http://schema.org/Thing">`, 400),
		`<div itemscope itemtype="http://schema.org/a b<c> http://schema.org/\x00" itemid="http://[::1"><a itemprop="x:y url" ` +
			`href="http://x/ y">` + "\x1b\xff</a></div>",
		`<html lang="x_\x00"><script type="application/ld+json">{"@context":"schema.org","@type":"Thing","@id":"ht tp://x",` +
			`"url":"http://x/<>","":1,"n":1e999,"name":{"@value":"v","@language":"--"}}</script>`,
	} {
		plugintest.Extract(t, page(html))
	}
}

// Each eighth of the saved pages of real sites that name schema.org, where they are beside
// the repository.
func TestRealPages(t *testing.T) {
	root := "../../../../shared/pages"
	var files []string
	_ = filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error { // absent is skipped below
		if err == nil && strings.HasSuffix(file, ".html") {
			files = append(files, file)
		}
		return nil
	})
	if len(files) == 0 {
		t.Skip("no saved pages beside the repository")
	}
	slices.Sort(files)
	marked, looked, found, objects := 0, 0, 0, 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		html := string(b)
		if !strings.Contains(html, "application/ld+json") && !strings.Contains(html, "itemtype") || !strings.Contains(html, "schema.org") {
			continue
		}
		if marked++; marked%8 != 0 {
			continue
		}
		looked++
		if r := plugintest.Extract(t, page(html)); r != nil {
			found++
			objects += len(r.Objects)
		}
	}
	t.Logf("%d objects on %d of %d pages that name schema.org", objects, found, looked)
	if found*10 < looked*9 {
		t.Errorf("objects on %d of %d pages only", found, looked)
	}
}
