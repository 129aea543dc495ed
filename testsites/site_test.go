package testsites

import (
	"net/http"
	"strings"
	"testing"
)

const host = "http://site.test"

// all makes each kind of site.
func all(t *testing.T, o Options, test func(t *testing.T, s *Site)) {
	for _, n := range Names() {
		t.Run(n.CMS+"-"+n.Template, func(t *testing.T) {
			s, err := New(n.CMS, n.Template, o)
			if err != nil {
				t.Fatal(err)
			}
			test(t, s)
		})
	}
}

// onPage is the text of a page as a reader compares it: without markup, white space collapsed.
func onPage(body string) string { return strings.Join(strings.Fields(textOf(cutScripts(body))), " ") }

func cutScripts(s string) string {
	for _, tag := range []string{"script", "style"} {
		for {
			i := strings.Index(s, "<"+tag)
			if i < 0 {
				break
			}
			j := strings.Index(s[i:], "</"+tag+">")
			if j < 0 {
				return s
			}
			s = s[:i] + s[i+j+len(tag)+3:]
		}
	}
	return s
}

func TestEachTrueURLAnswersWithItsContent(t *testing.T) {
	all(t, Options{Seed: 4, Posts: 400}, func(t *testing.T, s *Site) {
		c := newClient(s, true)
		texts := map[string]string{}
		text := func(u string) string {
			if _, ok := texts[u]; !ok {
				a := c.get(t, u)
				if a.status != http.StatusOK {
					t.Errorf("%s: status %d", u, a.status)
				}
				texts[u] = onPage(utf8Of(a))
			}
			return texts[u]
		}
		truth := s.Truth(host)
		seen := map[string]bool{}
		for _, p := range truth.Pages {
			if seen[p.URL] {
				t.Errorf("%s is listed twice", p.URL)
			}
			seen[p.URL] = true
			text(p.URL)
		}
		ids := map[string]bool{}
		for _, o := range truth.Objects {
			if ids[o.Class+o.ID] {
				t.Errorf("%s %s is listed twice", o.Class, o.ID)
			}
			ids[o.Class+o.ID] = true
			if !seen[o.URL] {
				t.Errorf("%s %s is on %s, which is not a canonical page", o.Class, o.ID, o.URL)
			}
			page := text(o.URL)
			for _, u := range o.More {
				page += " " + text(u)
			}
			facts := append(strings.Split(o.Content, "\n"), o.Creator)
			if o.Title != "" {
				facts = append(facts, o.Title)
			}
			for _, fact := range facts {
				if fact = strings.Join(strings.Fields(fact), " "); !strings.Contains(page, fact) {
					t.Errorf("%s %s: %s does not show %q", o.Class, o.ID, o.URL, fact)
				}
			}
		}
	})
}

// utf8Of decodes the pages of vBulletin, which are Latin 1 with numbered characters.
func utf8Of(a answer) string {
	if !strings.Contains(a.contentType, "8859-1") {
		return a.body
	}
	r := make([]rune, len(a.body))
	for i := range len(a.body) {
		r[i] = rune(a.body[i])
	}
	return string(r)
}

func TestSameSeedSameBytes(t *testing.T) {
	all(t, Options{Seed: 9, Posts: 60}, func(t *testing.T, s *Site) {
		again, err := New(s.cms, s.template, s.o)
		if err != nil {
			t.Fatal(err)
		}
		other, err := New(s.cms, s.template, Options{Seed: 10, Posts: 60})
		if err != nil {
			t.Fatal(err)
		}
		differs := false
		c, d, e := newClient(s, true), newClient(again, true), newClient(other, true)
		for _, p := range append(s.Truth(host).Pages, Page{URL: host + "/"}) {
			one, two := c.get(t, p.URL), d.get(t, p.URL)
			if one.body != two.body {
				t.Errorf("%s differs between two sites of one seed", p.URL)
			}
			differs = differs || one.body != e.get(t, p.URL).body
		}
		if !differs {
			t.Error("another seed gives the same site")
		}
	})
}

func TestPostsSaysHowMany(t *testing.T) {
	for _, n := range []int{10, 150, 3000} {
		all(t, Options{Posts: n}, func(t *testing.T, s *Site) {
			count := s.Truth(host).Count()
			got := count["sioc:Post"] + count["sioct:BlogPost"] + count["sioct:Comment"]
			if got < n*8/10 || got > n*12/10+5 {
				t.Errorf("asked for %d posts, got %d: %v", n, got, count)
			}
		})
	}
}

func TestBlindWalkEnds(t *testing.T) {
	all(t, Options{Seed: 2, Posts: 80}, func(t *testing.T, s *Site) {
		seen, via := walk(t, newClient(s, true), host+"/", 20_000)
		for u, a := range seen {
			if a.status >= 400 && !deadOnPurpose(u) {
				t.Errorf("status %d: %s, linked from %s", a.status, u, via[u])
			}
		}
		canonical := s.Truth(host).Pages
		if len(seen) < 4*len(canonical) {
			t.Errorf("only %d URLs for %d canonical pages: too little noise", len(seen), len(canonical))
		}
		t.Logf("%d URLs, %d canonical pages", len(seen), len(canonical))
		for _, p := range canonical {
			if _, ok := seen[p.URL]; !ok {
				t.Errorf("no link leads to the canonical page %s", p.URL)
			}
		}
	})
}

// Without cookies each link that carries no session id opens a new session, and with it the whole board once more under
// new addresses: many, but not without end. vBulletin's board has the same sessions and ten times the addresses.
func TestBlindWalkWithoutCookiesEndsToo(t *testing.T) {
	all(t, Options{Seed: 2, Posts: 10}, func(t *testing.T, s *Site) {
		if s.cms == "vbulletin" {
			t.Skip("takes too long to be worth it")
		}
		seen, _ := walk(t, newClient(s, false), host+"/", 10_000)
		t.Logf("%d URLs, %d canonical pages", len(seen), len(s.Truth(host).Pages))
	})
}

// deadOnPurpose lists what the real software also refuses to a guest who follows each link.
func deadOnPurpose(u string) bool {
	for _, part := range []string{"/report", "mode=email", "view=next", "view=previous", "xmlrpc.php", "wp-comments-post.php", "goto=next",
		"sendmessage", "wp-json/wp/v2/users"} {
		if strings.Contains(u, part) {
			return true
		}
	}
	return false
}
