package kb

import (
	"net/url"
	"slices"
	"strings"
)

// navigation looks at where the follow actions of a type lead.
func (l *linter) navigation(t *Type, where string) {
	yields := yielding(t)
	led := map[LevelID]bool{}
	for _, v := range t.Levels {
		for _, f := range v.Follow {
			at := where + "/level[" + v.Name() + "]/follow[" + string(f.To) + "]"
			led[f.To] = led[f.To] || f.To != v.ID
			if v.Type != t.ID {
				continue
			}
			l.tries(at, f.Tries, f.Pos)
			l.fromPage(f.Pos, at, exprs(f.Tries)...)
			if !yields[f.To] {
				l.warn(f.Pos, "follow-nothing", at, "give that level objects or follow actions, or remove the links to it",
					"leads to the level %s, which has neither objects nor links to content", f.To)
			}
		}
	}
	told := map[LevelID]bool{}
	for _, v := range t.Levels {
		if len(t.Level(v.ID)) == len(t.Levels) {
			break // a single level: crawls begin and stay there
		}
		if v.Type != t.ID || led[v.ID] || told[v.ID] || entry(v.ID) {
			continue
		}
		told[v.ID] = true
		l.warn(v.Pos, "level-unreachable", where+"/level["+v.Name()+"]",
			"add <follow to=\""+string(v.ID)+"\"> on levels that link to it; otherwise only seeds can have this level",
			"no other level leads to it")
	}
}

// entry reports whether crawls begin at a level of this id.
func entry(id LevelID) bool { return id == "index" || id == "home" || id == "start" }

// yielding tells from which levels content is reached: those with objects, and
// those that lead to one by links that are always followed.
func yielding(t *Type) map[LevelID]bool {
	yields := map[LevelID]bool{}
	for _, v := range t.Levels {
		if len(v.Objects) > 0 {
			yields[v.ID] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, v := range t.Levels {
			leads := slices.ContainsFunc(v.Follow, func(f *Follow) bool { return yields[f.To] && !f.Optional })
			if leads && !yields[v.ID] {
				yields[v.ID], grown = true, true
			}
		}
	}
	return yields
}

// urlRules tells of rules that undo each other: dropped parameters are gone
// before any other rule looks.
func (l *linter) urlRules(t *Type, where string) {
	where += "/urls/"
	const hint = "delete one of the two; limit the drop by with=\"...\" or path=\"...\" if both are meant"
	for _, d := range t.URLs.Drops {
		if d.With != "" || d.Path != "" {
			continue
		}
		drops := func(param string) bool { return param != "" && d.names(param) }
		for _, p := range t.URLs.Pagings {
			if drops(p.Param) {
				l.errorf(d.Pos, "drop-needed", where+"drop["+d.Param+"]", hint,
					"drops %s, which distinguishes pages of one object (%s): only the first would be fetched", p.Param, p.Pos)
			}
		}
		for _, p := range t.URLs.Prefers {
			if i := slices.IndexFunc(append(formParams(p.Form), formParams(p.Of)...), drops); i >= 0 {
				l.errorf(d.Pos, "drop-needed", where+"drop["+d.Param+"]", hint,
					"drops a parameter that the preferred form %s from %s needs (%s)", p.Form, p.Of, p.Pos)
			}
		}
		for _, p := range t.URLs.Defaults {
			if drops(p.Param) {
				l.warn(p.Pos, "default-dropped", where+"default["+p.Param+"]", hint, "the parameter is always dropped (%s)", d.Pos)
			}
		}
	}
}

// paged tells of addresses that have a preferred form and lose it on further pages, so that these become an object of their own.
func (l *linter) paged(t *Type, where string) {
	for _, p := range t.URLs.Prefers {
		first, err := url.Parse("http://host/" + formPart.ReplaceAllString(p.Of, "12"))
		if err != nil || first.RawQuery != "" || !t.hasPages(first) {
			continue
		}
		for _, g := range t.URLs.Pagings {
			second := *first
			switch {
			case g.Path == nil:
				second.RawQuery = url.QueryEscape(g.Param) + "=2"
			case strings.HasPrefix(g.Form, "/"):
				second.Path = strings.TrimSuffix(first.Path, "/") + formPart.ReplaceAllString(g.Form, "2")
			default:
				continue // its place in other addresses is not known
			}
			if one, more := t.URLs.ObjectKey(first), t.URLs.ObjectKey(&second); one != more {
				l.warn(p.Pos, "prefer-paging", where+"/urls/prefer",
					"add a <from> of the addresses with their paging, or leave out this one",
					"%s and its page %s (paging at %s) become two objects: %s and %s", first.Path, second.RequestURI(), g.Pos, one, more)
			}
		}
	}
}

// hasPages reports whether an address is the first of several: of a level that links to further pages.
func (t *Type) hasPages(u *url.URL) bool {
	a := t.URLs.Level(u)
	if a == nil || t.URLs.Part(u) > 0 {
		return false
	}
	without := *u
	if t.URLs.cutPaging(&without); without != *u {
		return false
	}
	return slices.ContainsFunc(t.Level(a.Level), func(v *Level) bool {
		return slices.ContainsFunc(v.Follow, func(f *Follow) bool { return f.Paging })
	})
}

// sameKeys tells of examples that are pages of their own and one page to the rules, and of preferred forms that leave out every
// number of another form.
func (l *linter) sameKeys(t *Type, where string) {
	first := map[string]*Example{}
	for i := range t.Examples {
		x := &t.Examples[i]
		u, err := url.Parse(x.URL)
		if err != nil || x.URL == "" {
			continue
		}
		key := t.URLs.Key(u)
		switch before := first[key]; {
		case before == nil:
			first[key] = x
		case before.URL != x.URL && before.Page != x.Page:
			l.warn(x.Pos, "key-same", where+"/example["+x.Page+"]",
				"only one of them would be fetched; see what <prefer>, <drop> and <default> make of both: awarc kb urls FILE ADDRESS...",
				"%s has the key of %s (%s), %s", x.URL, before.URL, before.Pos, key)
		}
	}
	for _, p := range t.URLs.Prefers {
		if p.From != nil && p.From.NumSubexp() > 0 && !formPart.MatchString(p.Form) {
			l.warn(p.Pos, "prefer-drops", where+"/urls/prefer", "keep a number in url=\"...\", as in showthread.php?t={t}",
				"all URLs of the form %s become one page, %s: no number is kept", p.Of, p.Form)
		}
	}
}

// formParams are the parameters that a URL form names.
func formParams(form string) []string {
	_, query, _ := strings.Cut(form, "?")
	var names []string
	for kv := range strings.SplitSeq(query, "&") {
		if name, _, ok := strings.Cut(kv, "="); ok {
			if n, err := url.QueryUnescape(name); err == nil {
				names = append(names, n)
			}
		}
	}
	return names
}

// css tells of expressions that are valid, and select nothing because they are CSS.
func (l *linter) css(pos Position, where, source string) {
	if isCSS(source) {
		l.errorf(pos, "css-name", where, asXPath, "%s looks like CSS: element names have no dots", source)
	}
}
