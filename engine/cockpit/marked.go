package cockpit

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/replay"
	"github.com/awarc/awarc/kb"
)

// mostMarked bounds the pages that are kept to be shown with marks.
const mostMarked = 16

// markedPage is a page of which parts are marked, in some ways.
type markedPage struct {
	name  string // of the crawl
	doc   *html.Node
	base  *url.URL
	time  time.Time
	marks []map[*html.Node]string
	point string // where a click on a text leads, its place behind it; empty: nowhere
}

// keepMarked keeps a page for a while and gives its address, which nobody can guess; a number behind it says which marks.
func (c *Cockpit) keepMarked(name string, p *crawl.Page, marks ...map[*html.Node]string) string {
	key := rand.Text()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.markedKeys = append(c.markedKeys, key); len(c.markedKeys) > mostMarked {
		delete(c.marked, c.markedKeys[0])
		c.markedKeys = c.markedKeys[1:]
	}
	c.marked[key] = &markedPage{name: name, doc: htmlOf(p.Doc), base: p.URL, time: p.Answer.Time, marks: marks}
	return "/marked/" + key + "/"
}

// keepToPoint keeps a page of which texts can be clicked, which leads to point with the place of the text behind it.
func (c *Cockpit) keepToPoint(name string, p *crawl.Page, marks map[*html.Node]string, point string) string {
	at := c.keepMarked(name, p, marks)
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept := c.marked[strings.Trim(strings.TrimPrefix(at, "/marked/"), "/")]; kept != nil {
		kept.point = point
	}
	return at
}

// nodesOf marks what an expression selected.
func nodesOf(found []kb.Value, class string, into map[*html.Node]string) {
	for _, v := range found {
		n := v.Node
		for n != nil && n.Type != html.ElementNode {
			n = n.Parent
		}
		if n != nil && into[n] != class {
			into[n] = joined(into[n], class)
		}
	}
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// serveMarked serves a page that is kept to a frame.
func (c *Cockpit) serveMarked(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", replayPolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.mu.Lock()
	p := c.marked[r.PathValue("key")]
	c.mu.Unlock()
	n, err := strconv.Atoi(r.PathValue("n"))
	if p == nil || err != nil || n < 0 || n >= len(p.marks) {
		http.Error(w, textGone, http.StatusNotFound)
		return
	}
	stamp := p.time.UTC().Format(stampForm)
	o := replay.Options{Base: p.base, Marks: p.marks[n], Link: func(u *url.URL, _ bool) string {
		return c.replayAddress(p.name, stamp, u.String())
	}}
	if p.point != "" {
		h.Set("Content-Security-Policy", pointPolicy)
		o.Pick = func(place int) string { return "/pointed/" + r.PathValue("key") + "/" + strconv.Itoa(place) }
	}
	if err := sendPage(w, replay.Page(p.doc, o)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// pointPolicy lets a click on a page lead its window elsewhere: the page has no other links than those to its texts.
var pointPolicy = strings.Replace(replayPolicy, "sandbox", "sandbox allow-top-navigation-by-user-activation", 1)

// htmlOf is the page itself: the answer's head and address, which are in the same tree, are not shown.
func htmlOf(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.Data == "html" && n.Type == html.ElementNode {
			return n
		}
	}
	return doc
}

// pointed leads from a text that was clicked in a frame to the page about it. It takes a page of its own: a window that a frame without
// origin leads somewhere sends no session there.
func (c *Cockpit) pointed(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	p := c.marked[r.PathValue("key")]
	c.mu.Unlock()
	place, err := strconv.Atoi(r.PathValue("place"))
	if p == nil || p.point == "" || err != nil {
		http.Error(w, textGone, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html><title>%s</title><meta http-equiv=refresh content=\"0;url=%s\">", textPointed,
		html.EscapeString(p.point+strconv.Itoa(place)))
}

// explainedPage is a page as its actions see it, with where to look at what each expression selects.
type explainedPage struct {
	engine.Explanation
	Frame string         // with a number behind it: of the trial
	Index map[string]int // of trials, by action and place among its tries
}

// TrialKey names a trial of an explanation.
func (explainedPage) TrialKey(action, trial int) string {
	return strconv.Itoa(action) + "." + strconv.Itoa(trial)
}

// explained explains a page, and keeps it to be shown with what each expression of its actions selects.
func (c *Cockpit) explained(name string, p *crawl.Page, x engine.Explanation) *explainedPage {
	out := &explainedPage{Explanation: x, Index: map[string]int{}}
	var marks []map[*html.Node]string
	for i, a := range x.Actions {
		for j, t := range a.Trials {
			m := map[*html.Node]string{}
			nodesOf(t.Found, "awarc-new", m)
			if len(m) > 0 {
				out.Index[out.TrialKey(i, j)] = len(marks)
				marks = append(marks, m)
			}
		}
	}
	out.Frame = c.keepMarked(name, p, marks...)
	return out
}
