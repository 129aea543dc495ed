package archive

import (
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
		rec, block, err := readAt(first, a.Most)
		if err != nil {
			a.Bad(&BadRecord{File: first.File, Offset: first.Offset, Reason: reason(err), err: err})
			continue
		}
		block, err = a.joined(rec, block)
		if err != nil {
			a.Bad(rec.bad(first.File, err))
			continue
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
				Reason: "a segment of a record that is not there: passed over"})
		}
	}
	return nil
}

// joined puts the segments of an answer together.
func (a *answers) joined(rec *record, block []byte) ([]byte, error) {
	if block == nil {
		return nil, fmt.Errorf("the record is longer than %d bytes", a.Most)
	}
	all := a.segments[maphash.String(a.seed, rec.id())]
	slices.SortStableFunc(all, func(x, y segmentAt) int { return int(x.number - y.number) })
	total := int64(0)
	for i, s := range all {
		if s.number != int64(i)+2 {
			return nil, fmt.Errorf("segment %d of the record is not there: passed over", i+2)
		}
		_, more, err := readAt(s.Place, a.Most)
		switch {
		case err != nil:
			return nil, err
		case more == nil || int64(len(block)+len(more)) > a.Most:
			return nil, fmt.Errorf("the record is longer than %d bytes", a.Most)
		}
		block, total = append(block, more...), s.total
	}
	if total != int64(len(block)) {
		return nil, errors.New("its last segments are not there: passed over")
	}
	return block, nil
}
