package main

import (
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/replay"
	"github.com/awarc/awarc/engine"
)

// mirroredSites are complete copies of real sites, kept beside the repository, with
// what a crawl of them must find and how many requests it may take.
var mirroredSites = []struct {
	file     string
	drop     string // parameter that the real server ignores too
	requests int64
	objects  map[string]int64
	fields   map[string][]string // what each object of a class must have
	lacking  map[string]int      // but for those whose pages do not show it
}{
	{"phpbb-3.3-prosilver", "sid", 360, map[string]int64{"sioc:Thread": 151, "sioc:Post": 2001, "sioc:Forum": 12},
		map[string][]string{"Thread": {"title", "has_parent"}, "Forum": {"title"}, "Post": {"creator", "created", "content",
			"has_container"}}, nil},
	{"wordpress-6.1-twentytwentyone", "", 200, map[string]int64{"sioct:BlogPost": 121, "sioct:Comment": 303, "schema:WebPage": 7},
		map[string][]string{"BlogPost": {"title", "creator", "created", "content"},
			"Comment": {"creator", "created", "content", "reply_of"}},
		passwordKept},
	{"wordpress-6.1-twentytwentythree", "", 200, map[string]int64{"sioct:BlogPost": 121, "sioct:Comment": 303, "schema:WebPage": 7},
		map[string][]string{"BlogPost": {"title", "creator", "created", "content"},
			"Comment": {"creator", "created", "content", "reply_of"}},
		passwordKept},
}

// askedOfMirrors are queries of mirrors, and what they must give.
var askedOfMirrors = map[string][]struct{ about, query, want string }{
	"phpbb-3.3-prosilver": {
		{"accounts are profile pages, without session", `SELECT (COUNT(DISTINCT ?a) AS ?n) {
			?post sioc:has_creator ?a FILTER(REGEX(STR(?a), "memberlist[.]php[?]mode=viewprofile&u=[0-9]+$")) }`, "61"},
		{"forums, and the threads below each", `SELECT ?title (COUNT(DISTINCT ?thread) AS ?n) {
			?thread a sioc:Thread ; sioc:has_parent+ ?forum . ?forum dcterms:title ?title }
			GROUP BY ?title ORDER BY ?title`,
			"Boats and sails,31\nFishing,19\nGardening,19\nLocal history,24\nOld photographs,6\nOn land,81\nOn the water,69\n" +
				"Recipes,19\nTides and weather,19\nWorkshop talk,19\nYour first category,1\nYour first forum,1"},
		{"what posts quote, and what they say themselves", `SELECT (COUNT(DISTINCT ?post) AS ?n) {
			?post awarc:quoted ?q ; awarc:content_own ?own ; sioc:reply_of ?of . ?of a sioc:Post ; sioc:has_reply ?post }`, "459"},
		{"no post is a reply but by quoting", `SELECT (COUNT(DISTINCT ?post) AS ?n) { ?post sioc:reply_of ?of MINUS { ?post ` +
			`awarc:quoted ?q } }`, "0"},
		{"posts are in order over the pages of a thread", `SELECT (COUNT(*) AS ?n) {
			?a sioc:has_container ?thread ; awarc:position ?i ; dcterms:created ?at .
			?b sioc:has_container ?thread ; awarc:position ?j ; dcterms:created ?later FILTER(?i < ?j && ?at > ?later) }`, "0"},
		{"each has a place", `SELECT (COUNT(DISTINCT ?post) AS ?n) { ?post a sioc:Post ; awarc:position ?i }`, "2001"},
		{"no account is a name", `SELECT (COUNT(DISTINCT ?a) AS ?n) { ?post sioc:has_creator ?a ` +
			`FILTER(CONTAINS(STR(?a), ".well-known/genid/")) }`, "0"},
	},
	"wordpress-6.1-twentytwentyone": {
		{"the parts of a post are in the order of its pages", `SELECT (COUNT(DISTINCT ?post) AS ?n) {
			GRAPH ?c { ?post a sioct:BlogPost ; awarc:position 0 ; sioc:content ?one }
			GRAPH ?d { ?post a sioct:BlogPost ; awarc:position 200000 ; sioc:content ?two }
			GRAPH <urn:awarc:meta> { ?c dcterms:source ?post . ?d dcterms:source ?page FILTER(STR(?page) = CONCAT(STR(?post), "2/")) }
			FILTER(?one != ?two) }`, "7"},
	},
}

// passwordKept is the one post of the WordPress mirrors behind a password.
var passwordKept = map[string]int{"BlogPost without content": 1}

// mirrorServer builds the server of mirrors and returns it with their folder; it skips a short test, and one without mirrors.
func mirrorServer(t *testing.T) (server, sites string) {
	t.Helper()
	sites, err := filepath.Abs("../../../shared/sites")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(sites, "replay")); err != nil {
		t.Skip("skipped: the mirrors of real sites are not in ../shared/sites")
	}
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("skipped: the mirrors need the program xz")
	}
	if server, err = replay.Build(t.Context(), sites, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return server, sites
}

// serveMirror serves a mirror with the server that stands beside it.
func serveMirror(t *testing.T, server, sites, file, drop string) string {
	t.Helper()
	base, stop, err := replay.Serve(t.Context(), server, filepath.Join(sites, file+".warc.xz"), "127.0.0.1:0", drop)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return base
}

func TestMirrorsOfRealSites(t *testing.T) {
	t.Parallel()
	server, sites := mirrorServer(t)
	for i, m := range mirroredSites {
		if i > 1 && !isLong() {
			break // another theme of the same blog
		}
		t.Run(m.file, func(t *testing.T) {
			base := serveMirror(t, server, sites, m.file, m.drop)
			dir := filepath.Join(t.TempDir(), "crawl")
			var out, errs strings.Builder
			if status := run(t.Context(), []string{"crawl", "--delay", "0", "--min-space", "0", "--out", dir, base + "/"},
				streams{nil, &out, &errs}); status != exitDone {
				t.Fatalf("exit status %d\n%s%s", status, out.String(), errs.String())
			}
			report, err := engine.ReadReport(filepath.Join(dir, "report.json"))
			if err != nil {
				t.Fatal(err)
			}
			if report.Requests > m.requests {
				t.Errorf("%d requests; at most %d are allowed", report.Requests, m.requests)
			}
			c := reportOf(t, dir).Completeness
			if c.Things.Incomplete > 0 || *c.Things.Items.Stated != c.Things.Items.Saved || len(c.Missing) > 0 {
				t.Errorf("something is missing of what pages say: %+v %v", c.Things, c.Missing)
			}
			for class, want := range m.objects {
				if got := report.Objects[class]; got != want {
					t.Errorf("%d %s, want %d", got, class, want)
				}
			}
			checkOutcomes(t, dir)
			checkFields(t, readGraph(t, dir), m.fields, m.lacking)
			for _, q := range askedOfMirrors[m.file] {
				o := awarc(t, "", "query", "--crawl", dir, "--format", "csv", q.query)
				if _, got, _ := strings.Cut(strings.ReplaceAll(o.out, "\r\n", "\n"), "\n"); strings.TrimSuffix(got, "\n") != q.want {
					t.Errorf("%s: %q, want %q", q.about, got, q.want)
				}
			}
			checkArchive(t, dir)
			checkByGowarc(t, dir)
			t.Logf("%d requests, %v, missing %v", report.Requests, report.Objects, report.Missing)
			if isLong() {
				recrawlMirror(t, base, dir)
				base = serve(t, withTags(t, base))
				dir, o := runCrawl(t, base+"/")
				o.want(t, exitDone)
				recrawlMirror(t, base, dir)
			}
		})
	}
}

// withTags serves a site under another address, with entity tags.
func withTags(t *testing.T, base string) http.Handler { return tagged(relayed(t, base)) }

// relayed serves a site under another address.
func relayed(t *testing.T, base string) http.Handler {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moved := strings.NewReplacer(at.Host, r.Host, url.QueryEscape(at.Host), url.QueryEscape(r.Host))
		rewritten(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked := r.Clone(r.Context())
			for _, name := range []string{"If-None-Match", "If-Modified-Since", "Accept-Encoding"} {
				asked.Header.Del(name)
			}
			proxy.ServeHTTP(w, asked)
		}), func(page []byte) []byte { return []byte(moved.Replace(string(page))) }).ServeHTTP(w, r)
	})
}

// recrawlMirror crawls again what a crawl has: with as many requests, the same objects and nothing archived twice.
func recrawlMirror(t *testing.T, base, first string) {
	t.Helper()
	dir, o := runCrawl(t, "--previous", first, base+"/")
	o.want(t, exitDone)
	sameObjects(t, first, dir)
	a, b := readReport(t, first), readReport(t, dir)
	if b.Elsewhere != b.Requests || b.Requests != a.Requests || 4*b.WARCBytes > a.WARCBytes {
		t.Errorf("%d of %d answers refer to the first crawl", b.Elsewhere, b.Requests)
	}
	for _, r := range []*engine.Report{a, b} {
		t.Logf("%d requests, statuses %v, %d bytes received, %d of WARC, %d revisits of an earlier crawl", r.Requests, r.Statuses,
			r.BytesIn, r.WARCBytes, r.Elsewhere)
	}
}

// checkFields demands that each object of a class has a value of each field.
func checkFields(t *testing.T, graph map[string]*graphObject, fields map[string][]string, allowed map[string]int) {
	t.Helper()
	lacking := map[string]int{}
	for _, o := range graph {
		for _, f := range fields[o.class] {
			if o.one(f) == "" {
				lacking[o.class+" without "+f]++
			}
		}
	}
	if !maps.Equal(lacking, allowed) {
		t.Errorf("lacking %v, want %v", lacking, allowed)
	}
}
