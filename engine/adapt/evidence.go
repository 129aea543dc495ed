package adapt

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/yfilter/xpath"
)

// What speaks for or against an answer, one feature each; weights.tsv says how much. Features are from 0 to 1 where nothing else is said.
type evidence = feature[*ask, *candidate]

// circumstances describe that no answer is right.
var circumstances = []feature[*ask, struct{}]{
	{"none", "before anything else is known", func(*ask, struct{}) float64 { return 1 }},
	{"optional", "the page need not have it", func(q *ask, _ struct{}) float64 { return truth(!q.field.Required) }},
	{"single", "there is one object: nothing repeats", func(q *ask, _ struct{}) float64 { return truth(len(q.sc.records) == 1) }},
	{"many", "eight objects", func(q *ask, _ struct{}) float64 { return float64(min(len(q.sc.records), 8)) / 8 }},
	{"paged", "the object is the page", func(q *ask, _ struct{}) float64 { return truth(page(q.sc)) }},
	{"company", "three other fields of the objects that are found", func(q *ask, _ struct{}) float64 { return min(1, q.tk.company()/3) }},
	{"hurried", "only what is likeliest was looked at", func(q *ask, _ struct{}) float64 { return truth(q.early) }},
}

// general are the features of all fields.
var general = []evidence{
	{"gaps", "objects without it", func(_ *ask, c *candidate) float64 { return 1 - c.coverage() }},
	{"some", "not in every object", func(_ *ask, c *candidate) float64 { return truth(c.coverage() <= 0.95) }},
	{"earlier", "as in the earlier crawl", func(_ *ask, c *candidate) float64 { return c.earlier }},
	{"added", "in objects that an earlier crawl found without it, as they may be", func(q *ask, c *candidate) float64 {
		if q.field.Required {
			return 0
		}
		return q.s.past.added(q.class(), q.field, q.sc.records, c.values)
	}},
	{"changes", "four changes of the expression", func(q *ask, c *candidate) float64 {
		return q.known(float64(min(c.cost.Changes, 4)) / 4)
	}},
	{"distance", "names unlike those that were", func(q *ask, c *candidate) float64 {
		return q.known(float64(min(c.cost.Distance, 200)) / 200)
	}},
	{"foreign", "far from all that is written, of another template", func(q *ask, c *candidate) float64 {
		return truth(q.s.unknown) * q.s.farness(c.cost) / farthest
	}},
	{"proposed", "read off the page", func(_ *ask, c *candidate) float64 { return truth(c.proposed) }},
	{"holding", "what else the expression asks for is there", func(_ *ask, c *candidate) float64 {
		return float64(min(c.holding, 2)) / 2
	}},
	{"hint", "named as in other templates", func(q *ask, c *candidate) float64 { return q.s.hints(purpose(q.spot), q.sc, c) }},
	{"agreed", "as the page states", func(_ *ask, c *candidate) float64 { return truth(c.agreed) }},
	{"denied", "the page states another", func(_ *ask, c *candidate) float64 { return truth(c.denied) }},
	{"stated", "where the page states it for programs", func(_ *ask, c *candidate) float64 { return truth(c.stated) }},
	{"within", "inside another field", func(q *ask, c *candidate) float64 { return q.tk.within(q.s.x, c) }},
	{"holds", "around another field", func(q *ask, c *candidate) float64 { return q.tk.holds(q.s.x, c) }},
	{"constant", "the same in all of several objects", func(_ *ask, c *candidate) float64 {
		return truth(c.filled() > 2 && distinct(c.values)*float64(c.filled()) < 1.5)
	}},
	{"repeated", "the same in several objects", func(_ *ask, c *candidate) float64 {
		if c.filled() < 3 {
			return 0
		}
		return 1 - distinct(c.values)
	}},
	{"visitors", "in a comment or a form, and the object is the page", func(q *ask, c *candidate) float64 {
		return truth(page(q.sc) && len(c.nodes[0]) > 0 && q.s.ofVisitors(c.nodes[0][0]))
	}},
	{"menu", "an item of a menu", func(q *ask, c *candidate) float64 { return q.share(c, q.s.inMenu) }},
	{"heading", "a heading", func(q *ask, c *candidate) float64 { return q.share(c, q.s.heading) }},
}

// nearby are those of fields that stand beside the title or content of a page, or of another object.
var nearby = []evidence{
	{"late", "how far down in its object it stands", func(q *ask, c *candidate) float64 { return q.late(c) }},
	{"label", "after a label with a colon", func(q *ask, c *candidate) float64 { return q.share(c, q.s.afterLabel) }},
}

var ofContent = []evidence{
	{"bulk", "the share of its objects' own text", func(_ *ask, c *candidate) float64 { return c.share }},
	{"padded", "what others hold, too", func(_ *ask, c *candidate) float64 { return c.padding }},
	{"refrain", "text that other objects have, too, in whatever length", func(_ *ask, c *candidate) float64 { return c.refrain }},
	{"mere", "of objects that say hardly anything", func(_ *ask, c *candidate) float64 { return truth(c.mere) }},
	{"object", "its whole object, with other fields", func(q *ask, c *candidate) float64 {
		return truth(!page(q.sc) && q.tk.holds(q.s.x, c) > mostHeld)
	}},
	{"thin", "little of the page's text", func(q *ask, c *candidate) float64 {
		return truth(page(q.sc) && !c.mere && c.share < leastShare)
	}},
	{"links", "links", func(q *ask, c *candidate) float64 { return q.s.links(c) }},
	{"linky", "mostly links", func(q *ask, c *candidate) float64 { return 2 * max(0, q.s.links(c)-0.5) }},
	{"frame", "a frame around several blocks", func(q *ask, c *candidate) float64 { return truth(q.s.stacks(c)) }},
	{"dated", "with a date by itself in it", func(q *ask, c *candidate) float64 { return q.dated(c) }},
	{"moment", "a date, with a label or without", func(q *ask, c *candidate) float64 { return c.countOf(q.s.dateLike) }},
	{"labels", "labels and what they tell, as of a person", func(q *ask, c *candidate) float64 { return c.countOf(profiled) }},
	{"several", "several elements", func(_ *ask, c *candidate) float64 {
		return truth(slices.ContainsFunc(c.nodes, func(nodes []int) bool { return len(nodes) > 1 }))
	}},
	{"pieces", "pieces of a text and not all of it", func(q *ask, c *candidate) float64 {
		return truth(slices.ContainsFunc(c.nodes, func(nodes []int) bool { return q.s.partial(nodes, page(q.sc)) }))
	}},
	{"astray", "outside the main text", func(q *ask, c *candidate) float64 { return truth(page(q.sc) && q.s.astray(c)) }},
	{"headed", "with the title of the page", func(q *ask, c *candidate) float64 { return q.headed(c) }},
	{"less", "less than half of the main text", func(q *ask, c *candidate) float64 { return truth(q.ofMain(c) < 0) }},
	{"more", "more than twice the main text", func(q *ask, c *candidate) float64 { return truth(q.ofMain(c) > 0) }},
	{"listing", "a list", func(q *ask, c *candidate) float64 {
		return truth(article(q.spot, q.sc) && c.share >= leastShare && newLister(q.s.page).lists(q.s.x.nodes[c.nodes[0][0]]))
	}},
}

var ofDate = []evidence{
	{"exact", "as programs write it", func(_ *ask, c *candidate) float64 { return truth(c.early == exact) }},
	{"cut", "cut out of a longer text", func(_ *ask, c *candidate) float64 { return truth(c.early == 0) }},
	{"clock", "with a time", func(_ *ask, c *candidate) float64 {
		return c.countOf(func(v string) bool { return len(v) > len("2006-01-02") })
	}},
	{"zoned", "with its zone", func(_ *ask, c *candidate) float64 {
		return c.countOf(func(v string) bool { return zoned.MatchString(v) })
	}},
	{"order", "in order", func(_ *ask, c *candidate) float64 {
		if c.filled() < 3 {
			return 0
		}
		return 2*order(c.values) - 1
	}},
	{"disorder", "in no order", func(_ *ask, c *candidate) float64 { return truth(c.filled() > 2 && order(c.values) < 0.85) }},
	{"ambiguous", "one of several in its element", func(q *ask, c *candidate) float64 { return truth(q.s.ambiguous(c)) }},
	{"contrary", "readers are shown another moment", func(q *ask, c *candidate) float64 {
		return truth(q.s.misstated && page(q.sc) && len(c.nodes[0]) > 0 && q.s.unseen(c.nodes[0][0]))
	}},
	{"revision", "of a change, by its name, as is asked for", func(q *ask, c *candidate) float64 {
		return truth(q.field.Name == "modified" && revised.MatchString(c.written()))
	}},
	{"publishing", "of the publication, and that of a change is asked for", func(q *ask, c *candidate) float64 {
		return truth(q.field.Name == "modified" && q.published(c))
	}},
	{"before", "before the date of its object, and a change is asked for", func(q *ask, c *candidate) float64 {
		return truth(q.field.Name == "modified") * q.before(c)
	}},
	{"vaguer", "without a time, where the date of its object has one", func(q *ask, c *candidate) float64 { return q.vaguer(c) }},
	{"personal", "the same in all objects of an author", func(q *ask, c *candidate) float64 { return truth(q.personal(c)) }},
	{"untimed", "no moment for programs, where each object has one", func(q *ask, c *candidate) float64 {
		return truth(c.early < exact && (c.expr == nil || !ofAttribute(c.expr)) && q.s.timed(q.sc))
	}},
	{"timetag", "in an element for times", func(q *ask, c *candidate) float64 {
		return q.share(c, func(n int) bool { return q.s.x.nodes[n].DataAtom == atom.Time })
	}},
}

var ofName = []evidence{
	{"like", "short as a name", func(_ *ask, c *candidate) float64 { return c.nameLike() }},
	{"unlike", "no name", func(_ *ask, c *candidate) float64 { return truth(c.nameLike() < 0.4) }},
	{"labelled", "with something beside the name", func(_ *ask, c *candidate) float64 { return truth(labelled(c.values)) }},
	{"wordless", "without a letter", func(_ *ask, c *candidate) float64 {
		return c.countOf(func(v string) bool { return !strings.ContainsFunc(v, unicode.IsLetter) })
	}},
	{"ragged", "some much longer than others", func(_ *ask, c *candidate) float64 { return c.ragged() }},
	{"button", "the same text leads to different people", func(q *ask, c *candidate) float64 { return truth(q.s.button(c)) }},
	{"link", "a link", func(q *ask, c *candidate) float64 {
		return min(1, 2*q.linked(c, func(string, int) bool { return true }))
	}},
	{"profile", "to a profile", func(q *ask, c *candidate) float64 {
		return min(1, 2*q.linked(c, func(href string, _ int) bool { return q.s.profile(href) }))
	}},
	{"only", "and nothing else", func(q *ask, c *candidate) float64 {
		return q.linked(c, func(href string, n int) bool { return q.s.profile(href) && q.s.onlyLink(n) })
	}},
	{"slug", "in the address of its link", func(q *ask, c *candidate) float64 { return q.echoes(c, q.s.addressHas) }},
	{"intitle", "in the page's title, and the object is the page", func(q *ask, c *candidate) float64 {
		return truth(page(q.sc) && q.nameInTitle(c))
	}},
	{"site", "the name of the site", func(q *ask, c *candidate) float64 {
		return c.countOf(func(v string) bool { return q.s.siteNames()[plainTitle(v)] })
	}},
	{"home", "a link to the front page", func(q *ask, c *candidate) float64 { return q.share(c, q.s.homeward) }},
	{"here", "a link that leads nowhere else", func(q *ask, c *candidate) float64 { return q.share(c, q.s.leadsNowhere) }},
	{"navigation", "in an element for navigation", func(q *ask, c *candidate) float64 { return q.share(c, q.s.inNav) }},
}

var ofTitle = []evidence{
	{"window", "the title of the window, with the site's name", func(q *ask, c *candidate) float64 {
		return truth(c.match == nil && len(q.s.parts) > 2) * q.share(c, q.ofWindow)
	}},
	{"tab", "cut out of the title of the window", func(q *ask, c *candidate) float64 {
		return truth(c.match != nil) * q.share(c, q.ofWindow)
	}},
	{"site", "the name of the site", func(q *ask, c *candidate) float64 {
		return c.countOf(func(v string) bool { return q.s.siteNames()[plainTitle(v)] })
	}},
	{"home", "a link to the front page", func(q *ask, c *candidate) float64 { return q.share(c, q.s.homeward) }},
	{"shared", "the title of several pages", func(q *ask, c *candidate) float64 { return c.countOf(q.s.others) }},
	{"branded", "with the name of the site beside it", func(q *ask, c *candidate) float64 { return c.countOf(q.s.branded) }},
	{"long", "too long", func(_ *ask, c *candidate) float64 { return c.countOf(func(v string) bool { return len(v) > 300 }) }},
	{"alike", "in the page's title", func(q *ask, c *candidate) float64 { return q.alike(c) }},
	{"fills", "nearly all of the page's title", func(q *ask, c *candidate) float64 {
		if len(q.sc.records) > 1 || q.alike(c) == 0 {
			return 0
		}
		return min(1, 1.6*float64(len(plainTitle(c.values[0])))/float64(max(1, len(q.s.title))))
	}},
	{"orphan", "not in the page's title", func(q *ask, c *candidate) float64 {
		return truth(len(q.sc.records) == 1 && q.s.title != "" && q.alike(c) == 0 && !q.s.heads(c))
	}},
	{"chief", "the only heading of the page", func(q *ask, c *candidate) float64 {
		return truth(len(q.sc.records) == 1 && q.s.heads(c))
	}},
	{"answers", "the page's title, or what answers it", func(q *ask, c *candidate) float64 { return q.s.answers(c.values, 0) }},
	{"here", "it leads to the page itself", func(q *ask, c *candidate) float64 {
		return truth(page(q.sc) && q.alike(c) > 0) * q.share(c, q.s.leadsHere)
	}},
	{"rest", "the text after its label", func(_ *ask, c *candidate) float64 { return truth(c.target().Kind == xpath.Text) }},
}

var ofText = []evidence{
	{"long", "too long", func(_ *ask, c *candidate) float64 { return c.countOf(func(v string) bool { return len(v) > 300 }) }},
	{"tagged", "links that say what they are", func(q *ask, c *candidate) float64 { return truth(q.field.Many && c.stated) }},
	{"link", "a link", func(q *ask, c *candidate) float64 { return q.linked(c, func(string, int) bool { return true }) }},
}

// Comparisons are features that an answer has beside the others. They come last in a vector.
var (
	comparedContent = []evidence{
		{"shell", "around an element that holds most of it", func(q *ask, c *candidate) float64 {
			return truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
				return d != c && d.share > mostOf*c.share && (q.s.unknown || d.cost.Changes <= c.cost.Changes) &&
					(deeper(q.s.x, d, c) || among(q.s.x, d, c))
			}))
		}},
		{"shelled", "inside an element that holds hardly more", func(q *ask, c *candidate) float64 {
			return truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
				return d != c && c.share > mostOf*d.share && (q.s.unknown || c.cost.Changes <= d.cost.Changes) &&
					(deeper(q.s.x, c, d) || among(q.s.x, c, d))
			}))
		}},
	}
	comparedDate = []evidence{
		{"first", "before the other dates", func(q *ask, c *candidate) float64 { return q.first(c) }},
		{"coarse", "the same moment is told elsewhere with more", func(q *ask, c *candidate) float64 {
			return truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
				return d != c && d.early > c.early && sameMoments(c.values, d.values)
			}))
		}},
	}
	comparedName = []evidence{
		{"first", "before the other names", func(q *ask, c *candidate) float64 { return q.first(c) }},
		{"adorned", "the name, and something with it", func(q *ask, c *candidate) float64 {
			return truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
				return d != c && d.coverage() >= c.coverage() && deeper(q.s.x, d, c) && partsOf(d.values, c.values)
			}))
		}},
	}
	comparedTitle = []evidence{
		{"first", "before the others", func(q *ask, c *candidate) float64 { return q.first(c) }},
	}
	comparedText = []evidence{{"first", "before the others", func(q *ask, c *candidate) float64 { return q.first(c) }}}
)

// compared are the comparisons of all fields.
var compared = []evidence{
	{"later", "the author of the expressions asks for another form of it first", func(q *ask, c *candidate) float64 {
		return q.known(truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
			return d != c && !d.proposed && d.cost.Changes <= c.cost.Changes && q.order(d) < q.order(c) && variant(q.s.x, q.field, c, d)
		})))
	}},
	{"partial", "more objects have another one, which says the same", func(q *ask, c *candidate) float64 {
		return truth(slices.ContainsFunc(q.answers, func(d *candidate) bool {
			return d != c && d.filled() > c.filled() && contains(d.values, c.values)
		}))
	}},
}

// evidenceOf are the features of each kind of field.
var evidenceOf = map[Kind]features[*ask, *candidate]{
	KindContent: {circumstances, slices.Concat(general, ofContent), slices.Concat(compared, comparedContent)},
	KindDate:    {circumstances, slices.Concat(general, nearby, ofDate), slices.Concat(compared, comparedDate)},
	KindName:    {circumstances, slices.Concat(general, nearby, ofName), slices.Concat(compared, comparedName)},
	KindTitle:   {circumstances, slices.Concat(general, ofTitle), slices.Concat(compared, comparedTitle)},
	KindText:    {circumstances, slices.Concat(general, nearby, ofText), slices.Concat(compared, comparedText)},
}

// listed is a feature as it is told.
type listed struct{ name, doc string }

// featuresOf lists the features of a kind, in the order of its vectors: those of none, then those of answers.
var featuresOf = func() map[Kind][]listed {
	out := map[Kind][]listed{KindRecords: aboutRecords.told(), KindLinks: aboutLinks.told()}
	for k, list := range evidenceOf {
		out[k] = list.told()
	}
	return out
}()

// told lists features as they are told.
func told[Q, A any](list []feature[Q, A]) []listed {
	var out []listed
	for _, f := range list {
		out = append(out, listed{f.name, f.doc})
	}
	return out
}

// namesOf are the names of the features of each kind.
var namesOf = func() map[Kind][]string {
	out := map[Kind][]string{}
	for k, list := range featuresOf {
		for _, f := range list {
			out[k] = append(out[k], f.name)
		}
	}
	return out
}()

// Doc says in a few words what a feature is; "" for one that there is not.
func Doc(kind Kind, name string) string {
	for _, f := range featuresOf[kind] {
		if f.name == name {
			return f.doc
		}
	}
	return ""
}
