package testsites

import (
	"iter"
	"strings"
)

func (w *wordpress) pages(root string) iter.Seq[Page] {
	return func(yield func(Page) bool) {
		for n := range pagesOf(w.b.posts(), perPage) {
			u := root + "/"
			if n > 0 {
				u += "page/" + itoa(n+1) + "/"
			}
			if !yield(Page{u, "home"}) {
				return
			}
		}
		for i := range w.b.posts() {
			for _, u := range w.postURLs(i, root) {
				if !yield(Page{u, "post"}) {
					return
				}
			}
		}
		for i := range w.b.statics {
			if !yield(Page{root + "/" + pathEscape(w.b.statics[i].slug) + "/", "page"}) {
				return
			}
		}
	}
}

// postURLs are the pages of a post: its own, its further parts, those of its further comments.
func (w *wordpress) postURLs(i int, root string) []string {
	link := root + w.permalink(i)
	urls := []string{link}
	for n := 2; n <= len(w.content(i, root)); n++ {
		urls = append(urls, link+itoa(n)+"/")
	}
	pages := pagesOf(len(threads(w.b.commentsOf(i))), perCommentPage)
	for n := 1; n <= pages; n++ {
		if u := root + w.commentPagePath(i, n, pages); u != link {
			urls = append(urls, u)
		}
	}
	return urls
}

func (w *wordpress) objects(root string) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for i := range w.b.posts() {
			if !yield(w.postObject(i, root)) {
				return
			}
		}
		for i := range w.b.statics {
			s := &w.b.statics[i]
			if !yield(Object{Class: "schema:WebPage", ID: itoa(s.id), URL: root + "/" + pathEscape(s.slug) + "/", Title: s.title,
				Content: textOf(w.b.staticBody(s))}) {
				return
			}
		}
		for i := range w.b.posts() {
			if !w.commentObjects(i, root, yield) {
				return
			}
		}
	}
}

func (w *wordpress) postObject(i int, root string) Object {
	o := Object{Class: "sioct:BlogPost", ID: itoa(postID(i)), URL: root + w.permalink(i), Title: w.b.title(i), Creator: w.b.author(i).name,
		Created: w.b.time(i).Format("2006-01-02T15:04:05"), Hidden: i == w.b.protected(w.b.posts())}
	if !w.modern {
		o.Created = w.b.time(i).Format("2006-01-02T15:04") // the day in the text, the clock in a title attribute
	}
	if o.Hidden {
		return o
	}
	body := w.content(i, root)
	o.Content = textOf(strings.Join(body, "<br>"))
	for n := 2; n <= len(body); n++ {
		o.More = append(o.More, o.URL+itoa(n)+"/")
	}
	return o
}

// commentObjects yields the comments of a post; false when the receiver has enough.
func (w *wordpress) commentObjects(i int, root string, yield func(Object) bool) bool {
	list := w.b.commentsOf(i)
	top := threads(list)
	pages := pagesOf(len(top), perCommentPage)
	at := map[int]int{} // comment id: page
	var mark func(n *commentNode, page int)
	mark = func(n *commentNode, page int) {
		at[n.id] = page
		for _, c := range n.children {
			mark(c, page)
		}
	}
	for k, n := range top {
		mark(n, k/perCommentPage+1)
	}
	for _, c := range list {
		o := Object{Class: "sioct:Comment", ID: itoa(c.id), URL: root + w.commentPagePath(i, at[c.id], pages), Parent: itoa(postID(i)),
			Creator: c.name, Created: c.time.Format("2006-01-02T15:04:05"), Content: strings.Join(c.text, "\n")}
		if !w.modern {
			o.Created = c.time.Format("2006-01-02T15:04")
		}
		if o.Pingback = c.pingback; o.Pingback && w.theme != "twentytwentythree" {
			o.Created, o.Content = "", ""
		}
		if c.parent > 0 {
			o.ReplyTo = itoa(c.parent)
		}
		if !yield(o) {
			return false
		}
	}
	return true
}
