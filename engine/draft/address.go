package draft

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/awarc/awarc/engine/ways"
	"github.com/awarc/awarc/kb"
)

// form is an address without its numbers and titles: # stands for a number, * for a title. Query
// parameters are sorted by name.
type form string

// address is an address as its form and the numbers and titles in it.
type address struct {
	form   form
	values []string
	page   string // the number of a further page; base is the form without it
	base   form
	key    string // of the object that the page is part of: base with its values
}

var (
	numbers = regexp.MustCompile(`[0-9]+`)
	// Numbers that stand first or last in a title.
	leading  = regexp.MustCompile(`^([0-9]+)[-_.]`)
	trailing = regexp.MustCompile(`\.([0-9]+)$`)
	// token is a value that names a few numbers, and not a hash.
	token = regexp.MustCompile(`^[A-Za-z_.,-]{0,8}([0-9]+[A-Za-z_.,-]{0,8}){1,3}$`)
)

const maxForm = 200 // bytes of a form; the rest of a longer address is left out

// addressOf splits an address.
func addressOf(u *url.URL) address {
	var b strings.Builder
	var values []string
	for s := range strings.SplitSeq(strings.TrimPrefix(literally(u.EscapedPath()), "/"), "/") {
		text, found := segment(s)
		b.WriteString("/" + text)
		values = append(values, found...)
	}
	pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(p string) bool { return p == "" })
	slices.SortStableFunc(pairs, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
	for i, pair := range pairs {
		b.WriteByte("?&"[min(i, 1)])
		for k, part := range strings.Split(pair, ";") {
			if k > 0 {
				b.WriteByte(';')
			}
			name, value, has := strings.Cut(part, "=")
			b.WriteString(literally(name))
			if has {
				text, found := parameter(value)
				b.WriteString("=" + text)
				values = append(values, found...)
			}
		}
	}
	text := b.String()
	a := address{form: form(text[:min(len(text), maxForm)])}
	a.base, a.key = a.form, keyOf(a.form, values)
	a.values = values[:a.form.values()]
	return a
}

// values counts the numbers and titles of a form.
func (f form) values() int { return strings.Count(string(f), "#") + strings.Count(string(f), "*") }

// literally escapes characters of an address that stand for values in forms.
func literally(s string) string { return strings.NewReplacer("*", "%2A", "#", "%23").Replace(s) }

func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

func keyOf(f form, values []string) string { return string(f) + " " + strings.Join(values, " ") }

// segment splits a segment of a path: titles are of three words or more.
func segment(s string) (text string, values []string) {
	shape := strings.TrimPrefix(ways.Shape(&url.URL{Path: "/" + s}), "/")
	ext := path.Ext(shape)
	switch stem := strings.TrimSuffix(s, ext); {
	case leading.MatchString(stem):
		number := leading.FindStringSubmatch(stem)[1]
		return "#" + stem[len(number):len(number)+1] + "*" + ext, []string{number, stem[len(number)+1:]}
	case strings.TrimSuffix(shape, ext) != "*":
		return numbers.ReplaceAllString(s, "#"), numbers.FindAllString(s, -1)
	case trailing.MatchString(stem):
		number := trailing.FindStringSubmatch(stem)[1]
		return "*.#" + ext, []string{strings.TrimSuffix(stem, "."+number), number}
	default:
		return "*" + ext, []string{stem}
	}
}

// parameter splits a value of a query.
func parameter(value string) (text string, values []string) {
	switch {
	case token.MatchString(value):
		return numbers.ReplaceAllString(value, "#"), numbers.FindAllString(value, -1)
	case value == "" || !strings.ContainsAny(value, "0123456789") && len(value) <= 16 && isName(value):
		return value, nil
	default:
		return "*", []string{value}
	}
}

// write is a form in the notation of the knowledge base, which names numbers by letters; names may
// give the letters of some numbers.
func (f form) write(names map[int]string) string {
	var b strings.Builder
	next, values := 'a', 0
	for _, c := range strings.TrimPrefix(string(f), "/") {
		switch c {
		case '#':
			name := names[values]
			if names == nil {
				name = string(next)
				next++
			}
			switch {
			case name != "":
				b.WriteString("{" + name + "}")
			case values < 26:
				b.WriteString("{x" + string('a'+rune(values)) + "}") // not carried over
			default:
				b.WriteString("{*}")
			}
			values++
		case '*':
			b.WriteString("{*}")
			values++
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// says reports whether a form has a word and a number, so that it tells a kind of page.
func (f form) says() bool {
	letters := strings.NewReplacer("*", "", "#", "", "/", "", ".html", "").Replace(string(f))
	return strings.Contains(string(f), "#") && strings.ContainsFunc(letters, unicode.IsLetter)
}

// literal is the text of a form before its first number or title, as relative links have it; "" for
// none with a letter.
func (f form) literal() string {
	at := strings.IndexAny(string(f), "#*")
	if at < 0 {
		return ""
	}
	text := strings.TrimPrefix(string(f)[:at], "/")
	if name := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/'); name >= 0 {
		text = text[name+1:]
	}
	if !strings.ContainsFunc(text, unicode.IsLetter) || strings.Contains(text, "&") {
		return "" // the order of parameters may differ
	}
	return quotable(text)
}

// paging is the number in a form by which it names further pages.
type paging struct {
	of    form // of the further pages
	value int  // its place among the values
	base  form // without it: of the first page, or of the object
	param string
	path  string // behind the path of the base, with {n}
}

// pagingOf describes that a value of a form is the number of a page.
func pagingOf(f form, value int) (p paging, ok bool) {
	at := f.place(value)
	if at < 0 || f[at] != '#' {
		return p, false
	}
	text := string(f)
	p = paging{of: f, value: value}
	query := strings.IndexByte(text, '?')
	if query >= 0 && at > query {
		from := strings.LastIndexAny(text[:at], "?&") + 1
		to := at + 1
		if end := strings.IndexByte(text[at:], '&'); end >= 0 {
			to = at + end
		}
		if name, value, _ := strings.Cut(text[from:to], "="); value == "#" && !strings.Contains(name, ";") {
			p.param = name
			p.base = form(strings.TrimRight(strings.Replace(text[:from]+strings.TrimPrefix(text[to:], "&"), "?&", "?", 1), "?&"))
			return p, true
		}
	}
	from := strings.LastIndexAny(text[:at], "#*=/?&") + 1
	last := strings.TrimRight(text[at+1:], "/") == "" && query < 0
	if from > 1 && text[from-1] == '/' && last { // a segment of its own, and perhaps one before it: /page/2
		if up := strings.LastIndexByte(text[:from-1], '/'); from == at && up > 0 && isName(text[up+1:from-1]) {
			from = up + 1
		}
		p.base, p.path = form(text[:from]), "/"+text[from:at]+"{n}"+text[at+1:]
		if !strings.HasSuffix(text, "/") {
			p.base = form(strings.TrimSuffix(string(p.base), "/"))
		}
		return p, true
	}
	if from == 0 || text[from-1] != '#' && text[from-1] != '*' {
		return p, false // nothing would be left that tells the object
	}
	p.base = form(text[:from] + text[at+1:])
	return p, true
}

// place is where a value stands in a form, -1 for nowhere.
func (f form) place(value int) int {
	for i := range len(f) {
		if f[i] == '#' || f[i] == '*' {
			if value == 0 {
				return i
			}
			value--
		}
	}
	return -1
}

// follows reports which value of an address is the number of a further page of the object of
// another page, if the one can be that of the other.
func (a *address) follows(of *address) (value int, ok bool) {
	if a.form == of.form {
		value = -1
		for i, v := range a.values {
			if v == of.values[i] {
				continue
			}
			if value >= 0 {
				return 0, false
			}
			value = i
		}
		return value, value >= 0 && len(a.values) > 1
	}
	for i := range a.values {
		p, ok := pagingOf(a.form, i)
		if ok && (p.base == of.form || p.base+"/" == of.form) && slices.Equal(slices.Delete(slices.Clone(a.values), i, i+1), of.values) {
			return i, true
		}
	}
	return 0, false
}

// isPart reports whether a number is the number of a page.
func (a *address) isPart(p paging) {
	a.page, a.base = a.values[p.value], p.base
	a.key = keyOf(p.base, slices.Delete(slices.Clone(a.values), p.value, p.value+1))
}

// findPagings finds the forms of further pages: a page links to another of its kind, their titles
// are alike but for a number, and their texts differ. Where some have the same texts, the number
// names a place on a page.
func (s *site) findPagings() {
	type vote struct{ further, copies int }
	votes := map[paging]*vote{}
	for _, p := range s.pages {
		for i := range p.links {
			l := &p.links[i]
			value, ok := l.follows(&p.address)
			to := s.all[l.to.String()]
			if !ok || to == nil || to == p || !alike(p.title, to.title) {
				continue
			}
			of, ok := pagingOf(l.form, value)
			if !ok {
				continue
			}
			if votes[of] == nil {
				votes[of] = &vote{}
			}
			if within(to.texts, p.texts) {
				votes[of].copies++
			} else {
				votes[of].further++
			}
		}
	}
	maps.DeleteFunc(votes, func(_ paging, v *vote) bool { return v.further == 0 || 5*v.copies > v.further })
	of := map[form]paging{}
	for p, n := range votes {
		if was, there := of[p.of]; !there || cmp.Or(cmp.Compare(n.further, votes[was].further), cmp.Compare(p.value, was.value)) > 0 {
			of[p.of] = p
		}
	}
	for _, p := range of {
		if s.pagings[p.base] == nil {
			s.pagings[p.base] = map[form]paging{}
		}
		s.pagings[p.base][p.of] = p
	}
	join := func(a *address) {
		if p, ok := of[a.form]; ok {
			a.isPart(p)
		}
	}
	for _, p := range s.pages {
		join(&p.address)
		join(&p.asked)
		for i := range p.links {
			join(&p.links[i].address)
		}
	}
}

// alike reports whether the titles of two pages are of one object: the longer one has something put
// in, such as the number of a page.
func alike(a, b string) bool {
	plain := func(s string) []string { return strings.Fields(numbers.ReplaceAllString(s, "")) }
	x, y := plain(a), plain(b)
	least, same := min(len(x), len(y)), 0
	for same < least && x[same] == y[same] {
		same++
	}
	back := 0
	for back < least-same && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	return same+back == least
}

// other is a form of addresses that show what pages of another form show.
type other struct {
	of, to form
	names  map[int]string // of the numbers that tell the object, as to.write names them
}

// copies finds the other forms of the addresses of an object: their pages show its posts, declare
// an address of it as canonical, or redirect to it. Pairs are an address and the page that it
// shows.
func copies(pairs [][2]*address, to form, least int) (out []other) {
	by := map[form][][2]*address{}
	for _, p := range pairs {
		by[p[0].form] = append(by[p[0].form], p)
	}
next:
	for _, f := range slices.Sorted(maps.Keys(by)) {
		if len(by[f]) < least {
			continue
		}
		o := other{of: f, to: to, names: map[int]string{}}
		letters, at := 'a', 0
		for _, c := range string(to) {
			if c == '*' {
				continue next // a title cannot be carried over
			}
			if c != '#' {
				continue
			}
			from := 0
			for from < len(by[f][0][0].values) && slices.ContainsFunc(by[f], func(pair [2]*address) bool {
				return pair[0].values[from] != pair[1].objectValue(at)
			}) {
				from++
			}
			if from == len(by[f][0][0].values) {
				continue next
			}
			o.names[from] = string(letters)
			letters++
			at++
		}
		if at > 0 {
			out = append(out, o)
		}
	}
	return out
}

// within reports whether a page says what another page, or several, say.
func within(some, all map[uint64]bool) bool {
	in := 0
	for sum := range some {
		if all[sum] {
			in++
		}
	}
	return 10*in > 8*len(some) && in > 0
}

// objectValue is a value of the key.
func (a *address) objectValue(at int) string {
	_, values, _ := strings.Cut(a.key, " ")
	return strings.Split(values, " ")[at]
}

// write is the other form as a rule of the knowledge base.
func (o *other) write() string {
	return fmt.Sprintf(`<prefer url="%s"><from>%s</from></prefer>`, kb.Escape(o.to.write(nil)), kb.Escape(o.of.write(o.names)))
}

// rules are the rules of the knowledge base for further pages.
func (p paging) rules() []string {
	switch {
	case p.param != "":
		return []string{fmt.Sprintf(`<paging param="%s"/>`, kb.Escape(p.param))}
	case p.path != "":
		return []string{fmt.Sprintf(`<paging path="%s"/>`, kb.Escape(p.path))}
	}
	names, next := map[int]string{}, 'a'
	for value := range strings.Count(string(p.of), "#") + strings.Count(string(p.of), "*") {
		switch at := p.of.place(value); {
		case p.of[at] != '#':
			return nil // a title cannot be carried over
		case value == p.value:
			names[value] = "n"
		default:
			names[value] = string(next)
			next++
		}
	}
	to := p.base.write(nil)
	to += "?&"[min(1, strings.Count(to, "?")):][:1] + "page={n}"
	return []string{`<paging param="page"/>`,
		fmt.Sprintf(`<prefer url="%s"><from>%s</from></prefer>`, kb.Escape(to), kb.Escape(p.of.write(names)))}
}
