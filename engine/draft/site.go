package draft

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/rank"
	"github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/engine/read/records"
	"github.com/awarc/awarc/engine/ways"
)

// Page is an archived page of the site, or a redirect.
type Page struct {
	Doc      *html.Node
	URL      *url.URL
	Captured time.Time
	// To is the URL that a redirect leads to; its Doc is nil.
	To *url.URL

	address
	links  []link
	model  *page.Page
	title  string
	texts  map[uint64]bool // longer texts that few pages have
	own    string          // the address that the page declares, else its URL
	asked  address         // of the URL
	posts  *records.Result
	joined bool // of several pages
}

// link is a link of a page to its own site.
type link struct {
	node *html.Node
	to   *url.URL
	address
}

const sample = 25 // pages of a group

// site is a site with its pages.
type site struct {
	pages, redirects []*Page
	groups           map[form][]*Page         // by the form without the number of a page; copies left out
	all              map[string]*Page         // by address
	least            int                      // pages of a form that prove something
	pagings          map[form]map[form]paging // of a form, by that of the further pages
	others           []other
}

// gather sorts pages by the forms of their addresses.
func gather(pages []*Page, least int) *site {
	s := &site{groups: map[form][]*Page{}, all: map[string]*Page{}, least: least, pagings: map[form]map[form]paging{}}
	for _, p := range pages {
		p.asked = addressOf(p.URL)
		if p.Doc == nil {
			s.redirects = append(s.redirects, p)
			continue
		}
		s.pages = append(s.pages, p)
		s.all[p.URL.String()] = p
		p.read()
	}
	s.readTexts()
	s.foldTitles()
	s.findPagings()
	s.group()
	return s
}

// read finds the links, the title and the address that a page declares as its own.
func (p *Page) read() {
	p.model = page.New(p.Doc, extract.Language(p.Doc), p.Captured)
	p.address, p.own, p.links = p.asked, p.URL.String(), nil
	for n := range p.Doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && p.title == "":
			p.title = textOf(n)
		case n.DataAtom == atom.Link && strings.EqualFold(page.Attr(n, "rel"), "canonical"):
			own, err := url.Parse(extract.Resolve(p.URL, page.Attr(n, "href")))
			if err == nil && own.Host == p.URL.Host {
				p.own, p.address = own.String(), addressOf(own)
			}
		case n.DataAtom == atom.A && page.Attr(n, "href") != "":
			u, err := url.Parse(extract.Resolve(p.URL, page.Attr(n, "href")))
			if err == nil && u.Host == p.URL.Host {
				u.Fragment = ""
				p.links = append(p.links, link{n, u, addressOf(u)})
			}
		}
	}
}

// Of the texts of pages, those of at least leastText letters count that at most one in fewPages of
// the pages has.
const (
	leastText = 30
	fewPages  = 4
)

// readTexts finds the texts that distinguish pages.
func (s *site) readTexts() {
	on := map[uint64]int{}
	for _, p := range s.pages {
		p.texts = map[uint64]bool{}
		for i, n := range p.model.Nodes {
			if n.Type == html.TextNode && p.model.Letters(i) >= leastText {
				p.texts[p.model.Sum(i)] = true
			}
		}
		for sum := range p.texts {
			on[sum]++
		}
	}
	for _, p := range s.pages {
		maps.DeleteFunc(p.texts, func(sum uint64, _ bool) bool { return on[sum] > max(2, len(s.pages)/fewPages) })
	}
}

// foldTitles takes addresses that end in one or two words, or in a title with a number, for those of
// the titles beside them, if there are more of these.
func (s *site) foldTitles() {
	count, titles := map[form]int{}, map[string]form{}
	for _, p := range s.pages {
		count[p.form]++
	}
	for _, f := range slices.Sorted(maps.Keys(count)) {
		end := strings.TrimSuffix(string(f), "/")
		if strings.HasSuffix(strings.TrimSuffix(end, path.Ext(end)), "/*") && count[f] > 1 {
			titles[ways.Outline(string(f))] = f
		}
	}
	fold := func(a *address) {
		dir, last := path.Split(strings.TrimSuffix(string(a.form), "/"))
		numbered := strings.HasPrefix(last, "#-*") || strings.HasPrefix(last, "*.#")
		to, there := titles[ways.Outline(string(a.form))]
		if numbered {
			to, there = titles[dir+"*"+path.Ext(strings.TrimPrefix(last, "*.#"))]
			there = there && count[a.form] < count[to]
		}
		if !there || a.form == to || !numbered && count[a.form] > 1 {
			return
		}
		of := form(dir).values()
		if title := strings.Join(a.values[of:], "-"); title != "" {
			last = title
		}
		a.form, a.base = to, to
		a.values = append(slices.Clone(a.values[:of]), last)
		a.key = keyOf(to, a.values)
	}
	for _, p := range s.pages {
		fold(&p.address)
		for i := range p.links {
			fold(&p.links[i].address)
		}
	}
}

// group groups pages by their forms. A page that declares another one as canonical is a copy.
func (s *site) group() {
	seen := map[string]bool{}
	for _, p := range s.pages {
		if at := p.URL.String(); p.own == at || s.all[p.own] == nil && !seen[p.own] {
			seen[p.own] = true
			s.groups[p.base] = append(s.groups[p.base], p)
		}
	}
	for _, group := range s.groups {
		slices.SortFunc(group, func(a, b *Page) int { return cmp.Compare(a.URL.String(), b.URL.String()) })
	}
}

// findCopies finds the other addresses of the pages of a form.
func (s *site) findCopies(to form) {
	byText := map[uint64]*address{}
	texts := map[string]map[uint64]bool{} // of an object
	for _, p := range s.pages {
		if p.base != to {
			continue
		}
		if texts[p.key] == nil {
			texts[p.key] = map[uint64]bool{}
		}
		maps.Copy(texts[p.key], p.texts)
		for sum := range p.texts {
			byText[sum] = &p.address
		}
	}
	var pairs [][2]*address
	add := func(from, shown *address) {
		if shown.base == to && from.base != to {
			pairs = append(pairs, [2]*address{from, shown})
		}
	}
	for _, p := range s.pages {
		if p.asked.form != p.form {
			add(&p.asked, &p.address)
		}
		if p.base == to {
			continue
		}
		for sum := range p.texts {
			if shown := byText[sum]; shown != nil && within(p.texts, texts[shown.key]) {
				add(&p.address, shown)
				break
			}
		}
	}
	found := copies(pairs, to, max(1, s.least-1))
	for _, r := range s.redirects {
		at := addressOf(r.To)
		if p, ok := s.pagings[to][at.form]; ok {
			at.isPart(p)
		}
		for _, o := range found { // of a copy
			if o.of == at.form {
				at = o.apply(at)
			}
		}
		add(&r.asked, &at)
	}
	s.others = copies(pairs, to, max(1, s.least-1))
	for _, o := range s.others {
		delete(s.groups, o.of) // they are no lists
	}
}

// apply is the preferred address of another one.
func (o *other) apply(a address) address {
	letters := make([]string, len(o.names))
	for value, name := range o.names {
		letters[name[0]-'a'] = a.values[value]
	}
	return address{form: o.to, base: o.to, values: letters, key: keyOf(o.to, letters)}
}

// spread takes at most so many pages of a group, evenly.
func spread(group []*Page, most int) (out []*Page) {
	for i := range min(len(group), most) {
		out = append(out, group[i*len(group)/min(len(group), most)])
	}
	return out
}

// records finds the posts of a page, once. In several pages read as one, articles may hide the posts
// beside them: the largest group of which nearly all are signed counts then.
func (p *Page) records() []records.Record {
	if p.posts == nil {
		var all groups
		r := records.Read(p.model, records.Weights(), &all)
		if most := 0; p.joined && r.Sure < unsure {
			for _, g := range all {
				if n := p.signed(g); n > most {
					most, r = n, records.Result{Records: g, Sure: unsure}
				}
			}
		}
		p.posts = &r
	}
	if p.posts.Sure < unsure {
		return nil
	}
	return p.posts.Records
}

// groups keeps all groups that the reader considers.
type groups [][]records.Record

func (*groups) Field(records.Kind, rank.Question, []records.Record, [][]int) {}
func (*groups) Page(rank.Question, []records.Record)                         {}
func (g *groups) Group(_ rank.Question, all [][]records.Record)              { *g = all }

// leastSigned is the mean length of contents of signed records, in letters: shorter ones are titles.
const leastSigned = 60

// signed counts the letters of records, if nearly all have author, date and a content of more than
// links.
func (p *Page) signed(group []records.Record) int {
	n, letters := 0, 0
	for _, r := range group {
		if r.Author < 0 || r.Date < 0 || r.Content < 0 || 2*p.model.LinkLetters(r.Content) > p.model.Letters(r.Content) {
			continue
		}
		n++
		letters += p.model.Letters(r.Content)
	}
	if n == 0 || float64(n) < nearlyAll*float64(len(group)) || letters < leastSigned*n {
		return 0
	}
	return letters
}

// unsure is the confidence below which records of one page count for nothing. It is far below that
// of publishing, since the records of several pages have to agree on their places.
const unsure = 0.3
