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
				objects, _ := read(t, d, write(5, 2, 6))
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
