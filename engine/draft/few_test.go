package draft

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

var names = []string{"marta", "olle", "chen", "ruth"}

// few are templates whose posts are told by other things than classes.
var few = map[string]func(thread, n int) string{
	"numbered ids": func(thread, n int) string {
		return fmt.Sprintf(`<table id="post%d"><tr><td>%s<td><a class="poster" href="/u/%[3]s">%[3]s</a>`+
			`<td><div id="post_message_%[1]d">%[4]s</div></table>`,
			100*thread+n, day(thread, n), names[(thread+n)%4], said(thread, n))
	},
	"attributes of scripts": func(thread, n int) string {
		return fmt.Sprintf(`<div component="post" id="p%d"><b itemprop="author">%s</b><i component="post/time">%s</i>`+
			`<div component="post/content">%s</div></div>`,
			100*thread+n, names[(thread+n)%4], day(thread, n), said(thread, n))
	},
	"spaces around classes": func(thread, n int) string {
		return fmt.Sprintf("<div class=\"\n\tpost\n\" id=\"p%d\"><b class=author>%s</b><i>%s</i><p class=\"text\n\">%s</p></div>",
			100*thread+n, names[(thread+n)%4], day(thread, n), said(thread, n))
	},
	"one author": func(thread, n int) string {
		return fmt.Sprintf(`<div class="post" id="p%d"><b class="username">marta</b><i>%s</i><u>Reply to:</u><p class="text">%s</p></div>`,
			100*thread+n, day(thread, n), said(thread, n))
	},
}

// dayOf is the day of posts of a thread: that of the first thread alone proves the order of numbers.
func dayOf(thread int) int {
	if thread == 1 {
		return 14
	}
	return 2 + thread
}

func day(thread, n int) string {
	return fmt.Sprintf("%02d-%02d-2023, 0%d:15 PM", 3+n, dayOf(thread), n+1)
}

// TestFewPostsAreFound: pages with two posts, and several with one each, are enough for a draft that finds those of other pages.
func TestFewPostsAreFound(t *testing.T) {
	for template, post := range few {
		for _, c := range []struct{ pages, posts int }{{1, 2}, {2, 1}, {3, 1}} {
			if template == "one author" && c.pages > 1 {
				continue // one post a page is too little to tell the name from the label beside it
			}
			t.Run(fmt.Sprint(template, " ", c), func(t *testing.T) {
				write := func(from, pages, posts int) (out []*Page) {
					bodies := map[string]string{}
					for thread := from; thread < from+pages; thread++ {
						body := `<h1>Topic ` + string(rune('A'+thread)) + `</h1>`
						for n := range posts {
							body += post(thread, n)
						}
						bodies[fmt.Sprintf("/topic/%d/", thread)] = body
					}
					return pagesOf(t, bodies)
				}
				d, err := Make("board", write(1, c.pages, c.posts), &url.URL{Scheme: "http", Host: "board.example", Path: "/"}, 1)
				if err != nil {
					t.Fatal(err)
				}
				objects, _, _ := read(t, d, write(5, 2, 6))
				found := strings.Join(objects, "\n")
				for thread := 5; thread < 7; thread++ {
					for n := range 6 {
						who := names[(thread+n)%4]
						if template == "one author" {
							who = "marta"
						}
						if want := fmt.Sprintf("sioc:Post %s 2023-%02d-%02dT%d:15:00 %s", who, 3+n, dayOf(thread), 13+n,
							strings.TrimSpace(said(thread, n))); !strings.Contains(found, want) {
							t.Fatalf("not found: %s\nin %s\nby %s", want, found, d.XML)
						}
					}
				}
			})
		}
	}
}

// TestListsBesidePagesOfThreads: a list leads to its threads also where links to their further
// pages stand beside the titles.
func TestListsBesidePagesOfThreads(t *testing.T) {
	bodies := map[string]string{}
	list := ""
	for thread := 1; thread < 9; thread++ {
		further := ""
		if thread%2 == 0 {
			further = fmt.Sprintf(`<span class="more"><a href="/topic/%d?page=1">1</a><a href="/topic/%[1]d?page=2">2</a></span>`, thread)
		}
		list += fmt.Sprintf(`<div class="row"><div class="title"><a href="/topic/%d-about-%c">About</a>%s</div></div>`,
			thread, 'a'+rune(thread), further)
	}
	bodies["/forum/2-boats"] = list
	for thread := 1; thread < 3; thread++ {
		body := `<h1>Topic</h1>`
		for n := range 3 {
			body += few["spaces around classes"](thread, n)
		}
		bodies[fmt.Sprintf("/topic/%d-about-%c", thread, 'a'+rune(thread))] = body
	}
	d, err := Make("board", pagesOf(t, bodies), &url.URL{Scheme: "http", Host: "board.example", Path: "/"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(d.XML), `<follow to="thread">`) {
		t.Errorf("no way from the list to the threads:\n%s", d.XML)
	}
}
