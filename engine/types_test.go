package engine_test

import (
	"strings"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/testsites"
)

func testSite(t *testing.T, cms, template, prefix string, posts int) *testsites.Site {
	t.Helper()
	s, err := testsites.New(cms, template, testsites.Options{Seed: 5, Posts: posts, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTypeIsAPropertyOfThePathPrefix(t *testing.T) {
	forum := testSite(t, "phpbb", "prosilver", "/forum", 40)
	blog := testSite(t, "wordpress", "twentytwentyone", "/blog", 40)
	base := serve(t, testsites.Mux(forum, blog))
	w := newWorld(t)
	if reason := w.crawl(base + "/"); reason != engine.Drained {
		t.Fatalf("it ended by %q", reason)
	}
	types := map[string]int{}
	for _, e := range w.log {
		if e.Status != 200 || e.Robots {
			continue
		}
		want := ""
		switch path := strings.TrimPrefix(e.URL, base); {
		case strings.HasPrefix(path, "/forum"):
			want = "phpbb"
		case strings.HasPrefix(path, "/blog"):
			want = "wordpress"
		}
		if e.Type != want {
			t.Errorf("%s is of type %q, want %q", e.URL, e.Type, want)
		}
		types[e.Type]++
	}
	for class, want := range forum.Truth(base).Count() {
		if class != "sioc:Forum" {
			w.count("objects/"+class, int64(want))
		}
	}
	for class, want := range blog.Truth(base).Count() {
		w.count("objects/"+class, int64(want))
	}
	w.count("types/phpbb", int64(types["phpbb"]))
	w.count("types/wordpress", int64(types["wordpress"]))
	if twice := forum.Requests().Twice(); len(twice) > 0 {
		t.Errorf("asked for more than once: %v", twice)
	}
}

func TestBlindFollowsEveryLink(t *testing.T) {
	forum := testSite(t, "phpbb", "prosilver", "", 30)
	base := serve(t, forum)
	w := newWorld(t)
	w.options.Blind = true
	w.options.Limits.Pages = 300
	w.crawl(base + "/")
	blind := forum.Requests()
	for _, e := range w.log {
		if e.Type != "" || e.Level != "" || e.Objects > 0 {
			t.Errorf("%s has type %q, level %q, %d objects", e.URL, e.Type, e.Level, e.Objects)
		}
	}
	forum.ResetRequests()
	knowing := newWorld(t)
	knowing.crawl(base + "/")
	for u := range forum.Requests().ByURL {
		if blind.Total < 300 && blind.ByURL[u] == 0 {
			t.Errorf("the blind crawl did not ask for %s", u)
		}
	}
	if n := forum.Requests().Total; n*2 > blind.Total {
		t.Errorf("%d requests, blind %d", n, blind.Total)
	}
}

func TestOptionalActions(t *testing.T) {
	forum := testSite(t, "phpbb", "prosilver", "", 30)
	base := serve(t, forum)
	profiles := func(optional bool) (n int) {
		w := newWorld(t)
		w.options.Optional = optional
		w.crawl(base + "/")
		for _, e := range w.log {
			if strings.Contains(e.URL, "mode=viewprofile") {
				n++
				if e.Expected != "profile" {
					t.Errorf("%s was promised to be %q", e.URL, e.Expected)
				}
			}
		}
		return n
	}
	if n := profiles(false); n > 0 {
		t.Errorf("%d profiles were asked for without being wanted", n)
	}
	if n := profiles(true); n == 0 {
		t.Error("no profile was asked for")
	}
}

func TestForcedType(t *testing.T) {
	w := newWorld(t)
	w.options.Force = "phpbb"
	url := serve(t, site{"/": links("/a"), "/a": ""})
	w.crawl(url + "/")
	for _, e := range w.log {
		if !e.Robots && e.Status == 200 && e.Type != "phpbb" {
			t.Errorf("%s is of type %q", e.URL, e.Type)
		}
	}
}

func TestContentComesBeforeLists(t *testing.T) {
	forum := testSite(t, "phpbb", "prosilver", "", 200)
	w := newWorld(t)
	w.crawl(serve(t, forum) + "/")
	at := map[string]int{} // when a page was read
	for i, e := range w.log {
		at[e.URL] = i
	}
	lists := 0
	for i, list := range w.log {
		if list.Expected != "forum" {
			continue
		}
		lists++
		for _, topic := range w.log[i+1:] {
			if topic.Expected == "topic" && at[topic.Via] < i {
				t.Fatalf("the list %s came before %s, which was known from %s", list.URL, topic.URL, topic.Via)
			}
		}
	}
	if lists < 3 {
		t.Fatalf("only %d lists; make the site larger", lists)
	}
}
