package engine

import (
	"strings"

	"github.com/awarc/awarc/engine/assess"
	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/frontier"
)

// wayMark begins the Why of a URL that is in the order of its way's value.
const wayMark = "way "

// Way names the way by which a link led to a URL, "" where none is known.
func Way(u frontier.URL) string {
	name, _ := strings.CutPrefix(u.Why, wayMark)
	if len(name) == len(u.Why) {
		return ""
	}
	return name
}

// nameWays writes by which ways the links of a page of an unknown application lead on, and tells under which key the page says that it is.
func (e *Engine) nameWays(found []assess.Link) (canonical string) {
	if e.ways == nil {
		return ""
	}
	for i := range found {
		if l := &found[i]; l.URL.Type == "" && l.URL.Family == "" {
			l.URL.Why = wayMark + ways.Name(l.Found.Place, l.At)
		}
		if found[i].Found.Canonical {
			canonical = found[i].URL.Key
		}
	}
	return canonical
}

// learnWays tells what a way led to, and gives the links of the page their places in the order.
func (e *Engine) learnWays(v visited, links []frontier.URL) {
	if e.ways == nil || v.robots {
		return
	}
	host, from := v.lease.at.Host, Way(v.lease.URL)
	if t := v.page.page.Finding.Type; t == nil && (from != "" || len(links) > 0) {
		var leads []ways.Link
		for _, l := range links {
			if name := Way(l); name != "" && l.Redirects == 0 && parseURL(l.URL).Host == host {
				leads = append(leads, ways.Link{Way: name, Key: l.Key})
			}
		}
		e.ways.Page(host, from, v.page.text, leads)
	}
	for i := range links {
		l := &links[i]
		name := Way(*l)
		if name == "" || l.Redirects > 0 || l.Priority <= priorityGuess {
			continue
		}
		if level, ok := e.ways.Level(parseURL(l.URL).Host, name); ok {
			l.Priority = priorityUnknown + level
		}
	}
}

// demote lets a URL wait of whose way it has turned out, since it was found, that it leads to less than thought.
func (e *Engine) demote(lease leased) *frontier.Outcome {
	name := Way(lease.URL)
	if e.ways == nil || name == "" || lease.Drawn {
		return nil
	}
	level, ok := e.ways.Level(lease.at.Host, name)
	const slack = 2 // levels; it may be on its way up again
	if !ok || lease.Priority < priorityUnknown+level+slack {
		return nil
	}
	again := lease.URL
	again.Priority, again.Decisive, again.Family = priorityUnknown+level, true, ""
	return &frontier.Outcome{State: frontier.PutOff, Family: "ways", NoRequest: true, Links: []frontier.URL{again}}
}

// text is what a page of an unknown application says, as far as the value of ways is reckoned from it: nothing where it says that it is
// a copy.
func (e *Engine) text(p *Page, canonical, key string) ways.Text {
	if e.ways == nil || p.Finding.Type != nil || canonical != "" && canonical != key {
		return ways.Text{}
	}
	return ways.Read(p.Doc)
}
