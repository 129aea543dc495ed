package engine

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/language"
)

// Effect is what a scope rule does.
type Effect string

// The effects.
const (
	// Exclude keeps out what matches: links, seeds and what pages need.
	Exclude Effect = "exclude"
	// Only excludes URLs that do not match, except seeds, their redirects and page requisites.
	Only Effect = "only"
	// Also includes matching URLs on any host. Its conditions must not need the answer.
	Also Effect = "also"
)

// ScopeRule is a rule of a crawl's scope. Of several the first that decides counts; what none
// decides is in scope.
type ScopeRule struct {
	Effect Effect
	When   Conditions
	Name   string // for people: where the rule is written, and what it says
}

// Conditions hold when one of them does.
type Conditions []Condition

// UnmarshalYAML reads one condition or a list.
func (c *Conditions) UnmarshalYAML(decode func(any) error) error { return oneOrMore(c, decode) }

// Condition holds when all that it names does. A list holds when one of its items does.
type Condition struct {
	URL   Texts       `yaml:"url"`   // regular expressions (RE2), matched anywhere in the URL
	Host  Texts       `yaml:"host"`  // names, with or without port; * stands for any characters
	Path  Texts       `yaml:"path"`  // how path and query begin, as in robots.txt: * stands for any characters, $ for the end
	Depth *Bound      `yaml:"depth"` // parts of the path
	Hops  *Bound      `yaml:"hops"`  // links from a seed; redirects and further pages of a list or an object are none
	MIME  Texts       `yaml:"mime"`  // media types of the answer; * stands for any characters
	Size  *Bound      `yaml:"size"`  // bytes of the answer's body as it is sent
	Lang  Texts       `yaml:"lang"`  // languages of the page (BCP 47), such as de or pt-BR
	Not   *Conditions `yaml:"not"`   // none of these holds
}

// Texts are one text or a list in YAML.
type Texts []string

// UnmarshalYAML reads either form.
func (t *Texts) UnmarshalYAML(decode func(any) error) error { return oneOrMore(t, decode) }

func oneOrMore[L ~[]T, T any](into *L, decode func(any) error) error {
	var shape any
	if err := decode(&shape); err != nil {
		return err
	}
	if _, list := shape.([]any); list {
		var many []T
		err := decode(&many)
		*into = many
		return err
	}
	var one T
	err := decode(&one)
	*into = L{one}
	return err
}

// Bound is a bound of a number: "over 3" or "under 10M"; K, M, G and T are powers of 1024.
type Bound struct {
	Over bool
	N    int64
}

var boundForm = regexp.MustCompile(`^(over|under) ([0-9]{1,15})([KMGT]?)$`)

// UnmarshalText reads a bound.
func (b *Bound) UnmarshalText(text []byte) error {
	m := boundForm.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("invalid bound %q; expected over 3 or under 10M", text)
	}
	n, err := strconv.ParseInt(string(m[2]), 10, 64)
	shift := 10 * (1 + strings.Index("KMGT", string(m[3])))
	if len(m[3]) == 0 {
		shift = 0
	}
	if err != nil || n > math.MaxInt64>>(shift+1) {
		return fmt.Errorf("%q is too large", text)
	}
	*b = Bound{Over: string(m[1]) == "over", N: n << shift}
	return nil
}

func (b Bound) holds(n int64) truth {
	if b.Over {
		return truthOf(n > b.N)
	}
	return truthOf(n < b.N)
}

// truth is what is known of a condition; what an answer says is unknown before it is there. They
// are ordered: "and" is the least, "or" the greatest.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// facts are what rules are asked about.
type facts struct {
	url   *url.URL
	text  string // of the URL
	hops  int
	named bool // a seed, what it redirects to, or what a page needs: it belongs to the crawl wherever it is

	mime string // of the answer; "" is unknown
	size int64  // of its body; negative is unknown
	lang string // of the page; "" is unknown
}

// before are the facts about a URL that nothing was answered for.
func before(u *url.URL, hops int, named bool) facts {
	return facts{url: u, text: u.String(), hops: hops, named: named, size: -1}
}

// predicate is a compiled condition.
type predicate func(*facts) truth

// rule is a compiled ScopeRule.
type rule struct {
	effect   Effect
	holds    predicate
	why      string // it keeps a URL out
	counted  bool   // by its name
	ofAnswer bool   // it asks what only the answer says
}

// compile checks a rule and makes it ready.
func (r ScopeRule) compile() (rule, error) {
	out := rule{effect: r.Effect, why: r.Name, counted: true, ofAnswer: r.When.ofAnswer()}
	switch {
	case !slices.Contains([]Effect{Exclude, Only, Also}, r.Effect):
		return out, fmt.Errorf("%s: %q; expected exclude, only or also", r.Name, r.Effect)
	case r.Effect == Also && out.ofAnswer:
		return out, fmt.Errorf("%s: mime, size and lang are known only after the request; use them in exclude", r.Name)
	}
	var err error
	if out.holds, err = r.When.compile(); err != nil {
		return out, fmt.Errorf("%s: %w", r.Name, err)
	}
	return out, nil
}

func (c Conditions) compile() (predicate, error) {
	var any []predicate
	for _, one := range c {
		p, err := one.compile()
		if err != nil {
			return nil, err
		}
		any = append(any, p)
	}
	if len(any) == 0 {
		return nil, errNoCondition
	}
	return func(f *facts) truth {
		t := no
		for _, p := range any {
			t = max(t, p(f))
		}
		return t
	}, nil
}

var errNoCondition = errors.New("no condition; expected url, host, path, depth, hops, mime, size, lang or not")

func (c Condition) compile() (predicate, error) {
	var all []predicate
	for _, texts := range []struct {
		name  string
		list  Texts
		form  func(string) (string, error) // gives the expression
		holds func(*facts, *regexp.Regexp) truth
	}{
		{"url", c.URL, func(s string) (string, error) { return s, nil }, func(f *facts, re *regexp.Regexp) truth {
			return truthOf(re.MatchString(f.text))
		}},
		{"host", c.Host, hostForm, func(f *facts, re *regexp.Regexp) truth {
			return truthOf(re.MatchString(f.url.Hostname()) || re.MatchString(f.url.Host))
		}},
		{"path", c.Path, pathForm, func(f *facts, re *regexp.Regexp) truth {
			return truthOf(re.MatchString(f.url.RequestURI()))
		}},
		{"mime", c.MIME, mimeForm, func(f *facts, re *regexp.Regexp) truth {
			if f.mime == "" {
				return unknown
			}
			return truthOf(re.MatchString(f.mime))
		}},
	} {
		p, err := anyOf(texts.list, texts.form, texts.holds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", texts.name, err)
		}
		if p != nil {
			all = append(all, p)
		}
	}
	if c.Depth != nil {
		all = append(all, func(f *facts) truth { return c.Depth.holds(depth(f.url)) })
	}
	if c.Hops != nil {
		all = append(all, func(f *facts) truth { return c.Hops.holds(int64(f.hops)) })
	}
	if c.Size != nil {
		all = append(all, func(f *facts) truth {
			if f.size < 0 {
				return unknown
			}
			return c.Size.holds(f.size)
		})
	}
	if c.Lang != nil {
		p, err := inLanguages(c.Lang)
		if err != nil {
			return nil, fmt.Errorf("lang: %w", err)
		}
		all = append(all, p)
	}
	if c.Not != nil {
		p, err := c.Not.compile()
		if err != nil {
			return nil, fmt.Errorf("not: %w", err)
		}
		all = append(all, func(f *facts) truth { return yes - p(f) })
	}
	if len(all) == 0 {
		return nil, errNoCondition
	}
	return allOf(all), nil
}

// allOf holds where all predicates do.
func allOf(all []predicate) predicate {
	return func(f *facts) truth {
		t := yes
		for _, p := range all {
			t = min(t, p(f))
		}
		return t
	}
}

// anyOf holds where one of the texts does; it is nil without any.
func anyOf(list Texts, form func(string) (string, error), holds func(*facts, *regexp.Regexp) truth) (predicate, error) {
	if list == nil {
		return nil, nil
	}
	var all []*regexp.Regexp
	for _, text := range list {
		if text == "" {
			return nil, errors.New("it is empty")
		}
		text, err := form(text)
		if err != nil {
			return nil, err
		}
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		all = append(all, re)
	}
	return func(f *facts) truth {
		t := no
		for _, re := range all {
			t = max(t, holds(f, re))
		}
		return t
	}, nil
}

// stars makes an expression of a text in which * stands for any characters.
func stars(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`) }

func hostForm(text string) (string, error) {
	if strings.ContainsAny(text, "/ ") {
		return "", fmt.Errorf("invalid host name %q", text)
	}
	if strings.HasSuffix(text, "]") {
		text = strings.Trim(text, "[]") // an address of IPv6 without port
	}
	name, err := idna.Punycode.ToASCII(strings.ToLower(text))
	return "^" + stars(name) + "$", err
}

func pathForm(text string) (string, error) {
	if text[0] != '/' && text[0] != '*' {
		return "", fmt.Errorf("path %q does not start with / or *", text)
	}
	text, end := strings.CutSuffix(text, "$")
	if end {
		return "^" + stars(text) + "$", nil
	}
	return "^" + stars(text), nil
}

func mimeForm(text string) (string, error) {
	if strings.Count(text, "/") != 1 || strings.ContainsAny(text, " ;") {
		return "", fmt.Errorf("invalid media type %q; expected one such as text/html or image/*", text)
	}
	return "^" + stars(strings.ToLower(text)) + "$", nil
}

// depth is the number of parts of a path: 0 for that of a front page, 2 for /a/b and /a/b/.
func depth(u *url.URL) int64 {
	return int64(len(strings.FieldsFunc(u.EscapedPath(), func(c rune) bool { return c == '/' })))
}

// inLanguages holds for a page in one of the languages, of whatever region where none is named.
func inLanguages(list Texts) (predicate, error) {
	var wanted []language.Tag
	for _, text := range list {
		tag, err := language.All.Parse(text)
		if base, confidence := tag.Base(); err != nil || confidence == language.No || base.String() == "und" {
			return nil, fmt.Errorf("invalid language %q; expected a code such as de or pt-BR", text)
		}
		wanted = append(wanted, tag)
	}
	return func(f *facts) truth {
		if f.lang == "" {
			return unknown
		}
		page := language.All.Make(f.lang)
		return truthOf(slices.ContainsFunc(wanted, func(w language.Tag) bool { return within(page, w) }))
	}, nil
}

// within reports whether a language is the wanted one: its base, and its region where one is wanted.
func within(page, wanted language.Tag) bool {
	_, _, region := wanted.Raw()
	base, _ := page.Base()
	wantedBase, _ := wanted.Base()
	_, _, pageRegion := page.Raw()
	return base == wantedBase && (region.String() == "ZZ" || region == pageRegion)
}

func (c Conditions) ofAnswer() bool {
	return slices.ContainsFunc(c, func(one Condition) bool {
		return one.MIME != nil || one.Size != nil || one.Lang != nil || one.Not != nil && one.Not.ofAnswer()
	})
}

// sizes are the bounds of sizes that conditions name.
func (c Conditions) sizes() (all []int64) {
	for _, one := range c {
		if one.Size != nil {
			all = append(all, one.Size.N)
		}
		if one.Not != nil {
			all = append(all, one.Not.sizes()...)
		}
	}
	return all
}

// asksLanguage reports whether a condition is about the language of pages.
func (c Conditions) asksLanguage() bool {
	return slices.ContainsFunc(c, func(one Condition) bool { return one.Lang != nil || one.Not != nil && one.Not.asksLanguage() })
}
