package quads

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/graph"
)

// capture is what is known of a capture.
type capture struct {
	crawl  uint32
	offset int64
	page, captured, record,
	kind, level, file string
}

// capture reads what is known of one, or of the one that a plugin's graph is of; of what is neither that is nothing.
func (d *describer) capture(ctx context.Context, id uint32) (*capture, error) {
	if id == 0 || id == d.meta {
		return &capture{}, nil
	}
	if c, ok := d.captures.get(id); ok {
		return c, nil
	}
	values, _, err := d.values(ctx, id)
	if err != nil {
		return nil, err
	}
	if of := values[useDerived]; len(of) > 0 && of[0] != id && len(values[useSource]) == 0 {
		c, err := d.capture(ctx, of[0])
		if err == nil {
			d.captures.put(id, c, 1)
		}
		return c, err
	}
	var c capture
	if len(values[useCrawl]) > 0 {
		c.crawl = values[useCrawl][0]
	}
	var extractor, offset string
	for _, f := range []struct {
		to    *string
		value []uint32
	}{
		{&c.record, []uint32{id}}, {&c.page, values[useSource]}, {&c.captured, values[useCaptured]}, {&extractor, values[useExtractor]},
		{&c.file, values[useFile]}, {&offset, values[useOffset]},
	} {
		if len(f.value) == 0 {
			continue
		}
		v, err := d.value(ctx, f.value[0])
		if err != nil {
			return nil, err
		}
		*f.to = v.Text
	}
	extractor, _, _ = strings.Cut(extractor, "@")
	c.kind, c.level, _ = strings.Cut(extractor, "/")
	c.offset, _ = strconv.ParseInt(offset, 10, 64) // 0 where it is not known
	d.captures.put(id, &c, 1)
	return &c, nil
}

// said is a value of a property, and the capture that has it.
type said struct {
	object uint32
	in     *capture
}

// byTime puts what was captured first first.
func byTime(a, b said) int { return strings.Compare(a.in.captured, b.in.captured) }

// newest gives the values in the last capture that has any.
func newest(all []said) (values []uint32) {
	for i := len(all) - 1; i >= 0 && all[i].in == all[len(all)-1].in; i-- {
		values = append(values, all[i].object)
	}
	slices.Reverse(values)
	return values
}

// row describes an object as its last captures have it; nil is none.
func (d *describer) row(ctx context.Context, subject uint32) (*Row, error) {
	var graphs []uint32
	var quads [uses][]Quad
	err := d.statements(ctx, subject, func(use int, q Quad) {
		quads[use] = append(quads[use], q)
		graphs = append(graphs, q[graphName])
	})
	if err != nil || len(quads[useClass]) == 0 {
		return nil, err
	}
	slices.Sort(graphs)
	captures, byRecord := map[uint32]*capture{}, map[string]*capture{}
	for _, id := range slices.Compact(graphs) {
		c, err := d.capture(ctx, id)
		if err != nil {
			return nil, err
		}
		if byRecord[c.record] == nil {
			byRecord[c.record] = c
		}
		captures[id] = byRecord[c.record] // one for the graphs of its page and of plugins
	}
	var all [uses][]said
	for use := range quads {
		for _, q := range quads[use] {
			all[use] = append(all[use], said{q[object], captures[q[graphName]]})
		}
		slices.SortStableFunc(all[use], byTime)
	}
	row := &Row{}
	last := all[useClass][len(all[useClass])-1].in
	row.Page, row.Captured, row.Record, row.Type, row.Level = last.page, last.captured, last.record, last.kind, last.level
	row.WARCFile, row.WARCOffset = last.file, last.offset
	if err := d.names(ctx, row, subject, &all); err != nil {
		return nil, err
	}
	if row.Content, row.Language, err = d.content(ctx, all[useBody]); err == nil {
		row.HTML, _, err = d.content(ctx, all[useHTML])
	}
	if err == nil {
		row.Own, _, err = d.content(ctx, all[useOwn])
	}
	if err == nil {
		row.Quoted, _, err = d.content(ctx, all[useQuoted])
	}
	if err == nil {
		err = d.annotations(ctx, row, &all)
	}
	return row, err
}

// names reads what is short.
func (d *describer) names(ctx context.Context, row *Row, subject uint32, all *[uses][]said) error {
	var id, titles, created, modified []string
	for _, f := range []struct {
		to     *[]string
		values []uint32
	}{
		{&id, []uint32{subject}}, {&row.Class, newest(all[useClass])}, {&titles, newest(all[useTitle])},
		{&row.Creator, newest(all[useCreator])}, {&row.CreatorURL, newest(all[useAccount])}, {&created, newest(all[useCreated])},
		{&modified, newest(all[useModified])}, {&row.ReplyTo, newest(all[useReplyOf])},
		{&row.Contributor, newest(all[useContributor])},
	} {
		var err error
		if *f.to, err = d.texts(ctx, f.values); err != nil {
			return err
		}
	}
	row.ID, row.Title = id[0], strings.Join(slices.Compact(titles), " / ")
	for i, c := range row.Class {
		row.Class[i] = graph.Prefixed(c)
	}
	slices.SortStableFunc(row.Class, func(a, b string) int { // what it is in a vocabulary of its kind first
		return cmp.Compare(strings.Count(a, "schema:"), strings.Count(b, "schema:"))
	})
	for _, f := range []struct {
		to    *string
		dates []string
	}{{&row.Created, created}, {&row.Modified, modified}} {
		for _, c := range f.dates {
			if *f.to = c; !date(c).IsZero() {
				break
			}
		}
	}
	profiles := row.CreatorURL[:0]
	for _, account := range row.CreatorURL {
		if !graph.IsGuest(account) { // which is made of a name
			profiles = append(profiles, strings.TrimSuffix(account, "#acct"))
		}
	}
	row.CreatorURL = profiles
	return nil
}

// annotations reads what extractors said of the text.
func (d *describer) annotations(ctx context.Context, row *Row, all *[uses][]said) error {
	for _, n := range newest(all[useMentions]) {
		iri, name, err := d.entity(ctx, n)
		if err != nil {
			return err
		}
		row.Mentions = append(row.Mentions, cmp.Or(name, iri))
	}
	var err error
	if row.Keywords, err = d.texts(ctx, newest(all[useKeywords])); err != nil || row.Language != "" {
		return err
	}
	languages, err := d.texts(ctx, newest(all[useLanguage]))
	if len(languages) > 0 {
		row.Language = languages[0]
	}
	return err
}

// content joins the texts of an object in the last crawl that has any: of each page what its last capture has, each once, without those
// that are in a longer one.
func (d *describer) content(ctx context.Context, all []said) (content, language string, err error) {
	if len(all) == 0 {
		return "", "", nil
	}
	last := map[string]*capture{}
	for _, s := range all {
		last[s.in.page] = s.in
	}
	crawl := all[len(all)-1].in.crawl
	var texts []string
	for _, s := range all {
		if s.in.crawl != crawl || last[s.in.page] != s.in {
			continue
		}
		v, err := d.value(ctx, s.object)
		if err != nil {
			return "", "", err
		}
		if v.Kind == kindTagged && language == "" {
			language, _, _ = strings.Cut(v.Of, "-")
		}
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, v.Text) }) {
			continue
		}
		texts = slices.DeleteFunc(texts, func(t string) bool { return strings.Contains(v.Text, t) })
		texts = append(texts, v.Text)
	}
	return strings.Join(texts, "\n"), language, nil
}
