package extract

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	model "github.com/awarc/awarc/engine/read/page"
	"github.com/awarc/awarc/engine/read/records"
	"github.com/awarc/awarc/kb"
)

// RecordReader names the activity that reads posts of pages that no type describes.
const RecordReader = "urn:awarc:reader:records"

// Classes of the reader's objects.
const (
	postClass    = "sioc:Post"
	commentClass = "sioct:Comment"
)

// discussion reads the posts of a page that no level describes, by the page alone. Their thread is
// the page without paging; on a page that declares itself an article they are its comments. unsure
// counts posts with a confidence below [records.LeastSure], which are left out.
func discussion(p Page, h *Harvest, work *kb.Work, said *statement) (objects []Object, unsure int) {
	if p.Type == nil {
		p.Type = &kb.Type{}
	}
	r := newRun(p, work, nil)
	m, got := r.readRecords()
	if len(got.Records) == 0 || got.Sure < records.LeastSure() {
		return nil, len(got.Records)
	}
	key := withoutPaging(r.key)
	title := said.title(p.Doc, p.URL.Hostname())
	if key == "" || notFound(title) {
		return nil, 0
	}
	outer := Object{Class: "sioc:Thread", Confidence: got.Sure}
	inner := kb.Object{Class: postClass, Rel: "has_container"}
	if said.article {
		outer.Class, inner.Class, inner.Rel = WebPage, commentClass, "reply_of"
	}
	if title != "" {
		outer.Fields = []Field{{Name: "title", As: kb.Text, Values: []string{title}}}
	}
	if own := r.ownAddress(&outer, false); own != "" && !isFront(own) { // boards show a thread at many addresses
		key = withoutPaging(own)
	}
	outer.ID = key
	objects = r.posts(m, &got, &inner, key)
	if len(objects) == 0 {
		return nil, 0
	}
	if said.article {
		outer.Fields = append(outer.Fields, said.authorAndDate(p, work)...)
		outer.Fields = append(outer.Fields, r.textBeside(m, got.Records, h, title)...)
	}
	return append([]Object{outer}, objects...), 0
}

// textBeside are the fields for the main text of a page without its records.
func (r *run) textBeside(m *model.Page, of []records.Record, h *Harvest, title string) []Field {
	main := h.textWithout(r.page.Doc, r.work, nodesOf(m, of))
	if main == nil {
		return nil
	}
	return textFields(main, title, r.work, r.resolve)
}

// nodesOf returns the nodes that records consist of.
func nodesOf(m *model.Page, of []records.Record) map[*html.Node]bool {
	nodes := map[*html.Node]bool{}
	for _, rec := range of {
		for n := rec.First; n < rec.End; n = m.Nodes[n].End {
			nodes[m.Nodes[n].Node] = true
		}
	}
	return nodes
}

// postsRead has the records that the reader found for the posts or comments of a level.
type postsRead struct {
	run          *run
	m            *model.Page
	got          records.Result
	outer, inner *kb.Object
}

// unreadPosts reads the posts or comments that a level describes if its actions find none of them, or
// find most of them without author, date or text, as on an unknown template. It returns nil otherwise,
// and without records.
func unreadPosts(p Page, h *Harvest, work *kb.Work) *postsRead {
	if !p.Posts {
		return nil
	}
	outer, inner := describedPosts(p.Type, h.Level)
	if inner == nil || arePosts(h, inner) {
		return nil
	}
	r := newRun(p, work, nil)
	m, got := r.readRecords()
	if len(got.Records) == 0 || got.Sure < records.LeastSure() {
		if inner.Class == postClass { // an article may have no comments
			h.Unsure = len(got.Records)
		}
		return nil
	}
	return &postsRead{r, m, got, outer, inner}
}

// fill adds the records to a harvest as objects. Values that actions found stay; records add the
// missing ones.
func (read *postsRead) fill(h *Harvest) {
	r, m, got, outer, inner := read.run, read.m, read.got, read.outer, read.inner
	thread, has := r.outerOf(h, outer)
	posts := r.posts(m, &got, inner, thread)
	if repeats(h, outer, posts) {
		return
	}
	found, ok := matched(m, got, h, inner)
	if !ok { // the actions found their objects elsewhere
		if of := (Harvest{Objects: posts}); float64(of.Known()) <= MuchMore*float64(h.Known()) {
			return
		}
		h.remove(inner.Class)
		found, _ = matched(m, got, h, inner)
	}
	if !has {
		h.Objects = append(h.Objects, Object{Class: outer.Class, ID: thread, Confidence: got.Sure})
	}
	for i, o := range posts {
		at := found[i]
		if at < 0 {
			h.Objects = append(h.Objects, o)
		} else {
			addFields(&h.Objects[at], o, got.Sure)
		}
	}
	h.Generic = true
}

// outerOf returns the id of the object of a page that its posts belong to, and whether an action
// found that object.
func (r *run) outerOf(h *Harvest, outer *kb.Object) (id string, found bool) {
	for _, o := range h.Objects {
		if o.Class == outer.Class {
			return o.ID, true
		}
	}
	if id = r.idAnyway(outer, r.page.Doc, kb.Names{URL: r.key}); id == "" {
		id = withoutPaging(r.key)
	}
	return id, false
}

// MuchMore is how many times as many authors, dates and texts of posts the reader must find before
// its posts replace the posts of actions. The value is arbitrary.
const MuchMore = 1.1

// remove takes the objects of a class out of a harvest.
func (h *Harvest) remove(class string) {
	kept, nodes := h.Objects[:0], h.nodes[:0]
	for i, o := range h.Objects {
		if o.Class != class {
			kept, nodes = append(kept, o), append(nodes, h.nodes[i])
		}
	}
	h.Objects, h.nodes = kept, nodes
}

// mainFields are the fields of a post that the reader finds.
var mainFields = []string{contentField, creatorField, "created"}

// Known counts the authors, dates and texts of the posts and comments of a harvest.
func (h *Harvest) Known() (n int) {
	for i := range h.Objects {
		o := &h.Objects[i]
		if o.Class != postClass && o.Class != commentClass {
			continue
		}
		for _, name := range mainFields {
			if _, has := o.Values(name); has {
				n++
			}
		}
	}
	return n
}

// arePosts reports whether most posts of a page have the main fields that their declaration has, and
// texts without their authors.
func arePosts(h *Harvest, inner *kb.Object) bool {
	posts, lacking := 0, map[string]int{}
	for i := range h.Objects {
		o := &h.Objects[i]
		if o.Class != inner.Class {
			continue
		}
		posts++
		for _, name := range mainFields {
			if _, has := o.Values(name); !has {
				lacking[name]++
			}
		}
		if hasLine(o.Value(contentField), o.Value(creatorField)) {
			lacking[contentField]++ // it may be the whole post
		}
	}
	return posts > 0 && !slices.ContainsFunc(inner.Fields, func(f *kb.Field) bool { return 2*lacking[f.Name] > posts })
}

// matched returns the index of the object of each record, -1 for a record without one. ok is false
// where an object lies outside all records, or two lie inside one.
func matched(m *model.Page, got records.Result, h *Harvest, inner *kb.Object) (found []int, ok bool) {
	index := map[*html.Node]int{}
	for i := range m.Nodes {
		index[m.Nodes[i].Node] = i
	}
	found = make([]int, len(got.Records))
	for i := range found {
		found[i] = -1
	}
	for at, o := range h.Objects {
		if o.Class != inner.Class {
			continue
		}
		n, in := index[h.nodes[at]]
		i := slices.IndexFunc(got.Records, func(rec records.Record) bool {
			return in && (rec.First <= n && n < rec.End || n <= rec.First && rec.End <= m.Nodes[n].End)
		})
		if i < 0 || found[i] >= 0 {
			return nil, false
		}
		found[i] = at
	}
	return found, true
}

// repeats reports whether a post is the text of the article that it would be a comment of.
func repeats(h *Harvest, outer *kb.Object, posts []Object) bool {
	for i := range h.Objects {
		if text := h.Objects[i].Value(contentField); text != "" && h.Objects[i].Class == outer.Class {
			return slices.ContainsFunc(posts, func(o Object) bool {
				post := o.Value(contentField)
				return post != "" && (strings.Contains(text, post) || strings.Contains(post, text))
			})
		}
	}
	return false
}

// Filled is the harvest with the main fields of posts and comments that only the harvest read has,
// which the record reader found.
func (h Harvest) Filled(read Harvest) Harvest {
	by := map[string]*Object{}
	for i := range read.Objects {
		if o := &read.Objects[i]; o.Confidence > 0 {
			by[o.Class+" "+o.ID] = o
		}
	}
	h.Objects = slices.Clone(h.Objects)
	for i := range h.Objects {
		o := &h.Objects[i]
		if from := by[o.Class+" "+o.ID]; from != nil {
			o.Fields = slices.Clip(o.Fields)
			addFields(o, *from, from.Confidence)
		}
	}
	return h
}

// addFields gives an object the main fields of a post that it lacks, and the text of the post where
// its own text is the whole post, with the author.
func addFields(o *Object, post Object, sure float64) {
	if isWhole(o.Value(contentField), post) {
		o.Fields = slices.DeleteFunc(slices.Clone(o.Fields), isContent)
	}
	for _, name := range mainFields {
		if _, has := o.Values(name); has {
			continue
		}
		for _, f := range post.Fields {
			if f.Name == name || strings.HasPrefix(f.Name, name+"_") || name == contentField && isContent(f) {
				o.Fields = append(o.Fields, f)
				o.Confidence = sure
			}
		}
	}
}

// isContent reports whether a field has the text of a post, or a part of it.
func isContent(f Field) bool {
	return f.Name == contentField || strings.HasPrefix(f.Name, contentField+"_") || f.Name == quotedField
}

// isWhole reports whether a text holds the text of a post and beside it, as a line, its author.
func isWhole(text string, post Object) bool {
	own, author := post.Value(contentField), post.Value(creatorField)
	before, after, within := strings.Cut(text, own)
	return within && own != "" && hasLine(before+"\n"+after, author)
}

// hasLine reports whether a text has a line that is a name.
func hasLine(text, name string) bool {
	return name != "" && slices.Contains(strings.Split(text, "\n"), name)
}

// describedPosts returns the object of a page, and the posts or comments that its level, or another
// variant of it, describes inside; nil for a level without them, or with several kinds: a record
// may be of either kind.
func describedPosts(t *kb.Type, v *kb.Level) (outer, inner *kb.Object) {
	if len(v.Objects) == 0 {
		for _, other := range t.Levels {
			if other.ID == v.ID && len(other.Objects) > 0 {
				v = other
				break
			}
		}
	}
	for _, of := range v.Objects {
		for _, o := range of.Objects {
			if len(of.At) > 0 || len(o.Objects) > 0 || inner != nil && inner.Class != o.Class {
				return nil, nil
			}
			if o.Class != postClass && o.Class != commentClass {
				continue
			}
			if inner == nil {
				outer, inner = of, o
			}
		}
	}
	return outer, inner
}

// readRecords reads the posts of the page. There are none where it is too large for the work left.
func (r *run) readRecords() (*model.Page, records.Result) {
	if !r.work.Spend(1 << 16) {
		return nil, records.Result{}
	}
	m := model.New(r.page.Doc, Language(r.page.Doc), r.page.Captured)
	got := records.Read(m, records.Weights(), nil)
	if len(got.Records) < 2 {
		return nil, records.Result{}
	}
	r.h = &Harvest{}
	r.claimed = leftNodes(m, got.Records)
	return m, got
}

// posts makes an object, as inner describes it, of each record. One without text has no fields.
func (r *run) posts(m *model.Page, got *records.Result, inner *kb.Object, thread string) (out []Object) {
	got.Records = slices.DeleteFunc(got.Records, func(rec records.Record) bool {
		o := r.record(m, &rec)
		if len(o.Fields) > 0 {
			out = append(out, o)
		}
		return len(o.Fields) == 0
	})
	ids := r.describedIDs(m, got.Records, inner, thread)
	if ids == nil {
		ids = recordIDs(m, got.Records)
		for i := range ids {
			ids[i] = thread + "#" + ids[i]
		}
	}
	for i := range out {
		o := &out[i]
		o.Class, o.ID, o.Parent, o.Rel, o.Confidence = inner.Class, ids[i], thread, inner.Rel, got.Sure
	}
	return out
}

// describedIDs returns the ids that the knowledge base gives the records; nil if two are equal or
// one is missing.
func (r *run) describedIDs(m *model.Page, of []records.Record, inner *kb.Object, thread string) (out []string) {
	seen := map[string]bool{"": true}
	for _, rec := range of {
		id := r.id(inner, m.Nodes[rec.First].Node, kb.Names{URL: r.key, Outer: thread, Parent: thread})
		if seen[id] {
			return nil
		}
		seen[id] = true
		out = append(out, id)
	}
	return out
}

// isFront reports whether an address is of a front page.
func isFront(address string) bool {
	u, err := url.Parse(address)
	return err != nil || strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// leftNodes returns the nodes inside contents that records exclude: controls, numbers, signatures.
func leftNodes(m *model.Page, of []records.Record) map[*html.Node]bool {
	left := map[*html.Node]bool{}
	for _, r := range of {
		for _, n := range r.Left {
			left[m.Nodes[n].Node] = true
		}
	}
	return left
}

// record makes an object of a record. A record without text or image gives an object without fields.
func (r *run) record(m *model.Page, rec *records.Record) (o Object) {
	if rec.Content < 0 {
		return o
	}
	c := r.rich(&kb.Field{Name: contentField, As: kb.HTML}, kb.Value{Node: m.Nodes[rec.Content].Node}, true)
	if c.text == "" && !strings.Contains(c.markup, "<img") {
		return o
	}
	text := func(name string, as kb.As, values ...string) {
		o.Fields = append(o.Fields, Field{Name: name, As: as, Values: values})
	}
	if rec.Author >= 0 {
		if name := m.Text(rec.Author); name != "" {
			text(creatorField, kb.Text, name)
			if account := r.resolve.link(m.LinkOf(rec.Author)); account != "" {
				text(accountField, kb.URL, account)
			}
		}
	}
	if rec.Date >= 0 {
		if iso := m.ExactDate(rec.Date); iso != "" {
			text("created", kb.Date, iso)
		}
	}
	text(contentField, kb.HTML, c.text)
	text(contentField+"_html", kb.HTML, c.markup)
	if len(c.quoted) > 0 {
		text(ownField, kb.HTML, c.own)
		text(quotedField, kb.HTML, c.quoted...)
	}
	return o
}

// recordIDs returns a fragment for each record: an id, name or address fragment that is unique on
// the page, or else the record's position.
func recordIDs(m *model.Page, of []records.Record) []string {
	sources := []func(n *html.Node) string{
		func(n *html.Node) string { return model.Attr(n, "id") },
		func(n *html.Node) string { return anchorName(n) },
		func(n *html.Node) string { return model.Attr(n, "data-id") },
		func(n *html.Node) string {
			if _, fragment, found := strings.Cut(model.Attr(n, "href"), "#"); found && n.DataAtom == atom.A {
				return fragment
			}
			return ""
		},
	}
	out := make([]string, len(of))
	for _, source := range sources {
		seen := map[string]bool{}
		for i, rec := range of {
			out[i] = ""
			for n := rec.First; n < rec.End; n++ {
				if v := source(m.Nodes[n].Node); strings.ContainsAny(v, "0123456789") && !strings.ContainsAny(v, " \t\n") {
					out[i] = url.PathEscape(v)
					break
				}
			}
			seen[out[i]] = true
		}
		if len(seen) == len(of) && !seen[""] {
			return out
		}
	}
	for i := range of {
		out[i] = "record-" + strconv.Itoa(i+1)
	}
	return out
}

func anchorName(n *html.Node) string {
	if n.DataAtom != atom.A {
		return ""
	}
	return model.Attr(n, "name")
}

var (
	pagingParams = []string{"page", "pg", "start", "st", "offset", "seite", "pagina", "pagenum", "currentpage", "paged"}
	pagingPath   = regexp.MustCompile(`(?i)/(?:page|seite|pagina)[-/_]?[0-9]+/?$`)
)

// withoutPaging removes usual paging parameters and path segments from the address of a thread.
func withoutPaging(key string) string {
	out, err := url.Parse(key)
	if err != nil {
		return ""
	}
	query := out.Query()
	for name := range query {
		if slices.Contains(pagingParams, strings.ToLower(name)) {
			query.Del(name)
		}
	}
	if len(query) != len(out.Query()) {
		out.RawQuery = query.Encode()
	}
	if at := pagingPath.FindStringIndex(out.Path); at != nil && at[0] > 0 {
		out.Path, out.RawPath = out.Path[:at[0]], ""
	}
	return out.String()
}
