package crawl

import (
	"errors"
	"maps"
	"slices"

	"github.com/awarc/awarc/engine/form"
)

// filling is a login under way, over the pages that ask for it.
type filling struct {
	login *login
	sent  map[string]bool // fields of the description that earlier pages asked for
	user  bool            // likewise, the user
}

// next fills in the form of a page that the login goes on by. last is set for the form that asks for the password.
func (l *filling) next(p *form.Page) (f *form.Form, last bool, err error) {
	names := slices.Sorted(maps.Keys(l.login.Fields))
	f = p.Login(names)
	if last = f != nil; !last {
		if f = p.Asks(names); f == nil || l.user || len(l.sent) > 0 && !l.asksMore(f, names) {
			return nil, false, noForm(p)
		}
	}
	for _, name := range names {
		if f.Control(name) == nil && (!last || l.sent[name]) {
			continue // another page asks for it
		}
		f.Fill(name, l.login.Fields[name])
		l.sent[name] = true
	}
	if c := f.User(); c != nil && l.login.User != "" && (!l.user || c.Kind != "hidden") {
		f.Fill(c.Name, l.login.User)
		l.user = true
	}
	if c := f.Password(); c != nil && last && l.login.Password != "" {
		f.Fill(c.Name, l.login.Password)
	}
	return f, last, nil
}

// asksMore reports whether a form has a field that was not filled in on an earlier page.
func (l *filling) asksMore(f *form.Form, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return !l.sent[name] && f.Control(name) != nil })
}

func noForm(p *form.Page) error {
	for _, c := range p.Orphans {
		if c.Kind == "password" {
			return errors.New("the password field is not in a form and needs scripts: log in with your browser " +
				"and save its cookies for --cookies")
		}
	}
	return errors.New("the page has no form with a password field")
}
