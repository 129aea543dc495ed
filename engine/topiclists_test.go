package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/awarc/awarc/engine/assess"
	scoring "github.com/awarc/awarc/engine/score"
)

// taggedBlog is a WordPress site of 40 posts with no text about their tags. Only the lists of tags, in two pages each, tell them.
func taggedBlog(w http.ResponseWriter, r *http.Request) {
	tags := []string{"kiln", "ferry", "roses", "market"}
	w.Header().Set("Content-Type", "text/html")
	head := func(title, class string) {
		fmt.Fprintf(w, `<html><head><title>%s</title><meta name="generator" content="WordPress 6.1"></head><body class="%s">`, title, class)
	}
	list := func(from, step, n int) {
		for i := range n {
			fmt.Fprintf(w, `<article class="post type-post hentry"><h2 class="entry-title"><a href="/2024/01/01/post-%d/">Number %[1]d</a>
				</h2></article>`, from+i*step)
		}
	}
	var n, page int
	switch at := r.URL.Path; {
	case at == "/":
		head("A blog", "home blog")
		list(0, 1, 20)
		fmt.Fprint(w, `<a class="page-numbers" href="/page/2/">2</a><div class="tagcloud">`)
		for _, tag := range tags {
			fmt.Fprintf(w, `<a href="/tag/%s/">%[1]s</a> `, tag)
		}
	case at == "/page/2/":
		head("A blog", "home blog paged")
		list(20, 1, 20)
	case scan(at, "/2024/01/01/post-%d/", &n):
		head("Number", "post-template-default single single-post")
		fmt.Fprintf(w, `<article class="post type-post hentry"><h1 class="entry-title">Number %d</h1>
			<div class="entry-content"><p>Words.</div>`, n)
	default:
		for i, tag := range tags {
			if at == "/tag/"+tag+"/" || scan(at, "/tag/"+tag+"/page/%d/", &page) {
				head(tag, "archive tag")
				list(i+20*max(0, page-1), 4, 5)
				fmt.Fprintf(w, `<a class="page-numbers" href="/tag/%s/page/2/">2</a>`, tag)
				return
			}
		}
		http.NotFound(w, r)
	}
}

// TestLevelsServeTheTopic: a crawl for a tag requests the lists of the tag first, then the posts on them, and no list of another tag.
func TestLevelsServeTheTopic(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(taggedBlog))
	defer server.Close()
	w := newWorld(t)
	d := &scoring.Definition{Keywords: []scoring.Keyword{{Term: "kiln", Weight: 1}}}
	w.options.Scoring = assess.Options{Definition: d, Topic: d.Topic(), Seeds: []string{server.URL + "/"}}
	w.crawl(server.URL + "/")
	want := []string{"404 /robots.txt", "200 /", "200 /tag/kiln/", "200 /tag/kiln/page/2/"}
	for i := range 10 {
		want = append(want, fmt.Sprintf("200 /2024/01/01/post-%d/", 4*i))
	}
	got := w.asked()
	if len(got) < len(want) {
		t.Fatalf("only %q were requested", got)
	}
	first := slices.Sorted(slices.Values(got[:len(want)]))
	if !slices.Equal(first, slices.Sorted(slices.Values(want))) {
		t.Errorf("first came\n%q, want\n%q", got[:len(want)], want)
	}
	if at := slices.Index(got, "200 /tag/kiln/"); at != 2 {
		t.Errorf("the tag's list was request %d", at+1)
	}
	if slices.Contains(got, "200 /tag/ferry/") {
		t.Error("the list of another tag was requested")
	}
}
