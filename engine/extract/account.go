package extract

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/kb"
)

// Fields about who wrote an object.
const (
	creatorField = "creator"     // the name
	accountField = "creator_url" // the address of the profile page, value by value
)

// profileLevel is the level of profile pages.
const profileLevel kb.LevelID = "profile"

// accountKeys gives addresses of profile pages the form under which the pages are known.
func (r *run) accountKeys(addresses []string) {
	for i, v := range addresses {
		if u, err := url.Parse(v); err == nil {
			addresses[i] = r.page.Type.URLs.ObjectKey(u)
		}
	}
}

// withAccounts adds to the names of creators, which are from some places, the profile pages that the page links them to, which tell
// apart members of one name, and members from guests. Where the knowledge base says itself where the profile page is, that counts.
func (r *run) withAccounts(fields []Field, from []kb.Value) []Field {
	at := -1
	for i, f := range fields {
		switch f.Name {
		case accountField:
			r.accountKeys(f.Values)
			return fields
		case creatorField:
			at = i
		}
	}
	if at < 0 {
		return fields
	}
	accounts := make([]string, len(fields[at].Values))
	for i, name := range fields[at].Values {
		accounts[i] = r.account(name, from[i])
	}
	if slices.ContainsFunc(accounts, func(a string) bool { return a != "" }) {
		return slices.Insert(fields, at+1, Field{Name: accountField, As: kb.URL, Values: accounts})
	}
	return fields
}

// account is the address of the page that a creator's name is a link to, in the form
// under which that page is known; "" where there is none. Where an attribute has the name, the link is one in its element
// that has it as its text and leads to a profile page by its address.
func (r *run) account(name string, v kb.Value) string {
	if v.Attr != "" && v.Node != nil {
		return r.linkOf(name, v.Node)
	}
	for a := v.Node; a != nil; a = a.Parent {
		if u := r.profile(a); u != "" {
			return u
		}
	}
	if v.Node == nil {
		return ""
	}
	for d := range v.Node.Descendants() {
		if u := r.profile(d); u != "" {
			if text := r.anchorText(d); text != "" && strings.Contains(name, text) {
				return u
			}
		}
	}
	return ""
}

// linkOf is where a link in an element leads to that has a name as its text; "" for none to a profile page.
func (r *run) linkOf(name string, n *html.Node) string {
	for d := range n.Descendants() {
		if d.DataAtom != atom.A || !r.work.Spend(1) {
			continue
		}
		u, err := url.Parse(r.resolve.link(attr(d, "href")))
		if err != nil || r.anchorText(d) != name {
			continue
		}
		if level := r.page.Type.URLs.Level(u); level != nil && level.Level == profileLevel {
			return r.page.Type.URLs.ObjectKey(u)
		}
	}
	return ""
}

// profile is where a link leads that may be one to a profile page: to another page of the
// site, or where the page or the knowledge base says that it is one; not to what a guest
// gave as the address of a home page.
func (r *run) profile(a *html.Node) string {
	rel := strings.Fields(strings.ToLower(attr(a, "rel")))
	if a.DataAtom != atom.A || slices.Contains(rel, "external") || slices.Contains(rel, "ugc") {
		return ""
	}
	u, err := url.Parse(r.resolve.link(attr(a, "href")))
	if err != nil || u.Path == "" || u.Path == "/" && u.RawQuery == "" {
		return ""
	}
	rules := &r.page.Type.URLs
	if u.Host != r.page.URL.Host && !slices.Contains(rel, "author") {
		if level := rules.Level(u); level == nil || level.Level != profileLevel {
			return ""
		}
	}
	if key := rules.ObjectKey(u); key != r.key {
		return key
	}
	return ""
}
