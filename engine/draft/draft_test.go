package draft

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// pagesOf makes pages of addresses and what is in their bodies.
func pagesOf(t *testing.T, bodies map[string]string) (pages []*Page) {
	t.Helper()
	for address, body := range bodies {
		u, err := url.Parse("http://board.example" + address)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(body, "</h1>")
		_, title, _ = strings.Cut(title, "<h1>")
		doc, err := html.Parse(strings.NewReader(`<html lang="en"><title>` + title + ` - Board</title><body><ul class="menu">` +
			`<li><a href="/">Home</a>` +
			`<li><a href="/user/login/">Log in</a></ul>` + body))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, &Page{Doc: doc, URL: u, Captured: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	}
	return pages
}

// said is a text that no other call with other numbers gives.
func said(thread, n int) string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "w%c%c%c ", 'a'+(thread*7+i)%26, 'a'+(n*5+i*i)%26, 'a'+(thread+n+3*i)%26)
	}
	return b.String()
}

// comment follows a template of Spirit 0.14: the date is in brief, its title in full, ids are those of one page.
func comment(thread, n int) string {
	name := []string{"marta", "olle", "chen", "ruth"}[(thread+n)%4]
	return fmt.Sprintf(`<div class="comments_list__comment js-comment" id="c%d" data-pk="%d"><div class="comment__info">
<div class="comment__info__username"><a class="comment__info__username__link" href="/user/%s/"><span>%[3]s</span></a></div>
<ul class="comment__info__date js-list"><li title="Aug. %d, 2023, %d:16 a.m.">%[4]d Aug &#x27;23</li></ul></div>
<div class="comment__text js-comment-text"><p>%[6]s</p></div>
<div class="comment__footer"><a class="js-tab" href="#">share</a></div></div>`, n, 100*thread+n, name, 1+thread, 1+n, said(thread, n))
}

// read reads pages by a draft: their objects, links, and the changes that they report of other pages.
func read(t *testing.T, d *Draft, pages []*Page) (objects []string, links map[string]int, changes []string) {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "draft.xml", Data: d.XML})
	if err != nil {
		t.Fatalf("%v\n%s", err, d.XML)
	}
	links = map[string]int{}
	for _, page := range pages {
		text, err := render(page.Doc)
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Inspect(detect.New(base), engine.Answer{URL: page.URL, Status: 200, HTML: text, Charset: "utf-8"}, engine.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.Harvest.Objects {
			objects = append(objects, fmt.Sprint(o.Class, " ", o.Value("creator"), " ", o.Value("created"), " ", o.Value("content")))
		}
		for _, l := range p.Harvest.Links {
			links[l.URL]++
		}
		for _, c := range p.Harvest.Changes {
			changes = append(changes, c.URL+" "+c.Time.Format("2006-01-02 15:04"))
		}
	}
	return objects, links, changes
}

// TestPostsAreFound: of the pages of a board whose dates are in brief and whose ids repeat from page to page the posts are found, and what
// leads to them, though the crawl began elsewhere.
func TestPostsAreFound(t *testing.T) {
	for _, at := range []string{"/", "/topics/"} {
		t.Run(at, func(t *testing.T) { testPosts(t, at) })
	}
}

func testPosts(t *testing.T, topics string) {
	bodies, want := map[string]string{}, map[string]bool{}
	list := `<h1>Topics</h1><section class="pinned"><b>Read first:</b> ` +
		`<a class="topic__title" href="/topic/0/what-was-said-here/">Topic A</a></section>`
	for thread := range 8 {
		at := fmt.Sprintf("/topic/%d/what-was-said-here/", thread)
		first, second := `<h1>Topic `+string(rune('A'+thread))+`</h1>`, `<h1>Topic `+string(rune('A'+thread))+`</h1>`
		for n := range 6 {
			if n < 4 {
				first += comment(thread, n)
			} else {
				second += comment(thread, n)
			}
			want[strings.TrimSpace(fmt.Sprintf("sioc:Post %s 2023-08-%02dT%02d:16:00 %s",
				[]string{"marta", "olle", "chen", "ruth"}[(thread+n)%4], 1+thread,
				1+n, said(thread, n)))] = true
		}
		pager := `<ul class="paginator"><li class="paginator__button"><a href="?page=%d">%[1]d</a></ul>`
		bodies[at], bodies[at+"?page=2"] = first+fmt.Sprintf(pager, 2), second+fmt.Sprintf(pager, 1)
		list += fmt.Sprintf(`<div class="row"><a class="topic__title" href="%s">Topic %c</a> <a href="/user/marta/">marta</a>
<span class="begun">2023-08-01</span> <span class="active" title="2023-08-%02d 06:16">in August</span></div>`, at, 'A'+thread, 1+thread)
	}
	bodies["/"] = `<h1>Welcome</h1><p>Please read our <a href="/rules/">rules</a>. <a href="/topics/">Topics</a> are public.</p>`
	bodies["/rules/"] = `<h1>Rules</h1><p>Be kind.</p>`
	bodies[topics] = list
	pages := pagesOf(t, bodies)
	d, err := Make("board", pages, pages[0].URL.ResolveReference(&url.URL{Path: "/"}), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d.Posts != 48 || d.Whole != 48 {
		t.Errorf("%d posts, %d whole, want 48\n%s", d.Posts, d.Whole, d.XML)
	}
	objects, links, changes := read(t, d, pages)
	got := 0
	for _, o := range objects {
		if want[strings.TrimSpace(o)] {
			got++
		} else if !strings.HasPrefix(o, "sioc:Thread") {
			t.Errorf("found %q", o)
		}
	}
	if got != 48 {
		t.Errorf("%d of 48 posts are right\n%s", got, d.XML)
	}
	for thread := range 8 {
		if u := fmt.Sprintf("http://board.example/topic/%d/what-was-said-here/", thread); links[u] == 0 || links[u+"?page=2"] == 0 {
			t.Errorf("nothing leads to %s and its further page: %v", u, links)
		}
	}
	if first := "http://board.example/topic/0/what-was-said-here/ 2023-08-01 06:16"; len(changes) != 8 || !slices.Contains(changes, first) {
		t.Errorf("the list reports the changes %q\n%s", changes, d.XML)
	}
	if topics != "/" && links["http://board.example/topics/"] == 0 {
		t.Errorf("nothing leads from the first page to the list\n%s", d.XML)
	}
}

// TestArticlesAreFound: of a blog whose articles have further pages of comments and pages of pictures, and a menu with much text, the text
// alone is taken, and what leads to further pages of comments.
func TestArticlesAreFound(t *testing.T) {
	bodies, articles := map[string]string{}, map[string]bool{}
	list := `<h1>All</h1>`
	menu := `<div class="aside"><p>` + strings.Repeat("The same is said beside each article. ", 40) + `</p></div>`
	for n := range 8 {
		at := fmt.Sprintf("/2021/03/%02d/from-river-to-orchard/", n+1)
		articles[strings.TrimSpace(strings.Repeat(said(n, 99), 4))] = true
		page := func(first int) string {
			var comments strings.Builder
			for i := first; i < first+3; i++ {
				fmt.Fprintf(&comments, `<li class="comment" id="comment-%d"><b class="fn">%s</b>
<time datetime="2021-03-%02dT1%d:00:00+00:00">March</time>
<div class="comment-content"><p>%s</p></div></li>`, 100*n+i, []string{"marta", "olle", "chen"}[(n+i)%3], 10+n, i, said(n, i))
			}
			picture, pager := "", ""
			if n < 2 {
				pager = fmt.Sprintf(`<div class="nav-links"><a class="page-numbers" href="%scomment-page-2/">2</a></div>`, at)
			}
			if n == 0 {
				picture = fmt.Sprintf(`<figure class="wp-block-image"><a href="%sapple-%d/">picture</a></figure>`, at, 1000+n)
			}
			return fmt.Sprintf(`<h1>River %c</h1><div class="site-content">%s<div class="entry-content"><p>%s</p>%s</div><ol>%s</ol>%s
</div>`,
				'A'+n, menu, strings.Repeat(said(n, 99), 4), picture, comments.String(), pager)
		}
		if bodies[at] = page(0); n < 2 {
			bodies[at+"comment-page-2/"] = page(3)
		}
		list += fmt.Sprintf(`<h2 class="entry-title"><a href="%s">River %c</a></h2>`, at, 'A'+n)
	}
	bodies["/2021/03/01/from-river-to-orchard/apple-1000/"] = `<h1>Apple</h1><div class="site-content"></div>`
	bodies["/"] = list
	pages := pagesOf(t, bodies)
	if len(articles) != 8 {
		t.Fatalf("%d articles", len(articles))
	}
	d, err := Make("blog", pages, pages[0].URL.ResolveReference(&url.URL{Path: "/"}), 3)
	if err != nil {
		t.Fatal(err)
	}
	objects, links, _ := read(t, d, pages)
	comments := 0
	for _, o := range objects {
		switch {
		case strings.HasPrefix(o, "sioct:Comment"):
			comments++
		case !articles[o[max(0, strings.Index(o, " w")+1):]]:
			t.Errorf("an article is %q", o)
		}
	}
	if comments != 30 {
		t.Errorf("%d comments, want 30\n%s", comments, d.XML)
	}
	if links["http://board.example/2021/03/01/from-river-to-orchard/comment-page-2/"] == 0 ||
		links["http://board.example/2021/03/01/from-river-to-orchard/apple-1000/"] > 0 {
		t.Errorf("further pages are %v\n%s", links, d.XML)
	}
}

// TestTextsWithoutAnElement: of a blog by a template of Mezzanine 6.1 the article stands beside its comments in the element of the page,
// its date stands in bare text, and some titles in addresses have two words only.
func TestTextsWithoutAnElement(t *testing.T) {
	bodies, want := map[string]string{}, map[string]bool{}
	list := `<h1>Blog</h1><div class="col middle">`
	names := []string{"marta", "olle", "chen"}
	for n := range 12 {
		at := fmt.Sprintf("/blog/of-rivers-and-%c-orchards/", 'a'+n)
		if n%4 == 0 {
			at = fmt.Sprintf("/blog/orchards-%c/", 'a'+n)
		}
		author, text := names[n%3], strings.TrimSpace(strings.Repeat(said(n, 99), 4))
		want[fmt.Sprintf("sioct:BlogPost %s %s", author, text)] = true
		var comments strings.Builder
		for i := range n % 4 {
			fmt.Fprintf(&comments, `<div id="comment-%d" class="comment media"><div class="media-body"><h4 class="media-heading">%s
<small class="timespan">1%d March 2024, 10:15</small></h4><p>%s</p><a class="reply" href="#reply">Reply</a></div></div>`, 10*n+i,
				names[(n+i)%3], i+1, said(n, i))
			want["sioct:Comment "+names[(n+i)%3]+" "+strings.TrimSpace(said(n, i))] = true
		}
		bodies[at] = fmt.Sprintf(`<h1>Rivers %c</h1><div class="col middle"><h6 class="post-meta">Posted by:
<a href="/blog/author/%s/">%[2]s</a>
%d years, 2 months ago</h6><p>%s</p><div class="rating"><form><input type="submit"> Rate it</form></div><ul class="pager"><li>
<a href="/blog/orchards-a/">Orchards</a></ul><div id="comments"><h3>Comments</h3>%s</div></div>`, 'A'+n, author, 1+n%3, text,
			comments.String())
		list += fmt.Sprintf(`<h2 class="title"><a href="%s">Rivers %c</a></h2>`, at, 'A'+n)
	}
	bodies["/blog/"] = list + `</div>`
	pages := pagesOf(t, bodies)
	d, err := Make("blog", pages, pages[0].URL.ResolveReference(&url.URL{Path: "/blog/"}), 3)
	if err != nil {
		t.Fatal(err)
	}
	objects, links, _ := read(t, d, pages)
	for _, o := range objects {
		parts := strings.SplitN(o, " ", 4)
		if got := strings.TrimSpace(strings.Join([]string{parts[0], parts[1], parts[3]}, " ")); !want[got] {
			t.Errorf("found %q", got)
		}
	}
	if len(objects) != len(want) {
		t.Errorf("%d articles and comments, want %d\n%s", len(objects), len(want), d.XML)
	}
	for at := range bodies {
		if at != "/blog/" && links["http://board.example"+at] == 0 {
			t.Errorf("nothing leads to %s", at)
		}
	}
}

// TestWikisGetASkeleton: articles with links to edit them, whose titles are of one word and of several,
// are drafted as a wiki, whose articles lead to each other.
func TestWikisGetASkeleton(t *testing.T) {
	bodies := map[string]string{}
	name := func(n int) string {
		if n%3 == 0 {
			return fmt.Sprintf("Orchard%c", 'A'+n)
		}
		return fmt.Sprintf("Of-rivers-and-%c-orchards", 'a'+n)
	}
	const articles = 12
	for n := range articles {
		bodies["/wiki/"+name(n)] = fmt.Sprintf(`<h1>Rivers %c</h1><div class="text"><p>%s <a href="/wiki/%s">one</a> %s
			<a href="/wiki/%s">another</a></p></div><ul class="tools"><li><a href="/wiki/%s?action=edit">Edit</a></ul>
			<p class="changed">Changed on <b class="when">%d March 2024, 10:15</b></p>`,
			'A'+n, said(n, 1), name((n+1)%articles), strings.Repeat(said(n, 2), 3), name((5*n)%articles), name(n), n+1)
	}
	pages := pagesOf(t, bodies)
	first := pages[0].URL.ResolveReference(&url.URL{Path: "/wiki/" + name(0)})
	d, err := Make("wiki", pages, first, 3)
	if err != nil {
		t.Fatal(err)
	}
	objects, links, _ := read(t, d, pages)
	if len(objects) != articles || d.Posts != articles || d.Whole != articles || d.Lists != 1 {
		t.Errorf("%d articles, %d of %d whole, %d lists\n%s", len(objects), d.Whole, d.Posts, d.Lists, d.XML)
	}
	for _, o := range objects {
		if !strings.HasPrefix(o, "sioct:WikiArticle ") || !strings.Contains(o, "another") {
			t.Errorf("found %q", o)
		}
	}
	for n := range articles {
		if u := "http://board.example/wiki/" + name(n); links[u] == 0 {
			t.Errorf("nothing leads to %s", u)
		}
	}
}

// TestBylines: authors who say something of themselves are named elsewhere than others, behind a word.
func TestBylines(t *testing.T) {
	bodies, list := map[string]string{}, `<h1>All</h1>`
	names := []string{"Jonas Finch", "Marta Brook", "Ruth Alder", "Edda Holm"}
	for n := range 16 {
		name := names[n%4]
		by := `<div class="author-bio"><h2 class="author-title">
			By ` + name + `			</h2><p class="author-description">` + strings.Repeat("Who reads this knows me. ", 9) + `</p></div>`
		if name == "Edda Holm" {
			by = `<span class="byline">By <a href="/author/admin/" rel="author">Edda Holm</a></span>`
		}
		at := fmt.Sprintf("/2021/03/%02d/from-river-to-orchard/", n+1)
		bodies[at] = fmt.Sprintf(`<h1>River %c</h1><div class="entry-content"><p>%s</p></div><footer><time
			datetime="2021-03-%02dT10:00:00Z">March</time>%s</footer><ul><li><span class="comment-author-link">Orla</span></ul>`,
			'A'+n, strings.Repeat(said(n, 99), 4), n+1, by)
		list += fmt.Sprintf(`<h2 class="entry-title"><a href="%s">River %c</a></h2>`, at, 'A'+n)
	}
	bodies["/"] = list
	pages := pagesOf(t, bodies)
	d, err := Make("blog", pages, pages[0].URL.ResolveReference(&url.URL{Path: "/"}), 3)
	if err != nil {
		t.Fatal(err)
	}
	objects, _, _ := read(t, d, pages)
	by := map[string]int{}
	for _, o := range objects {
		for _, name := range names {
			if strings.HasPrefix(o, "sioct:BlogPost "+name+" 2021-03-") {
				by[name]++
			}
		}
	}
	for _, name := range names {
		if by[name] != 4 {
			t.Fatalf("articles by author %v\n%s", by, d.XML)
		}
	}
}

// TestListsThatShowAnArticle: by a template of Pelican 4 the first page of lists shows an article whole, articles have links in an element
// that lists have, too, and further pages of lists are files of their own.
func TestListsThatShowAnArticle(t *testing.T) {
	bodies, authors := map[string]string{}, []string{"Anna Berg", "Tom Lund", "Mia Falk"}
	at := func(n int) string {
		if n == 7 {
			return "/2021/oars.html" // a title, too
		}
		return fmt.Sprintf("/%d/what-was-said-%c.html", 2020+n%3, 'a'+n)
	}
	article := func(n int) string {
		return fmt.Sprintf(`<h1 class="entry-title"><a href="%s">Article %c</a></h1><div class="entry-content"><footer class="post-info">
<abbr class="published" title="2020-03-%02dT10:00:00+00:00">March</abbr>
<address>By <a class="url fn" href="/author/%d.html">%s</a></address></footer><p>%s</p></div>`, at(n), 'A'+n, n+1, n%3, authors[n%3],
			strings.Repeat(said(n, 99), 4))
	}
	list := func(which []int, pages string) string {
		items := ""
		for _, n := range which[1:] {
			items += fmt.Sprintf(`<li><p>%s</p><a class="readmore" href="%s">read more</a>`, said(n, 99)[:40], at(n))
		}
		return `<aside class="body">` + article(which[0]) + `</aside><section class="body"><ol>` + items +
			`</ol><p class="paginator">` + pages + `</p></section>`
	}
	for n := range 24 {
		bodies[at(n)] = `<section class="body">` + article(n) + `</section>`
	}
	next := func(to ...int) (links string) {
		for _, n := range to {
			links += fmt.Sprintf(`<a href="/index%d.html">%[1]d</a> `, n)
		}
		return links
	}
	bodies["/"] = list([]int{0, 1, 2, 3, 4, 5}, next(2, 4))
	bodies["/index2.html"] = list([]int{6, 7, 8, 9, 10, 11}, next(3, 4))
	bodies["/index3.html"] = list([]int{12, 13, 14, 15, 16, 17}, next(2, 4))
	bodies["/index4.html"] = list([]int{18, 19, 20, 21, 22, 23}, next(3, 2))
	pages := pagesOf(t, bodies)
	d, err := Make("blog", pages, pages[0].URL.ResolveReference(&url.URL{Path: "/"}), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d.Posts != 24 || d.Whole != 24 {
		t.Errorf("%d articles, %d whole, want 24\n%s", d.Posts, d.Whole, d.XML)
	}
	if _, links, _ := read(t, d, pages); links["http://board.example/index3.html"] == 0 {
		t.Errorf("nothing leads to a further page of lists: %v\n%s", links, d.XML)
	}
}
