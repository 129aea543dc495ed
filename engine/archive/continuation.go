package archive

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// segmentAt is a further segment of an answer.
type segmentAt struct {
	Place
	number int64
	total  int64 // bytes of all blocks together, as the last segment says; 0 where it does not
}

// continues remembers a further segment.
func (a *answers) continues(rec *record, at Place) {
	number, _ := strconv.ParseInt(rec.header["warc-segment-number"], 10, 32)
	total, _ := strconv.ParseInt(rec.header["warc-segment-total-length"], 10, 62)
	key := maphash.String(a.seed, strings.Trim(rec.header["warc-segment-origin-id"], "<> "))
	a.segments[key] = append(a.segments[key], segmentAt{at, number, total})
}

// joinSegments reads the answers whose blocks are in several records.
func (a *answers) joinSegments() error {
	for _, first := range a.segmented {
		rec, block, err := a.readAt(first)
		if err != nil {
			a.Bad(&BadRecord{File: first.File, Offset: first.Offset, Reason: reason(err), err: err})
			continue
		}
		block, missing, err := a.joined(rec, block)
		if err != nil {
			a.Bad(rec.bad(first.File, err))
			continue
		}
		if missing != "" {
			bad := rec.bad(first.File, errors.New(missing+": the segments before it were read"))
			bad.Read = true
			a.Bad(bad)
			rec.header["warc-truncated"] = cmp.Or(rec.header["warc-truncated"], "unspecified")
		}
		rec.declared = int64(len(block))
		if err := a.Each(a.answer(first.File, rec, block)); err != nil {
			return err
		}
	}
	for origin, all := range a.segments {
		if a.origins[origin] {
			continue
		}
		for _, s := range all {
			a.Bad(&BadRecord{File: s.File, Offset: s.Offset, Type: "continuation",
				Reason: "a segment without its record: skipped"})
		}
	}
	return nil
}

// joined puts the segments of an answer together, up to the first that is missing.
func (a *answers) joined(rec *record, block []byte) (whole []byte, missing string, err error) {
	if block == nil {
		return nil, "", fmt.Errorf("the record is longer than %d bytes", a.Most)
	}
	all := a.segments[maphash.String(a.seed, rec.id())]
	slices.SortStableFunc(all, func(x, y segmentAt) int { return cmp.Compare(x.number, y.number) })
	total := int64(0)
	for i, s := range all {
		if s.number != int64(i)+2 {
			return block, fmt.Sprintf("segment %d of the record is missing", i+2), nil
		}
		_, more, err := a.readAt(s.Place)
		switch {
		case err != nil:
			return nil, "", err
		case more == nil || int64(len(block)+len(more)) > a.Most:
			return nil, "", fmt.Errorf("the record is longer than %d bytes", a.Most)
		}
		block, total = append(block, more...), s.total
	}
	if total != int64(len(block)) {
		return block, "the last segment of the record is missing or has a wrong total length", nil
	}
	return block, "", nil
}
