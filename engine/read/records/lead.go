package records

import "golang.org/x/net/html"

// mostClimbed bounds the levels between a content and the element around its author and date.
const mostClimbed = 8

// lead returns the first post of a page that is in a frame of its own, as the question above its
// answers is: the only node before the records with the mark of their contents, and around it the
// innermost element with author and date where the records have both. ok is false without one.
func (r *reading) lead() (rec Record, ok bool) {
	mark := r.content.node().Mark
	if len(r.content.node().Classes) == 0 {
		return rec, false
	}
	rec = Record{Content: -1, Author: -1, Date: -1}
	first := r.g.records[0].first
	for n := 0; n < first; n++ {
		if r.p.Nodes[n].Mark != mark || r.p.Letters(n) < leastLetters || r.p.Within(first, n) {
			continue
		}
		if rec.Content >= 0 {
			return rec, false
		}
		rec.Content = n
	}
	if rec.Content < 0 {
		return rec, false
	}
	up := rec.Content
	for range mostClimbed {
		rec.Author, rec.Date = r.alikeIn(up, rec.Content, r.author), r.alikeIn(up, rec.Content, r.date)
		if (r.author == nil || rec.Author >= 0) && (r.date == nil || rec.Date >= 0) {
			rec.First, rec.End = up, r.p.Nodes[up].End
			return rec, r.author != nil || r.date != nil
		}
		if up = r.p.Nodes[up].Parent; up < 0 || r.p.Within(first, up) {
			break
		}
	}
	return rec, false
}

// alikeIn returns the first node inside one that has the mark of an option, and a date where the
// option is one, outside of a content; -1 for none.
func (r *reading) alikeIn(up, content int, o *option) int {
	if o == nil {
		return -1
	}
	of := o.node()
	for n := up; n < r.p.Nodes[up].End; n++ {
		if r.p.Within(n, content) || r.p.Within(content, n) || r.p.Letters(n) == 0 {
			continue
		}
		node := &r.p.Nodes[n]
		if o == r.date {
			if iso, _ := r.p.Date(n); iso != "" && node.Type == of.Type && (node.Type == html.TextNode || node.Data == of.Data) {
				return n
			}
			continue
		}
		if node.Mark == of.Mark && (len(node.Classes) > 0 || r.names.profile(r.p.LinkOf(n))) {
			return n
		}
	}
	return -1
}
