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

// scanner reads a file of a Writer.
func (s source) scanner() *scanner {
	scan := newScanner(s.name, s.r, 0, s.size)
	scan.strict = true
	return scan
}

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
func (s *scanner) salvage(read func() error) (salvaged, error) {
	found := salvaged{torn: true}
	for bad := int64(-1); ; {
		start, within := s.offset(), s.from != nil
		err := read()
		if !within && (err == nil || err == io.EOF) && bad >= 0 {
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
		if !within && !s.strict {
			start = max(start, s.start) // behind padding
		}
		if bad < 0 {
			bad = start
			found.first = cmp.Or(found.first, err)
			found.torn = found.torn && errors.Is(err, io.ErrUnexpectedEOF)
		}
		if s.from != nil {
			continue // at the next record of the member
		}
		next := s.size
		if s.vain -= s.offset() - start; s.vain >= 0 {
			if next, err = s.nextStart(start + 1); err != nil {
				return found, err
			}
		}
		s.restart(next)
	}
}

// walk reads all records of a file. What cannot be read goes to bad, once for places without a record between them. It ends with an error
// of each, where io.EOF ends it without one, or of reading the disk.
func (s *scanner) walk(digests bool, each func(*record) error, bad func(*BadRecord)) (first error, err error) {
	var stop error
	failed := false
	found, err := s.salvage(func() error {
		if stop != nil {
			return io.EOF
		}
		rec, err := s.next(digests)
		if err == nil {
			failed = false
			stop = each(rec)
			return nil
		}
		var wrong *BadRecord
		if !failed && err != io.EOF && errors.As(err, &wrong) && onlyIO(err) == nil {
			failed = true
			bad(wrong)
		}
		return err
	})
	if stop != nil && stop != io.EOF {
		return found.first, stop
	}
	return found.first, err
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
	g.form = formGzip // whatever damage made of its first bytes
	inGraph, err := g.salvage(func() error {
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
	pairs := &pairing{add: lines.add, name: name}
	w.keep = pairs.keep
	inWARC, err := w.salvage(func() error {
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
			pairs.record(r)
		}
		pairs.flush()
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
