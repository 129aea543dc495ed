package testsites

import (
	"iter"
	"slices"
	"strings"
)

// Object is one thing that a site publishes, with the facts that its pages show. A fact that no page shows is empty.
type Object struct {
	Class   string   // "sioc:Forum", "sioc:Thread", "sioc:Post", "sioct:BlogPost", "sioct:Comment" or "schema:WebPage"
	ID      string   // the number that the CMS gave it, unique in its class (posts and pages of a blog share one series)
	URL     string   // the canonical page that shows it: for a post, the page of the thread; for a thread, its first page
	More    []string // further canonical pages that it goes on over: pages 2 and up of a thread or of a split blog post
	Parent  string   // ID of what it belongs to: a thread's forum, a post's thread, a comment's blog post, a forum's forum
	ReplyTo string   // ID of the comment that a comment answers
	Title   string
	Creator string // the name as shown; guests have one too
	// Created is local time in ISO 8601, exactly as finely as the page shows it: 2009-01-31T15:45 where there are
	// no seconds, 2009-01-31 where there is only a day.
	Created string
	// Content is the text of the body with paragraphs as line breaks, quotations included and signatures not; "" for a
	// picture alone. Compare it with white space collapsed: where lines break is the reader's choice.
	Content string
	// Hidden marks a blog post behind a password: it has a title, author and date but no content.
	Hidden bool
	// Pingback marks a comment that another site's link made. The classic themes show its name only, so that it has
	// neither date nor content there.
	Pingback bool
}

// Page is a canonical page: one that an archive needs.
type Page struct {
	URL   string
	Level string // "index", "forum", "topic" of a board; "home", "post", "page" of a blog
}

// Truth is everything that a complete archive of a site holds.
type Truth struct {
	Objects []Object // in the order of their ids within a class
	Pages   []Page   // without repetitions
}

// Truth lists the objects and canonical pages of the site, with URLs under base, which is scheme and host
// ("http://127.0.0.1:8080"); the site's own prefix is added. For very large sites use [Site.Objects] and [Site.Pages].
func (s *Site) Truth(base string) Truth {
	return Truth{Objects: slices.Collect(s.Objects(base)), Pages: slices.Collect(s.Pages(base))}
}

// Objects yields the objects of [Site.Truth] one by one.
func (s *Site) Objects(base string) iter.Seq[Object] {
	return s.app.objects(strings.TrimSuffix(base, "/") + s.o.Prefix)
}

// Pages yields the canonical pages of [Site.Truth] one by one.
func (s *Site) Pages(base string) iter.Seq[Page] {
	return s.app.pages(strings.TrimSuffix(base, "/") + s.o.Prefix)
}

// Count returns the number of objects by class.
func (t Truth) Count() map[string]int {
	counts := map[string]int{}
	for _, o := range t.Objects {
		counts[o.Class]++
	}
	return counts
}
