package draft

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

func TestForms(t *testing.T) {
	for address, want := range map[string]string{
		"/show.php?tid=5&page=2":                   "/show.php?page=#&tid=#",
		"/index.php?topic=5.15":                    "/index.php?topic=#.#",
		"/index.php?topic=5.msg42":                 "/index.php?topic=#.msg#",
		"/index.php?action=profile;u=7":            "/index.php?action=profile;u=#",
		"/topic/10-bilge-rib-ash":                  "/topic/#-*",
		"/forum/2-boats":                           "/forum/#-*",
		"/threads/what-was-said.123/":              "/threads/*.#/",
		"/thread-5-2.html":                         "/thread-#-#.html",
		"/search?sid=6b06aa181087c7dbb162651a9561": "/search?sid=*",
		"/2021/03/from-river-to-orchard/":          "/#/#/*/",
	} {
		u, err := url.Parse("http://h" + address)
		if err != nil {
			t.Fatal(err)
		}
		if got := addressOf(u); string(got.form) != want {
			t.Errorf("%s is of the form %s, want %s", address, got.form, want)
		}
	}
}

// TestFormsHaveTheirValues: a form has as many signs as an address has values, also where the address has these signs, or is cut.
func TestFormsHaveTheirValues(t *testing.T) {
	for _, address := range []string{"/what*is/5", "/a?x*=12&y=*", "/%23/7",
		"/list?" + strings.Repeat("id=1234&", 100), "/a/?s=" + strings.Repeat("é", 300)} {
		u, err := url.Parse("http://h" + address)
		if err != nil {
			t.Fatal(err)
		}
		a := addressOf(u)
		if a.form.values() != len(a.values) || len(a.form) > maxForm {
			t.Errorf("%s: %d values of %s", address, len(a.values), a.form)
		}
	}
}

// boardOf makes the pages of a board whose threads have addresses that a function gives: of page n,
// from 0, or of a post.
func boardOf(t *testing.T, thread func(id, page int) string, post func(id, n int) string) []*Page {
	bodies := map[string]string{}
	list := ""
	for id := 1; id < 9; id++ {
		for page := range 2 {
			body := fmt.Sprintf(`<h1>Topic %c</h1>`, 'A'+id)
			for n := range 4 {
				body += few["numbered ids"](id, 4*page+n)
			}
			body += fmt.Sprintf(`<p class="pages"><a href="%s">1</a><a href="%s">2</a></p>`, thread(id, 0), thread(id, 1))
			bodies[thread(id, page)] = body
			bodies[post(id, 4*page)] = body
		}
		list += fmt.Sprintf(`<p class="row"><a href="%s">Topic %c</a> <i><a href="/go?last=1&tid=%d">last</a></i></p>`,
			thread(id, 0), 'A'+id, id)
	}
	bodies["/"] = list
	pages := pagesOf(t, bodies)
	for id := 1; id < 9; id++ {
		from, err := url.Parse(fmt.Sprintf("http://board.example/go?last=1&tid=%d", id))
		if err != nil {
			t.Fatal(err)
		}
		to, err := from.Parse(thread(id, 1))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, &Page{URL: from, To: to})
	}
	return pages
}

// TestOtherAddressesOfThreads: addresses of posts, and redirects to the last page, are other
// addresses of a thread; further pages are parts of it.
func TestOtherAddressesOfThreads(t *testing.T) {
	for name, c := range map[string]struct {
		thread func(id, page int) string
		post   func(id, n int) string
	}{
		"parameters": {
			func(id, page int) string {
				if page == 0 {
					return fmt.Sprintf("/show?tid=%d", id)
				}
				return fmt.Sprintf("/show?tid=%d&page=%d", id, page+1)
			},
			func(id, n int) string { return fmt.Sprintf("/show?tid=%d&pid=%d", id, 100*id+n) },
		},
		"two numbers": {
			func(id, page int) string { return fmt.Sprintf("/index?topic=%d.%d", id, 4*page) },
			func(id, n int) string { return fmt.Sprintf("/index?topic=%d.msg%d", id, 100*id+n) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Make("board", boardOf(t, c.thread, c.post), &url.URL{Scheme: "http", Host: "board.example", Path: "/"}, 3)
			if err != nil {
				t.Fatal(err)
			}
			base, err := kb.Load(kb.Source{Name: "draft.xml", Data: d.XML})
			if err != nil {
				t.Fatal(err)
			}
			rules := base.Types[0].URLs
			object := func(address string) string {
				u, err := url.Parse("http://board.example" + address)
				if err != nil {
					t.Fatal(err)
				}
				return rules.ObjectKey(u)
			}
			want := object(c.thread(70, 0))
			for _, address := range []string{c.thread(70, 1), c.post(70, 3), "/go?last=1&tid=70", "/go?tid=70&last=1"} {
				if got := object(address); got != want {
					t.Errorf("%s is of %s, want %s\n%s", address, got, want, d.XML)
				}
			}
			if object(c.thread(71, 0)) == want || d.Posts != 64 || d.Lists == 0 {
				t.Errorf("%d posts, want 64; %d lists\n%s", d.Posts, d.Lists, d.XML)
			}
		})
	}
}
