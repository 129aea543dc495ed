package archive

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
)

// source is a file of gzip members as it is read.
type source struct {
	name string
	r    io.ReaderAt
	size int64
}

func (s source) scanner() *scanner { return newScanner(s.name, s.r, 0, s.size) }

// salvaged is what reading a file to its end found that is not whole.
type salvaged struct {
	bad   []Span
	first error // at the first of them
	torn  bool  // all that is wrong is that the file ends too early
}

// salvage calls read wherever a record may start: after each that read accepted, and after one that it did not, at the next
// place that looks like a start. An error is one of reading the disk.
//
// A file can be made so that each of many such places costs much reading and fails, so the bytes read in vain are
// bounded; beyond that, the rest of the file is not whole.
func (s *scanner) salvage(f io.ReaderAt, size int64, read func() error) (salvaged, error) {
	found := salvaged{torn: true}
	vain := 4*size + 64<<20
	for bad := int64(-1); ; {
		start := s.offset()
		err := read()
		if (err == nil || err == io.EOF) && bad >= 0 {
			found.bad = append(found.bad, Span{bad, start - bad})
			bad = -1
		}
		switch {
		case err == nil:
			continue
		case err == io.EOF:
			return found, nil
		case onlyIO(err) != nil:
			return found, err
		}
		if bad < 0 {
			bad = start
			found.first = cmp.Or(found.first, err)
			found.torn = found.torn && errors.Is(err, io.ErrUnexpectedEOF)
		}
		next := size
		if vain -= s.offset() - start; vain >= 0 {
			if next, err = nextStart(f, s.plain, start+1, size); err != nil {
				return found, err
			}
		}
		s.restart(f, next, size)
	}
}

// matching says which captures are whole in both files of a segment.
type matching struct {
	captures    int    // amendments included
	members     int    // whole members of the graph file
	warc, graph []Span // what is kept of each file, in order: captures and, of the WARC file, what is about the file
	end         int64  // of the last capture in the WARC file
	damaged     bool   // more is wrong than that the files end within a capture
}

// match reads both files of a segment to their ends and pairs the captures that are whole in each, whatever lies between them: a graph
// member carries the id of its capture, which nobody outside can guess. The index lines of the captures go to lines. An error is
// one of reading the disk.
func match(warc, graph source, name string, lines *sorter) (matching, error) {
	members := map[string]Span{}
	g := graph.scanner()
	g.plain = false // whatever damage made of its first bytes, a graph file is compressed
	inGraph, err := g.salvage(graph.r, graph.size, func() error {
		start := g.offset()
		id, err := g.graphMember()
		if err == nil {
			members[id] = Span{start, g.offset() - start}
		}
		return err
	})
	if err != nil {
		return matching{}, err
	}
	m := matching{members: len(members)}
	var parts []*record       // of a capture that is not complete
	kept := map[string]bool{} // captures
	w := warc.scanner()
	inWARC, err := w.salvage(warc.r, warc.size, func() error {
		rec, err := w.next(false)
		if err != nil {
			return err
		}
		var whole []*record
		whole, parts = complete(parts, rec)
		if rec.aboutFile() {
			m.warc = append(m.warc, Span{rec.offset, rec.length})
		}
		if whole == nil {
			return nil
		}
		first := whole[0]
		member, paired := members[first.id()]
		if !paired {
			m.damaged = true
			return nil
		}
		if first.typ() == "revisit" && first.header[strings.ToLower(refersToFilename)] == name && !kept[first.refersTo()] {
			m.damaged = true // its payload is lost
			return nil
		}
		delete(members, first.id())
		kept[first.id()] = true
		for _, r := range whole {
			if e, ok := r.entry(); ok {
				lines.add(e.at(name, r.offset, r.length))
			}
		}
		m.captures++
		m.end = rec.offset + rec.length
		m.warc = append(m.warc, Span{first.offset, m.end - first.offset})
		m.graph = append(m.graph, member)
		return nil
	})
	m.warc = slices.DeleteFunc(m.warc, func(s Span) bool { return s.Offset >= m.end })
	m.warc, m.graph = joined(m.warc), joined(m.graph)
	m.damaged = m.damaged || !inWARC.torn || !inGraph.torn
	return m, err
}

// complete adds a record to those of an incomplete capture, and returns the records of the capture that it completes.
func complete(parts []*record, rec *record) (whole, incomplete []*record) {
	if n := len(parts); n > 0 && rec.offset == parts[n-1].offset+parts[n-1].length && rec.concurrentTo() == parts[0].id() {
		switch typ := rec.typ(); {
		case n > 1 && typ == "metadata":
			return append(parts, rec), nil
		case n == 1 && typ == "request", n > 1 && typ == "resource":
			return nil, append(parts, rec)
		}
	}
	switch {
	case rec.standsAlone():
		return []*record{rec}, nil
	case rec.typ() == "response", rec.typ() == "revisit":
		return nil, []*record{rec}
	}
	return nil, nil
}

// standsAlone reports whether the record is one by itself, with a member of the graph file as a capture has it: of a lookup, an
// amendment, or of a URL that gave no answer.
func (r *record) standsAlone() bool {
	if r.typ() == "response" {
		return strings.HasPrefix(r.uri(), dnsScheme)
	}
	return r.typ() == "metadata" && r.uri() != "" && r.concurrentTo() == ""
}

// aboutFile reports whether the record is of the file and not of a capture: its warcinfo record, or one that fills a gap.
func (r *record) aboutFile() bool {
	return r.typ() == "warcinfo" || r.typ() == "metadata" && r.uri() == "" && r.concurrentTo() == ""
}

// joined sorts spans and joins those that touch.
func joined(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Offset, b.Offset) })
	var all []Span
	for _, s := range spans {
		if n := len(all); n > 0 && all[n-1].Offset+all[n-1].Length == s.Offset {
			all[n-1].Length += s.Length
			continue
		}
		all = append(all, s)
	}
	return all
}
