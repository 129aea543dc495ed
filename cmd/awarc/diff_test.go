package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/diff"
)

// edited serves a board of which some posts are not there, some texts are others, and some addresses are gone.
type edited struct {
	http.Handler
	without []string // numbers of posts
	texts   *strings.Replacer
	gone    string // the end of an address
}

func (e *edited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.gone != "" && strings.HasSuffix(r.URL.RequestURI(), e.gone) {
		http.Error(w, "The requested topic does not exist.", http.StatusNotFound)
		return
	}
	answer := httptest.NewRecorder()
	e.Handler.ServeHTTP(answer, r)
	body := answer.Body.String()
	for _, post := range e.without {
		body = regexp.MustCompile(`(?s)<div id="p`+post+`" class="post .*?\n</div>\n`).ReplaceAllString(body, "")
	}
	if e.texts != nil {
		body = e.texts.Replace(body)
	}
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Etag" && name != "Last-Modified" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write([]byte(body))
}

// TestDiff: a crawl and one of the same board later, after posts were edited, one written, one deleted, and a thread deleted.
func TestDiff(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	b := board(t, 60)
	threads := map[string][]string{} // posts
	for o := range b.Objects("") {
		if o.Class == "sioc:Post" {
			threads[o.Parent] = append(threads[o.Parent], o.ID)
		}
	}
	const gone = "3" // a thread of two pages
	var others []string
	for thread, posts := range threads {
		if thread != gone && len(posts) > 2 {
			others = append(others, posts[2])
		}
	}
	if len(threads[gone]) < 11 || len(others) < 2 {
		t.Fatalf("%v", threads)
	}
	fresh, deleted := others[0], others[1]
	site := &edited{Handler: b, without: []string{fresh}}
	base := serve(t, site)
	before, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	o = awarc(t, "", "diff", "--exit-code", before, before)
	o.want(t, exitDone)
	if strings.ContainsAny(o.out, "+~?") {
		t.Errorf("a crawl differs from itself: %s", o.out)
	}

	site.without, site.gone = []string{deleted}, "viewtopic.php?t="+gone
	site.texts = strings.NewReplacer("the tram cost less", "the <b>new</b> tram  cost less", "in the wash", "in  the\nwash")
	after, o := runCrawl(t, base+"/")
	if o.status != exitDone && o.status != exitWithFaults {
		t.Fatal(o.status, o.err)
	}
	var got struct {
		Changes []diff.Change
		Counts  []diff.Counts
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "changes.json")
	awarc(t, "", "diff", "--exit-code", "-o", file, before, after).want(t, 1)
	if err := json.Unmarshal([]byte(contents(t, file)), &got); err != nil {
		t.Fatal(err)
	}
	edits := 0
	for _, c := range got.Changes {
		_, post, _ := strings.Cut(c.Row().ID, "#p")
		switch {
		case c.Kind == diff.Appeared && post == fresh && c.Before == nil:
		case c.Kind == diff.Vanished && post == deleted && c.Reason == "its page no longer shows it":
		case c.Kind == diff.Vanished && slices.Contains(threads[gone], post) && strings.HasSuffix(c.Reason, " is gone (404)"):
		case c.Kind == diff.Vanished && c.Row().ID == base+"/viewtopic.php?t="+gone && c.Row().Class[0] == "sioc:Thread":
		case c.Kind == diff.Changed && len(c.Fields) == 1 && strings.Contains(c.Fields[0].After, "new tram"):
			edits++
		default:
			t.Errorf("%s %+v %s %s %+v", c.Kind, c.Row(), c.Reason, c.Page, c.Fields)
		}
	}
	n := got.Counts[slices.IndexFunc(got.Counts, func(n diff.Counts) bool { return n.Class == "sioc:Post" })]
	if n.Appeared != 1 || n.Changed != edits || edits == 0 || n.Vanished != 1+len(threads[gone]) ||
		n.Unseen != 0 || n.Same != 59-edits-n.Vanished {
		t.Errorf("%+v, %d edits", got.Counts, edits)
	}
	// As text and as a page, the same is said.
	o = awarc(t, "", "diff", before, after)
	o.want(t, exitDone)
	if strings.Count(o.out, "{+new +}") != edits || strings.Count(o.out, "\n- ") != n.Vanished+1 ||
		strings.Count(o.out, "+ sioc:Post") != 1 {
		t.Errorf("%s", o.out)
	}
	file = filepath.Join(dir, "changes.html")
	awarc(t, "", "diff", "-o", file, "--limit", "5", before, after).want(t, exitDone)
	page := contents(t, file)
	if strings.Count(page, "<ins>new </ins>") != min(edits, 5) || strings.Count(page, `<article class="vanished">`) != 5 ||
		!strings.Contains(page, "(the first 5 of ") || regexp.MustCompile(`(?i)(src|action)=|<link|<script|url\(`).MatchString(page) {
		t.Errorf("%s", page)
	}
	o = awarc(t, "", "diff", "--class", "sioc:Thread", "--format", "json", after, before)
	if o.want(t, exitDone); strings.Count(o.out, `"kind":"appeared"`) != 1 {
		t.Errorf("%s", o.out)
	}
}

// A page that the second crawl did not ask for is no page that is gone.
func TestDiffOfWhatWasNotFetched(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	base := serve(t, board(t, 60))
	before, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	after, o := runCrawl(t, "--limit", "4", base+"/")
	o.want(t, exitLimit)
	o = awarc(t, "", "diff", before, after)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "not seen again: its page was not fetched: pending; ") || strings.Contains(o.out, "\n- ") {
		t.Errorf("%s", o.out)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
