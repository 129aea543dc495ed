package extract

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	model "github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/engine/read/records"
	"github.com/awarc/awarc/kb"
)

// RecordReader names the activity that reads posts of pages that no type describes.
const RecordReader = "urn:awarc:reader:records"

// discussion reads the posts of a page that no level describes, by the page alone. Their thread is
// the page without paging; on a page that declares itself an article they are its comments. unsure
// counts posts with a confidence below [records.LeastSure], which are left out.
func discussion(p Page, work *kb.Work, said *statement) (objects []Object, unsure int) {
	if !work.Spend(1 << 16) {
		return nil, 0
	}
	m := model.New(p.Doc, Language(p.Doc), p.Captured)
	got := records.Read(m, records.Weights(), nil)
	switch {
	case len(got.Records) < 2:
		return nil, 0
	case got.Sure < records.LeastSure():
		return nil, len(got.Records)
	}
	if p.Type == nil {
		p.Type = &kb.Type{}
	}
	r := newRun(p, work, nil)
	r.h = &Harvest{}
	r.claimed = leftNodes(m, got.Records)
	key := withoutPaging(r.key)
	title := said.title(p.Doc, p.URL.Hostname())
	if key == "" || notFound(title) {
		return nil, 0
	}
	outer := Object{Class: "sioc:Thread", Confidence: got.Sure}
	class, rel := "sioc:Post", "has_container"
	if said.article {
		outer.Class, class, rel = WebPage, "sioct:Comment", "reply_of"
	}
	if title != "" {
		outer.Fields = []Field{{Name: "title", As: kb.Text, Values: []string{title}}}
	}
	if own := r.ownAddress(&outer, false); own != "" && !isFront(own) { // boards show a thread at many addresses
		key = withoutPaging(own)
	}
	outer.ID = key
	out := []Object{outer}
	ids := recordIDs(m, got.Records)
	for i := range got.Records {
		o := r.record(m, &got.Records[i])
		if len(o.Fields) == 0 {
			continue
		}
		o.Class, o.ID, o.Parent, o.Rel, o.Confidence = class, key+"#"+ids[i], key, rel, got.Sure
		out = append(out, o)
	}
	if len(out) == 1 {
		return nil, 0
	}
	return out, 0
}

// isFront reports whether an address is of a front page.
func isFront(address string) bool {
	u, err := url.Parse(address)
	return err != nil || strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// leftNodes returns the nodes inside contents that records leave out: controls, numbers, signatures.
func leftNodes(m *model.Page, of []records.Record) map[*html.Node]bool {
	left := map[*html.Node]bool{}
	for _, r := range of {
		for _, n := range r.Left {
			left[m.Nodes[n].Node] = true
		}
	}
	return left
}

// record makes an object of a record. A record without text or image gives an object without fields.
func (r *run) record(m *model.Page, rec *records.Record) (o Object) {
	if rec.Content < 0 {
		return o
	}
	c := r.rich(&kb.Field{Name: contentField, As: kb.HTML}, kb.Value{Node: m.Nodes[rec.Content].Node}, true)
	if c.text == "" && !strings.Contains(c.markup, "<img") {
		return o
	}
	text := func(name string, as kb.As, values ...string) {
		o.Fields = append(o.Fields, Field{Name: name, As: as, Values: values})
	}
	if rec.Author >= 0 {
		if name := m.Text(rec.Author); name != "" {
			text(creatorField, kb.Text, name)
			if account := r.resolve.link(m.LinkOf(rec.Author)); account != "" {
				text(accountField, kb.URL, account)
			}
		}
	}
	if rec.Date >= 0 {
		if iso, _ := m.Date(rec.Date); iso != "" {
			text("created", kb.Date, iso)
		}
	}
	text(contentField, kb.HTML, c.text)
	text(contentField+"_html", kb.HTML, c.markup)
	if len(c.quoted) > 0 {
		text(ownField, kb.HTML, c.own)
		text(quotedField, kb.HTML, c.quoted...)
	}
	return o
}

// recordIDs returns a fragment for each record: an id, name or address fragment that is unique on
// the page, or else the record's position.
func recordIDs(m *model.Page, of []records.Record) []string {
	sources := []func(n *html.Node) string{
		func(n *html.Node) string { return model.Attr(n, "id") },
		func(n *html.Node) string { return anchorName(n) },
		func(n *html.Node) string { return model.Attr(n, "data-id") },
		func(n *html.Node) string {
			if _, fragment, found := strings.Cut(model.Attr(n, "href"), "#"); found && n.DataAtom == atom.A {
				return fragment
			}
			return ""
		},
	}
	out := make([]string, len(of))
	for _, source := range sources {
		seen := map[string]bool{}
		for i, rec := range of {
			out[i] = ""
			for n := rec.First; n < rec.End; n++ {
				if v := source(m.Nodes[n].Node); strings.ContainsAny(v, "0123456789") && !strings.ContainsAny(v, " \t\n") {
					out[i] = url.PathEscape(v)
					break
				}
			}
			seen[out[i]] = true
		}
		if len(seen) == len(of) && !seen[""] {
			return out
		}
	}
	for i := range of {
		out[i] = "record-" + strconv.Itoa(i+1)
	}
	return out
}

func anchorName(n *html.Node) string {
	if n.DataAtom != atom.A {
		return ""
	}
	return model.Attr(n, "name")
}

var (
	pagingParams = []string{"page", "pg", "start", "st", "offset", "seite", "pagina", "pagenum", "currentpage", "paged"}
	pagingPath   = regexp.MustCompile(`(?i)/(?:page|seite|pagina)[-/_]?[0-9]+/?$`)
)

// withoutPaging removes usual paging parameters and path segments from the address of a thread.
func withoutPaging(key string) string {
	out, err := url.Parse(key)
	if err != nil {
		return ""
	}
	query := out.Query()
	for name := range query {
		if slices.Contains(pagingParams, strings.ToLower(name)) {
			query.Del(name)
		}
	}
	if len(query) != len(out.Query()) {
		out.RawQuery = query.Encode()
	}
	if at := pagingPath.FindStringIndex(out.Path); at != nil && at[0] > 0 {
		out.Path, out.RawPath = out.Path[:at[0]], ""
	}
	return out.String()
}
