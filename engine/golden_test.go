package engine_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/kb"
)

// pagesDir holds saved pages of real sites, which are no part of the
// repository: tests over them are skipped where it is absent.
const pagesDir = "../../shared/pages"

func needPages(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(pagesDir); err != nil {
		t.Skipf("skipped: the saved pages of real sites are not in %s", pagesDir)
	}
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
}

func builtinDetector(t *testing.T) *detect.Detector {
	t.Helper()
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	return detect.New(base)
}

// inspectFile inspects a saved page as `awarc extract FILE` does: with neither
// headers nor a known URL.
func inspectFile(t *testing.T, d *detect.Detector, file string) engine.Page {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: "localhost", Path: "/" + filepath.Base(file)}
	p, err := engine.Inspect(d, engine.Answer{URL: u, HTML: fetch.DecodeHTML(body, "").HTML}, engine.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// goldenFile is hand-made truth about pages of one mirror.
type goldenFile struct {
	Pages []struct {
		File  string
		Title string
		Posts int
		// All are the posts in order; where only the first and the last were written down,
		// those two stand alone.
		All         []goldenPost
		First, Last *goldenPost
	}
}

type goldenPost struct {
	Creator, Created string
	CreatedUTC       string `json:"created_utc"`
	CreatedAttr      string `json:"created_attr"`
	Starts, Ends     string
	AltStarts        string `json:"alt_starts"`
	AltEnds          string `json:"alt_ends"`
	Empty            bool
}

// readGolden reads a file of hand-made truth.
func readGolden(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("../kb/testdata/golden/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestGoldenForums compares what the built-in knowledge base makes of topic
// pages with what a reader wrote down about them.
func TestGoldenForums(t *testing.T) {
	needPages(t)
	d := builtinDetector(t)
	for _, g := range []struct{ name, typ, dir string }{
		{"phpbb-cf", "phpbb", "phpbb/mirror-cf.net"},
		{"phpbb-eaglecraft", "phpbb", "phpbb/mirror-eaglecraft"},
		{"phpbb-other", "phpbb", ""},
		{"vbulletin-klnet", "vbulletin", "vbulletin/mirror-klnet"},
		{"vbulletin-other", "vbulletin", ""},
		{"mybb", "mybb", ""}, {"smf", "smf", ""}, {"xenforo", "xenforo", ""}, {"fluxbb", "fluxbb", ""},
		{"discourse", "discourse", ""}, {"ipb", "ipb", ""}, {"vanilla", "vanilla", ""}, {"nodebb", "nodebb", ""},
	} {
		var golden goldenFile
		readGolden(t, g.name, &golden)
		for _, want := range golden.Pages {
			t.Run(g.name+"/"+filepath.Base(want.File), func(t *testing.T) {
				p := inspectFile(t, d, filepath.Join(pagesDir, g.dir, want.File))
				if p.Finding.Type == nil || string(p.Finding.Type.ID) != g.typ {
					t.Fatalf("type %v, want %s", p.Finding.Type, g.typ)
				}
				title, posts := threadOf(p.Harvest)
				if len(posts) != want.Posts {
					t.Fatalf("%d posts, want %d", len(posts), want.Posts)
				}
				if want.Posts == 0 {
					return // an error page under a topic's URL, or only a script fills the page
				}
				if l := p.Finding.Level(); l == nil || l.ID != "topic" {
					t.Errorf("level %v, want topic", l)
				}
				if title != want.Title {
					t.Errorf("title %q, want %q", title, want.Title)
				}
				for _, o := range posts {
					if o.Value("creator") == "" || o.Value("created") == "" || o.Parent == "" {
						t.Errorf("%s: creator %q, created %q, in %q", o.ID, o.Value("creator"), o.Value("created"), o.Parent)
					}
				}
				if len(want.All) > 0 && len(want.All) != want.Posts {
					t.Fatalf("the truth says %d posts and lists %d", want.Posts, len(want.All))
				}
				for i := range want.All {
					comparePost(t, "no. "+strconv.Itoa(i+1), posts[i], &want.All[i])
				}
				if want.First != nil {
					comparePost(t, "first", posts[0], want.First)
					comparePost(t, "last", posts[len(posts)-1], want.Last)
				}
			})
		}
	}
}

func threadOf(h extract.Harvest) (title string, posts []extract.Object) {
	for _, o := range h.Objects {
		switch o.Class {
		case "sioc:Thread":
			title = o.Value("title")
		case "sioc:Post":
			posts = append(posts, o)
		}
	}
	return title, posts
}

func comparePost(t *testing.T, which string, got extract.Object, want *goldenPost) {
	t.Helper()
	if c := got.Value("creator"); c != want.Creator {
		t.Errorf("%s post: creator %q, want %q", which, c, want.Creator)
	}
	// What the page shows and what its attributes say are both right.
	if c := got.Value("created"); c != want.Created && (c == "" || c != want.CreatedUTC && c != want.CreatedAttr) {
		t.Errorf("%s post: created %q, want %q", which, c, want.Created)
	}
	content := bare(got.Value("content"))
	starts := strings.HasPrefix(content, bare(want.Starts)) && (!want.Empty || content == "")
	if !starts && (want.AltStarts == "" || !strings.HasPrefix(content, bare(want.AltStarts))) {
		t.Errorf("%s post: content starts %.80q, want %q", which, got.Value("content"), want.Starts)
	}
	ends := strings.HasSuffix(content, bare(want.Ends))
	if !ends && (want.AltEnds == "" || !strings.HasSuffix(content, bare(want.AltEnds))) {
		c := got.Value("content")
		t.Errorf("%s post: content ends %q, want %q", which, c[max(0, len(c)-120):], want.Ends)
	}
}

// bare removes white space: golden texts are compared without it.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
