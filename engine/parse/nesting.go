package parse

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func set(list ...atom.Atom) map[atom.Atom]bool {
	m := map[atom.Atom]bool{}
	for _, a := range list {
		m[a] = true
	}
	return m
}

var (
	// blocks end what marks text in them, and are not ended by its end tags.
	blocks = set(atom.Address, atom.Applet, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption,
		atom.Center, atom.Colgroup, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Head, atom.Header, atom.Hgroup, atom.Html, atom.Li, atom.Listing, atom.Main, atom.Marquee, atom.Menu, atom.Nav,
		atom.Noscript, atom.Object, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Td,
		atom.Template, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul)
	// endP are the blocks that a paragraph cannot hold.
	endP = set(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div,
		atom.Dl, atom.Dd, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3,
		atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol,
		atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Ul)
	// walls keep the tags of what is in them from ending what is around them.
	walls = set(atom.Applet, atom.Button, atom.Caption, atom.Html, atom.Marquee, atom.Object, atom.Table, atom.Td, atom.Template,
		atom.Th)
	// ofTable hold nothing but each other.
	ofTable = set(atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr)
	// tableHolds are the elements that may stand between those of a table.
	tableHolds = set(atom.Caption, atom.Col, atom.Colgroup, atom.Script, atom.Style, atom.Table, atom.Tbody, atom.Td,
		atom.Template, atom.Tfoot, atom.Th, atom.Thead, atom.Tr)
	// parts are what only a table has.
	parts = set(atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr)
	// breakout are the elements of HTML that <svg> and <math> cannot hold.
	breakout = set(atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt,
		atom.Em, atom.Embed, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img, atom.Li,
		atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span, atom.Strong,
		atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var)
)

func isBlock(n *html.Node) bool { return n.Namespace == "" && blocks[n.DataAtom] }

// find gives the place in open of the nearest element that is wanted, -1 where there is
// none before a wall.
func (b *builder) find(wanted func(*html.Node) bool, wall map[atom.Atom]bool) int {
	for i := len(b.open) - 1; i > 0; i-- {
		n := b.open[i]
		if wanted(n) {
			return i
		}
		if n.Namespace == "" && wall[n.DataAtom] {
			return -1
		}
	}
	return -1
}

// closeNearest closes the nearest open element with a name, if it is open at all.
func (b *builder) closeNearest(wall map[atom.Atom]bool, names ...atom.Atom) bool {
	open := false
	for _, a := range names {
		open = open || b.of[a.String()] > 0
	}
	if !open {
		return false
	}
	i := b.find(func(n *html.Node) bool {
		for _, a := range names {
			if n.DataAtom == a && n.Namespace == "" {
				return true
			}
		}
		return false
	}, wall)
	if i > 0 {
		b.popTo(i)
	}
	return i > 0
}

var (
	lists = set(atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Table, atom.Td, atom.Th, atom.Caption, atom.Template, atom.Object,
		atom.Blockquote, atom.Fieldset)
	onlyTable = set(atom.Table, atom.Template)
)

// close ends what the current start tag ends, opens what a table needs around it, and
// reports whether the tag is to be left out.
func (b *builder) close() (leave bool) {
	for i := len(b.open) - 1; breakout[b.atom] && b.open[i].Namespace != "" && !holdsHTML(b.open[i]); i-- {
		b.popTo(i)
	}
	if parts[b.atom] {
		return b.intoTable()
	}
	if endP[b.atom] {
		b.closeNearest(walls, atom.P)
	}
	switch b.atom {
	case atom.A:
		b.closeNearest(blocks, atom.A)
	case atom.Nobr:
		b.closeNearest(blocks, atom.Nobr)
	case atom.Li:
		b.closeNearest(lists, atom.Li)
	case atom.Dd, atom.Dt:
		b.closeNearest(lists, atom.Dd, atom.Dt)
	case atom.Option:
		b.closeNearest(blocks, atom.Option)
	case atom.Optgroup:
		b.closeNearest(blocks, atom.Optgroup)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		switch b.top().DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			b.popTo(len(b.open) - 1)
		}
	case atom.Select:
		return b.closeNearest(walls, atom.Select)
	case atom.Button:
		b.closeNearest(walls, atom.Button)
	case atom.Rt, atom.Rp:
		b.closeNearest(blocks, atom.Rt, atom.Rp)
	case atom.Table:
		if ofTable[b.top().DataAtom] {
			b.closeNearest(nil, atom.Table)
		}
	case atom.Form:
		if b.of["form"] > 0 {
			b.drop()
			return true
		}
	}
	return false
}

// intoTable goes to where a part of a table belongs; true where there is no table.
func (b *builder) intoTable() (leave bool) {
	table := -1
	if b.of["table"] > 0 {
		table = b.find(func(n *html.Node) bool { return n.DataAtom == atom.Table }, set(atom.Template))
	}
	if table < 0 {
		return b.of["template"] == 0
	}
	within := func(want ...atom.Atom) int {
		wanted := set(want...)
		for i := len(b.open) - 1; i > table; i-- {
			if n := b.open[i]; wanted[n.DataAtom] && n.Namespace == "" {
				return i
			}
		}
		return -1
	}
	body := within(atom.Tbody, atom.Thead, atom.Tfoot)
	switch b.atom {
	case atom.Td, atom.Th, atom.Tr:
		row := -1
		if b.atom != atom.Tr {
			row = within(atom.Tr)
		}
		switch {
		case row > 0:
			b.popTo(row + 1)
			return false
		case body > 0:
			b.popTo(body + 1)
		default:
			b.popTo(table + 1)
			b.imply(atom.Tbody)
		}
		if b.atom != atom.Tr {
			b.imply(atom.Tr)
		}
	case atom.Col:
		if g := within(atom.Colgroup); g > 0 {
			b.popTo(g + 1)
			return false
		}
		b.popTo(table + 1)
		b.imply(atom.Colgroup)
	default:
		b.popTo(table + 1)
	}
	return false
}

// imply opens an element that has no tag.
func (b *builder) imply(a atom.Atom) {
	n := element(a)
	b.units++
	b.top().AppendChild(n)
	b.push(n)
}

// endTag closes an element, if one with the name is open and in reach.
func (b *builder) endTag() {
	if b.of[b.name] == 0 && b.without[b.name] == 0 || b.atom == atom.Html || b.atom == atom.Body {
		return // what follows is of the body too
	}
	if b.atom == atom.Head {
		if b.body == nil {
			b.popTo(1)
		}
		return
	}
	wall := walls
	switch {
	case ofTable[b.atom] || parts[b.atom]:
		wall = onlyTable
	case !blocks[b.atom]:
		wall = inlineWalls
	}
	i := b.find(func(n *html.Node) bool { return n.Data == b.name }, wall)
	if !b.endDropped(i) && i > 0 {
		b.popTo(i)
	}
}

// endDropped ends a tag that was left out, if one lies below the element that is open at i.
func (b *builder) endDropped(i int) bool {
	if b.without[b.name] == 0 {
		return false
	}
	at := len(b.dropped) - 1
	for b.dropped[at].name != b.name {
		at--
	}
	if b.dropped[at].level <= i {
		return false
	}
	for len(b.dropped) > at {
		b.undrop()
	}
	return true
}

// inlineWalls are what the end of an element that marks text does not end: all blocks but
// those whose own end may be left out.
var inlineWalls = func() map[atom.Atom]bool {
	m := set()
	for a := range blocks {
		m[a] = a != atom.P
	}
	return m
}()
