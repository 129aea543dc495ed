package kb

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // machines without a zone database read zones, too

	"github.com/beevik/etree"
)

var idForm = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

func (l *loader) category(e *etree.Element) {
	l.allow(e, []string{"id", "name", "rank"}, []string{"detect", "type"})
	id := CategoryID(l.id(e))
	c := l.categories[id]
	if c == nil {
		c = &category{id: id, rank: 1}
		l.categories[id] = c
	}
	if e.SelectAttr("rank") != nil {
		c.rank = l.integer(e, "rank", 1, 100)
	}
	added := l.patterns(e)
	c.detect = append(c.detect, added...)
	for _, p := range added {
		if !p.Weak {
			l.failAt(p.Pos, elementPath(e)+"/detect/pattern",
				"a category's pattern must be weak=\"yes\": a category alone names no software")
		}
	}
	for _, t := range e.SelectElements("type") {
		l.typ(t, c, nil)
		l.forget(t)
	}
}

func (l *loader) typ(e *etree.Element, c *category, parent *Type) {
	l.allow(e, []string{"id", "name", "site"}, []string{"detect", "urls", "level", "learned", "example", "type"})
	id := TypeID(l.id(e))
	if at, dup := l.inFile[id]; dup {
		l.fail(e, "the type %s is declared twice; the first is at %s", id, at)
		return
	}
	l.inFile[id] = l.positions[e]
	t := l.base.byID[id]
	switch {
	case t == nil:
		t = &Type{ID: id, Pos: l.positions[e]}
		l.base.byID[id] = t
		l.base.Types = append(l.base.Types, t)
		t.Parent, t.Category = parent, c.id
		t.Name = string(id)
	case t.Category != c.id || t.Parent != parent:
		l.fail(e, "the type %s exists at %s with another parent; use the same category and parent", id, t.Pos)
		return
	}
	t.sum = sumOf(e, t.sum, all)
	if slices.ContainsFunc(e.ChildElements(), isRule) { // else it only holds what was learned
		t.rules = sumOf(e, t.rules, isRule)
	}
	t.Name = e.SelectAttrValue("name", t.Name)
	t.Site = e.SelectAttrValue("site", t.Site)
	if strings.Contains(t.Site, "://") || t.Site != "" && t.Site[0] == '/' {
		l.fail(e, "site=%q; expected host/path without a scheme, such as example.org/forum", t.Site)
	}
	t.Detect = append(t.Detect, l.patterns(e)...)
	for _, u := range e.SelectElements("urls") {
		l.urls(u, &t.URLs)
	}
	var added []*Level
	for _, v := range e.SelectElements("level") {
		lv := l.level(v, id)
		for _, other := range added {
			if other.ID == lv.ID && other.Variant == lv.Variant {
				l.fail(v, "the level %s is declared twice; the first is at %s; give variants different variant=\"...\"", lv.Name(),
					other.Pos)
			}
		}
		added = append(added, lv)
	}
	t.Levels = overrideLevels(t.Levels, added)
	for _, x := range e.SelectElements("learned") {
		l.overlay(x, id)
	}
	for _, x := range e.SelectElements("example") {
		t.Examples = append(t.Examples, l.example(x))
	}
	for _, s := range e.SelectElements("type") {
		l.typ(s, c, t)
	}
}

// overrideLevels puts added levels over known ones: the same id and variant is
// replaced where it stands, new ones come first.
func overrideLevels(known, added []*Level) []*Level {
	out := append([]*Level(nil), known...)
	var fresh []*Level
next:
	for _, a := range added {
		for i, k := range out {
			if k.ID == a.ID && k.Variant == a.Variant {
				out[i] = a
				continue next
			}
		}
		fresh = append(fresh, a)
	}
	return append(fresh, out...)
}

func (l *loader) id(e *etree.Element) string {
	id := e.SelectAttrValue("id", "")
	if !idForm.MatchString(id) {
		l.fail(e, "id=%q; expected lower-case letters, digits, '-', '_' or '.', a letter first", id)
	}
	return id
}

func (l *loader) patterns(parent *etree.Element) []Pattern {
	var out []Pattern
	for _, d := range parent.SelectElements("detect") {
		l.allow(d, nil, []string{"pattern"})
		for _, p := range d.SelectElements("pattern") {
			attrs := []string{"weak"}
			if parent.Tag == "level" {
				attrs = withProvenance("weak")
			}
			l.allow(p, attrs, nil)
			x, err := parsePattern(textOf(p))
			if err != nil {
				l.fail(p, "%v", err)
				continue
			}
			one := Pattern{Expr: x, Weak: l.flag(p, "weak"), Pos: l.positions[p]}
			if parent.Tag == "level" {
				one.Learned = l.entry(p)
			}
			out = append(out, one)
		}
	}
	return out
}

func (l *loader) level(e *etree.Element, t TypeID) *Level {
	l.allow(e, []string{"id", "variant", "kind"}, []string{"detect", "browse", "follow", "object", "total", "changes"})
	v := &Level{Type: t, ID: LevelID(l.id(e)), Variant: e.SelectAttrValue("variant", ""), Pos: l.positions[e]}
	switch k := Kind(e.SelectAttrValue("kind", "")); k {
	case Intermediate, Terminal:
		v.Kind = k
	default:
		l.fail(e, "kind=%q; expected intermediate or terminal", k)
	}
	if v.Detect = l.patterns(e); !slices.ContainsFunc(v.Detect, func(p Pattern) bool { return p.Learned == nil }) &&
		!l.failedIn(elementPath(e)+"/detect") {
		l.fail(e, "has no pattern; expected <detect><pattern>...</pattern></detect>, or nothing can be of this level")
	}
	for _, b := range e.SelectElements("browse") {
		v.Browse = append(v.Browse, l.browse(b)...)
	}
	for _, f := range e.SelectElements("follow") {
		l.allow(f, []string{"to", "paging", "optional"}, []string{"try"})
		to := LevelID(f.SelectAttrValue("to", ""))
		if to == "" {
			l.fail(f, "has no to=\"...\"; expected the id of the level that the links lead to")
		}
		v.Follow = append(v.Follow, &Follow{To: to, Paging: l.flag(f, "paging"), Optional: l.flag(f, "optional"), Tries: l.tries(f),
			Pos: l.positions[f]})
	}
	for _, o := range e.SelectElements("object") {
		v.Objects = append(v.Objects, l.object(o, nil))
	}
	for _, s := range e.SelectElements("total") {
		v.Totals = append(v.Totals, l.total(s, "at", "link"))
	}
	for _, c := range e.SelectElements("changes") {
		v.Changes = append(v.Changes, l.changes(c))
	}
	if v.Kind == Intermediate && len(v.Objects) > 0 {
		l.fail(e, "an intermediate level has objects; expected kind=\"terminal\", or only <follow>")
	}
	return v
}

var classForm = regexp.MustCompile(`^(sioc|sioct|schema|foaf|dcterms|prov|awarc):[A-Za-z]\w*$`)

func (l *loader) object(e *etree.Element, outer *Object) *Object {
	l.allow(e, []string{"class", "at", "id", "rel", "nests"}, []string{"at", "field", "total", "object", "id", "parent"})
	o := &Object{Class: e.SelectAttrValue("class", ""), Rel: e.SelectAttrValue("rel", ""), Nests: l.flag(e, "nests"), Pos: l.positions[e]}
	if !classForm.MatchString(o.Class) {
		l.fail(e, "class=%q; expected a prefixed RDF class such as sioc:Post (prefixes: sioc, sioct, schema, foaf, dcterms, prov, awarc)",
			o.Class)
	}
	if at := e.SelectAttrValue("at", ""); at != "" {
		o.At = append(o.At, l.try(e, at, ""))
	}
	for _, a := range e.SelectElements("at") {
		l.allow(a, provenanceAttrs, nil)
		o.At = append(o.At, l.try(a, textOf(a), ""))
	}
	if outer != nil && l.written(o.At) == 0 {
		l.fail(e, "an object inside another has no at=\"...\"; expected the expression that selects its nodes")
	}
	o.ID = l.templates(e)
	for _, p := range e.SelectElements("parent") {
		l.allow(p, nil, nil)
		o.Parent = append(o.Parent, l.template(p))
	}
	switch {
	case o.Rel == "" && outer != nil:
		o.Rel = "has_container"
	case o.Rel != "" && o.Rel != "has_container" && o.Rel != "reply_of":
		l.fail(e, "rel=%q; expected has_container or reply_of", o.Rel)
	}
	for _, f := range e.SelectElements("field") {
		o.Fields = append(o.Fields, l.field(f, o))
	}
	for _, s := range e.SelectElements("total") {
		o.Totals = append(o.Totals, l.total(s))
	}
	for _, s := range e.SelectElements("object") {
		o.Objects = append(o.Objects, l.object(s, o))
	}
	return o
}

// changes reads where a page shows that others changed.
func (l *loader) changes(e *etree.Element) *ChangeRows {
	l.allow(e, []string{"to", "at", "link", "order"}, []string{"time", "count"})
	c := &ChangeRows{To: LevelID(e.SelectAttrValue("to", "")), Pos: l.positions[e]}
	if c.To == "" {
		l.fail(e, "has no to=\"...\"; expected the id of the level whose pages changed")
	}
	for name, to := range map[string]**Expr{"at": &c.At, "link": &c.Link} {
		s := e.SelectAttrValue(name, "")
		if s == "" {
			l.fail(e, "has no %s=\"...\"; expected both at (the rows) and link (the link to the changed page in a row)", name)
		} else if try := l.try(e, s, ""); try != nil {
			*to = try.Expr
		}
	}
	switch order := e.SelectAttrValue("order", ""); order {
	case "", "newest":
		c.Newest = order == "newest"
	default:
		l.fail(e, "order=%q; expected newest, or no order", order)
	}
	read := func(name string) (out []*Try) {
		for _, t := range e.SelectElements(name) {
			l.allow(t, []string{"match"}, nil)
			if try := l.try(t, textOf(t), t.SelectAttrValue("match", "")); try != nil {
				out = append(out, try)
			}
		}
		return out
	}
	if c.Times, c.Counts = read("time"), read("count"); len(c.Times)+len(c.Counts) == 0 && !l.failedIn(elementPath(e)) {
		l.fail(e, "has no <time> and no <count>; expected one of them, or no change can be found")
	}
	return c
}

// total reads a total, which may have some more attributes.
func (l *loader) total(e *etree.Element, more ...string) *Total {
	l.allow(e, append([]string{"of", "match", "more"}, more...), []string{"try"})
	t := &Total{Of: e.SelectAttrValue("of", ""), Tries: l.tries(e), Pos: l.positions[e]}
	if !classForm.MatchString(t.Of) && t.Of != OfPages {
		l.fail(e, "of=%q; expected the class that is counted, such as sioc:Post, or page", t.Of)
	}
	if e.SelectAttr("more") != nil {
		t.More = l.integer(e, "more", 0, 1<<20)
	}
	for name, to := range map[string]**Expr{"at": &t.At, "link": &t.Link} {
		if s := e.SelectAttrValue(name, ""); s != "" {
			if try := l.try(e, s, ""); try != nil {
				*to = try.Expr
			}
		}
	}
	if (e.SelectAttr("at") == nil) != (e.SelectAttr("link") == nil) {
		l.fail(e, "has only one of at=\"...\" and link=\"...\"; expected both (the nodes with a number, and the link in them) or none")
	}
	return t
}

// templates reads the ids of an object: its <id> elements, or its attribute.
func (l *loader) templates(e *etree.Element) []*Template {
	elements := e.SelectElements("id")
	if len(elements) == 0 {
		t, err := NewTemplate(e.SelectAttrValue("id", ""))
		if err != nil {
			l.fail(e, "id: %v", err)
		}
		return []*Template{t}
	}
	if e.SelectAttr("id") != nil {
		l.fail(e, "has both id=\"...\" and <id> elements; expected one of them")
	}
	var out []*Template
	for _, i := range elements {
		l.allow(i, nil, nil)
		out = append(out, l.template(i))
	}
	return out
}

// template reads the template that an element holds.
func (l *loader) template(e *etree.Element) *Template {
	t, err := NewTemplate(textOf(e))
	if err != nil {
		l.fail(e, "%v", err)
	}
	return t
}

func (l *loader) field(e *etree.Element, o *Object) *Field {
	l.allow(e, []string{"name", "as", "required", "many", "order", "zone", "match", "until", "unless"}, []string{"try", "without"})
	f := &Field{Name: e.SelectAttrValue("name", ""), As: As(e.SelectAttrValue("as", string(Text))), Required: l.flag(e, "required"),
		Many: l.flag(e, "many"), Order: e.SelectAttrValue("order", ""), Until: e.SelectAttrValue("until", ""), Tries: l.tries(e),
		Pos: l.positions[e]}
	if u := e.SelectAttrValue("unless", ""); u != "" {
		if t := l.try(e, u, ""); t != nil {
			f.Unless = t.Expr
		}
	}
	if !idForm.MatchString(f.Name) {
		l.fail(e, "name=%q; expected the local name of an RDF property, such as created", f.Name)
	}
	for _, other := range o.Fields {
		if other.Name == f.Name {
			l.fail(e, "the field %s is declared twice; the first is at %s; put both expressions in <try> elements of one field", f.Name,
				other.Pos)
		}
	}
	switch f.As {
	case Text, HTML, Date, URL, Number:
	default:
		l.fail(e, "as=%q; expected text, html, date, url or number", f.As)
	}
	f.Zone = l.zone(e)
	if !contains([]string{"", "dmy", "mdy", "ymd"}, f.Order) {
		l.fail(e, "order=%q; expected dmy, mdy or ymd", f.Order)
	}
	for _, w := range e.SelectElements("without") {
		l.allow(w, withProvenance(), nil)
		if t := l.try(w, textOf(w), ""); t != nil {
			f.Without = append(f.Without, t)
		}
	}
	l.idle(e, f)
	return f
}

// zone reads the time zone of a field: a name of the tz database, or an offset; nil where none is given.
func (l *loader) zone(e *etree.Element) *time.Location {
	name := e.SelectAttrValue("zone", "")
	if name == "" {
		return nil
	}
	if at, err := time.Parse("-07:00", name); err == nil {
		_, offset := at.Zone()
		return time.FixedZone(name, offset)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		l.fail(e, "zone=%q; expected a name such as Asia/Shanghai, or an offset such as +08:00", name)
		return nil
	}
	return zone
}

// idle reports what the kind of a field gives no meaning to.
func (l *loader) idle(e *etree.Element, f *Field) {
	cuts := false
	for _, t := range f.Tries {
		cuts = cuts || t != nil && t.Match != nil
	}
	switch {
	case f.As == HTML && cuts:
		l.fail(e, "match has no effect on as=\"html\"; expected <without> or until")
	case f.As != HTML && (f.Until != "" || len(f.Without) > 0):
		l.fail(e, "until and <without> have no effect on as=%q; expected as=\"html\", or match", f.As)
	case f.As != Date && f.Order != "":
		l.fail(e, "order has no effect on as=%q; expected as=\"date\"", f.As)
	case f.As != Date && f.Zone != nil:
		l.fail(e, "zone has no effect on as=%q; expected as=\"date\"", f.As)
	}
}

// tries reads the expressions of an action: its <try> elements, or its text, to
// which learned <try> elements may have been added.
func (l *loader) tries(e *etree.Element) []*Try {
	text, match := textOf(e), e.SelectAttrValue("match", "")
	var out []*Try
	for _, t := range e.SelectElements("try") {
		l.allow(t, withProvenance("match"), nil)
		out = append(out, l.try(t, textOf(t), t.SelectAttrValue("match", match)))
	}
	switch written := l.written(out); {
	case written == 0:
		out = append([]*Try{l.try(e, text, match)}, out...)
	case text != "":
		l.fail(e, "holds both text and <try> elements; expected one of them")
	}
	return out
}

// written counts the tries that an author wrote.
func (l *loader) written(tries []*Try) int {
	n := 0
	for _, t := range tries {
		if t == nil || t.Learned == nil {
			n++
		}
	}
	return n
}

func (l *loader) try(e *etree.Element, source, match string) *Try {
	x := l.expression(e, source)
	if x == nil {
		return nil
	}
	t := &Try{Expr: x}
	if e.Tag == "try" || e.Tag == "at" || e.Tag == "without" {
		t.Learned = l.entry(e)
	}
	if match != "" {
		var err error
		if t.Match, err = newRegexp(match); err != nil {
			l.fail(e, "match: %v", err)
			return nil
		}
	}
	return t
}

func (l *loader) flag(e *etree.Element, name string) bool {
	switch v := e.SelectAttrValue(name, "no"); v {
	case "yes":
		return true
	case "no":
		return false
	default:
		l.fail(e, "%s=%q; expected yes or no", name, v)
		return false
	}
}

func (l *loader) integer(e *etree.Element, name string, least, most int) int {
	v := e.SelectAttrValue(name, "")
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		l.fail(e, "%s=%q; expected a whole number from %d to %d", name, v, least, most)
	}
	return n
}

// resolve hands down what types inherit, once all sources are read, and checks
// what spans elements.
func (l *loader) resolve() {
	l.settleEntries()
	for _, t := range l.base.Types {
		c := l.categories[t.Category]
		t.Rank = c.rank
		t.Inherited = append(t.Inherited, c.detect...)
		if p := t.Parent; p != nil {
			t.Inherited = append(append([]Pattern(nil), p.Inherited...), p.Detect...)
			t.Levels = overrideLevels(p.Levels, t.Levels)
			t.URLs = p.URLs.with(t.URLs)
		}
		if len(t.Detect) == 0 && t.Site == "" && !l.failedIn("/type["+string(t.ID)+"]/detect") {
			l.failAt(t.Pos, "type["+string(t.ID)+"]", "has no pattern of its own; expected <detect>, or site=\"host/path\"")
		}
		for _, v := range t.Levels {
			if v.Type == t.ID { // what is inherited was checked above
				l.followTargets(t, v)
			}
		}
		l.preferred(t)
		l.addressLevels(t)
		l.checkExamples(t)
	}
}

// addressLevels checks that what addresses say of levels is of levels that there are.
func (l *loader) addressLevels(t *Type) {
	for _, a := range t.URLs.Addresses {
		if a.Level != "" && len(t.Levels) > 0 && len(t.Level(a.Level)) == 0 {
			l.failAt(a.Pos, "type["+string(t.ID)+"]/urls/address", "unknown level %q of %s; expected one of: %s", a.Level, t.ID,
				levelNames(t))
		}
	}
}

// preferred checks that no preferred form of a URL is rewritten again: a page
// would have two keys.
func (l *loader) preferred(t *Type) {
	for _, p := range t.URLs.Prefers {
		u, err := url.Parse("http://host/" + formPart.ReplaceAllString(p.Form, "1"))
		if err != nil || p.From == nil {
			continue
		}
		again := *u
		t.URLs.prefer(&again)
		u.Path = path.Clean(u.Path)
		if again.Path = path.Clean(again.Path); again.String() != u.String() {
			l.failAt(t.Pos, "type["+string(t.ID)+"]/urls/prefer",
				"url=%q is rewritten again to %s; expected a form that no <from> of the type matches", p.Form,
				strings.TrimPrefix(again.RequestURI(), "/"))
		}
	}
}

func (l *loader) followTargets(t *Type, v *Level) {
	for _, f := range v.Follow {
		if f.To == "" || len(t.Level(f.To)) > 0 {
			continue
		}
		other := ""
		if strings.Contains(string(f.To), "/") {
			other = "; it cannot name a level of another type: name the level of this type that is fetched as early, " +
				"since the patterns of each type find the pages of its own"
		}
		l.failAt(f.Pos, "type["+string(t.ID)+"]/level["+v.Name()+"]/follow", "to=%q is not a level of %s; expected one of: %s%s", f.To,
			t.ID, levelNames(t), other)
	}
}

func levelNames(t *Type) string {
	var names []string
	for _, v := range t.Levels {
		if !contains(names, string(v.ID)) {
			names = append(names, string(v.ID))
		}
	}
	return list(names)
}
