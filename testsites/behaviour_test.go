package testsites

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// made makes one site or fails the test.
func made(t *testing.T, cms, template string, o Options) *Site {
	t.Helper()
	s, err := New(cms, template, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUnknownSiteIsRefused(t *testing.T) {
	if _, err := New("phpbb", "twentyten", Options{}); err == nil || !strings.Contains(err.Error(), "prosilver") {
		t.Errorf("error %v, want one that lists what there is", err)
	}
}

func TestAnswersLikeTheSoftware(t *testing.T) {
	wp := made(t, "wordpress", "twentytwentyone", Options{Seed: 3})
	old := made(t, "wordpress", "twentyten", Options{Seed: 3})
	phpbb := made(t, "phpbb", "prosilver", Options{Seed: 3})
	vb := made(t, "vbulletin", "3.8", Options{Seed: 3})
	post := wp.app.(*wordpress).permalink(4)
	for _, c := range []struct {
		site     *Site
		path     string
		status   int
		location string // after the host
		header   string // that must be there
		value    string // that one of its values contains
	}{
		{wp, strings.TrimSuffix(post, "/"), 301, post, "", ""},
		{wp, "/?p=" + itoa(postID(4)), 301, post, "X-Redirect-By", "WordPress"},
		{wp, "/?page_id=3", 301, "/about/colophon/", "", ""},
		{wp, "/?p=999999", 404, "", "", ""},
		{wp, "/page/1/", 301, "/", "", ""},
		{wp, "/page/999/", 404, "", "", ""},
		{wp, "/no-such-page/", 404, "", "", ""},
		{wp, "/wp-admin/", 302, "/wp-login.php?", "", ""},
		{wp, "/xmlrpc.php", 405, "", "Allow", "POST"},
		{wp, "/wp-json/", 200, "", "Content-Type", "application/json"},
		{wp, "/feed/", 200, "", "Content-Type", "application/rss+xml"},
		{wp, post, 200, "", "Link", `rel="https://api.w.org/"`},
		{wp, "/wp-login.php", 200, "", "Set-Cookie", "wordpress_test_cookie"},
		{wp, "/robots.txt", 200, "", "Content-Type", "text/plain"},
		{old, "/", 200, "", "X-Pingback", "/xmlrpc.php"},
		{phpbb, "/", 200, "", "Set-Cookie", "_sid="},
		{phpbb, "/robots.txt", 404, "", "", ""},
		{phpbb, "/viewtopic.php?t=99999", 404, "", "", ""},
		{phpbb, "/viewforum.php?f=13", 302, "https://almanac.example.org/", "", ""},
		{phpbb, "/posting.php?mode=quote&p=1", 200, "", "", ""},
		{phpbb, "/nothing.php", 404, "", "", ""},
		{vb, "/", 200, "", "Set-Cookie", "bbsessionhash="},
		{vb, "/", 200, "", "Content-Type", "ISO-8859-1"},
		{vb, "/showthread.php?t=1&goto=lastpost", 302, "/showthread.php?p=", "", ""},
		{vb, "/showthread.php?t=99999", 404, "", "", ""},
		{vb, "/newreply.php?do=newreply&p=1", 200, "", "", ""},
	} {
		a := newClient(c.site, false).get(t, host+c.path)
		if a.status != c.status {
			t.Errorf("%s %s: status %d, want %d", c.site.cms, c.path, a.status, c.status)
		}
		if loc := strings.TrimPrefix(a.header.Get("Location"), host); !strings.HasPrefix(loc, c.location) || c.location != "" && loc == "" {
			t.Errorf("%s %s: leads to %q, want %q", c.site.cms, c.path, loc, c.location)
		}
		if c.header != "" && !strings.Contains(strings.Join(a.header.Values(c.header), "\n"), c.value) {
			t.Errorf("%s %s: %s is %q, want %q in it", c.site.cms, c.path, c.header, a.header.Values(c.header), c.value)
		}
	}
}

func TestSessionIdsStandInLinksUntilACookieComesBack(t *testing.T) {
	for _, n := range []Name{{"phpbb", "prosilver"}, {"phpbb", "subsilver2"}, {"vbulletin", "3.8"}, {"vbulletin", "4.2"}} {
		s := made(t, n.CMS, n.Template, Options{})
		param := map[string]string{"phpbb": "sid", "vbulletin": "s"}[n.CMS]
		c := newClient(s, true)
		for visit, want := range []bool{true, false} {
			found := false
			for _, l := range links(t, host+"/", c.get(t, host+"/")) {
				u, err := url.Parse(l)
				if err != nil {
					t.Fatal(err)
				}
				found = found || len(u.Query().Get(param)) == 32
			}
			if found != want {
				t.Errorf("%v, visit %d: session ids in links: %v, want %v", n, visit+1, found, want)
			}
		}
	}
}

func TestMuxServesSitesUnderTheirPrefixes(t *testing.T) {
	forum := made(t, "phpbb", "prosilver", Options{Prefix: "/forum/", Posts: 30})
	board := made(t, "vbulletin", "4.2", Options{Prefix: "board", Posts: 30})
	blog := made(t, "wordpress", "twentyten", Options{Prefix: "/blog", Posts: 30})
	c := newClient(Mux(forum, board, blog), true)
	seen, via := walk(t, c, host+"/", 5000)
	for u, a := range seen {
		if a.status >= 400 && !deadOnPurpose(u) {
			t.Errorf("status %d: %s from %s", a.status, u, via[u])
		}
	}
	for _, s := range []*Site{forum, board, blog} {
		for _, p := range s.Truth(host).Pages {
			if _, ok := seen[p.URL]; !ok {
				t.Errorf("no way leads to %s", p.URL)
			}
		}
		if s.Requests().Total == 0 {
			t.Error("requests through the mux are not counted")
		}
	}
	if a := c.get(t, host+"/forumX/"); a.status != 404 {
		t.Errorf("/forumX/ answers %d", a.status)
	}
}

func TestConcurrentRequestsAreCounted(t *testing.T) {
	s := made(t, "phpbb", "prosilver", Options{Posts: 20})
	srv := httptest.NewServer(s)
	defer srv.Close()
	var wg sync.WaitGroup
	for _, path := range []string{"/", "/", "/viewtopic.php?t=1", "/nothing"} {
		wg.Go(func() {
			res, err := http.Get(srv.URL + path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := res.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	q := s.Requests()
	if q.Total != 4 || q.ByURL["/"] != 2 || q.ByURL["/viewtopic.php?t=1"] != 1 || q.Status[200] != 3 || q.Status[404] != 1 {
		t.Errorf("%+v", q)
	}
	if twice := q.Twice(); len(twice) != 1 || twice["/"] != 2 {
		t.Errorf("twice: %v", twice)
	}
	if q.AtOnce < 1 || q.AtOnce > 4 || len(q.Log) != 4 || q.Log[0].UserAgent == "" || q.Log[0].Bytes == 0 ||
		q.Log[0].End.Before(q.Log[0].Start) {
		t.Errorf("at once %d, log %+v", q.AtOnce, q.Log)
	}
	if s.ResetRequests(); s.Requests().Total != 0 {
		t.Error("nothing was forgotten")
	}
}

func TestTrapsHaveNoEnd(t *testing.T) {
	all(t, Options{Traps: true, Posts: 20}, func(t *testing.T, s *Site) {
		c := newClient(s, true)
		home := c.get(t, host+"/")
		for _, trap := range []string{trapCalendar, trapNested, trapStream} {
			if !strings.Contains(home.body, trap) {
				t.Errorf("the front page does not link to %s", trap)
			}
		}
		page := host + "/" + trapNested
		for range 20 {
			next := links(t, page, c.get(t, page))[0]
			if len(next) <= len(page) {
				t.Fatalf("%s leads back to %s", page, next)
			}
			page = next
		}
		page = host + "/" + trapCalendar
		seen := map[string]bool{}
		for range 30 {
			l := links(t, page, c.get(t, page))
			page = l[len(l)-1]
			if seen[page] {
				t.Fatalf("the calendar comes back to %s", page)
			}
			seen[page] = true
		}
	})
	s := made(t, "phpbb", "prosilver", Options{Traps: true, Posts: 20})
	c := newClient(s, false)
	one := firstLink(t, c, host+"/", "viewforum.php")
	if two := firstLink(t, c, one, "index.php"); sidOf(t, one) == sidOf(t, two) {
		t.Errorf("a client without cookies keeps its session id although traps are on: %s, then %s", one, two)
	}
}

// firstLink is the first link of a page that contains part.
func firstLink(t *testing.T, c *client, page, part string) string {
	t.Helper()
	for _, l := range links(t, page, c.get(t, page)) {
		if strings.Contains(l, part) {
			return l
		}
	}
	t.Fatalf("%s has no link with %s", page, part)
	return ""
}

func sidOf(t *testing.T, link string) string {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("sid")
}

func TestEveryKindOfContentOccurs(t *testing.T) {
	all(t, Options{Seed: 1, Posts: 1500}, func(t *testing.T, s *Site) {
		pictures, replies, pingbacks, hidden, several, guests := 0, 0, 0, 0, 0, 0
		for o := range s.Objects(host) {
			body := o.Class == "sioc:Post" || o.Class == "sioct:BlogPost"
			switch {
			case body && o.Content == "" && !o.Hidden:
				pictures++
			case o.Hidden:
				hidden++
			}
			if o.ReplyTo != "" {
				replies++
			}
			if o.Pingback {
				pingbacks++
			}
			if len(o.More) > 0 {
				several++
			}
			if o.Creator == "Guest" || o.Creator == "Anonymous" {
				guests++
			}
		}
		if pictures == 0 || several == 0 || guests == 0 {
			t.Errorf("posts with only a picture %d, over several pages %d, by guests %d", pictures, several, guests)
		}
		if s.cms == "wordpress" && (replies == 0 || pingbacks == 0 || hidden != 1) {
			t.Errorf("replies %d, pingbacks %d, behind a password %d", replies, pingbacks, hidden)
		}
	})
}
