package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/awarc/awarc/frontier"
)

// drumStore looks links up as DRUM does (Lee, Leonard, Wang, Loguinov 2008, section 4
// of "IRLbot"): they wait in memory, and when there are many, each band of hashes is
// sorted and merged with a sorted file, front to back. New URLs are appended to
// a queue. So whether a link is new is known late, and what waits is lost in a crash:
// it promises less than the others.
type drumStore struct {
	dir     string
	bands   [bands][]drumItem
	waiting int
	queue   *os.File
	buffer  *bufio.Writer
}

const (
	bands     = 64
	drumBatch = 500_000
)

type drumItem struct {
	hash uint64
	url  []byte
}

func openDrum(dir string) (store, error) {
	queue, err := os.OpenFile(filepath.Join(dir, "queue"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &drumStore{dir: dir, queue: queue, buffer: bufio.NewWriterSize(queue, 1<<20)}, nil
}

func (s *drumStore) add(links []frontier.URL) (added int, err error) {
	for i := range links {
		h := binary.BigEndian.Uint64(key(&links[i]))
		band := h >> 58
		s.bands[band] = append(s.bands[band], drumItem{h, value(&links[i])})
		if s.waiting++; s.waiting == drumBatch {
			n, err := s.merge()
			if err != nil {
				return added, err
			}
			added += n
		}
	}
	return added, nil
}

// merge settles all that waits.
func (s *drumStore) merge() (added int, err error) {
	for i := range s.bands {
		n, err := s.mergeBand(i)
		if err != nil {
			return added, err
		}
		added += n
	}
	s.waiting = 0
	if err := s.buffer.Flush(); err != nil {
		return added, err
	}
	return added, s.queue.Sync()
}

func (s *drumStore) mergeBand(band int) (added int, err error) {
	items := s.bands[band]
	s.bands[band] = items[:0]
	slices.SortStableFunc(items, func(a, b drumItem) int { return cmp.Compare(a.hash, b.hash) })
	path := filepath.Join(s.dir, fmt.Sprint("band", band))
	old, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o666)
	if err != nil {
		return 0, err
	}
	defer old.Close()
	new, err := os.Create(path + ".new")
	if err != nil {
		return 0, err
	}
	defer new.Close()
	in, out := bufio.NewReaderSize(old, 1<<18), bufio.NewWriterSize(new, 1<<18)
	put := func(h uint64) error {
		_, err := out.Write(binary.BigEndian.AppendUint64(nil, h))
		return err
	}
	var word [8]byte
	next := func() (uint64, bool, error) {
		_, err := io.ReadFull(in, word[:])
		if errors.Is(err, io.EOF) {
			return 0, false, nil
		}
		return binary.BigEndian.Uint64(word[:]), err == nil, err
	}
	h, more, err := next()
	for i := 0; err == nil && (more || i < len(items)); {
		switch {
		case i == len(items) || more && h < items[i].hash:
			if err = put(h); err == nil {
				h, more, err = next()
			}
		case more && h == items[i].hash || i > 0 && items[i-1].hash == items[i].hash:
			i++ // known
		default:
			added++
			if err = put(items[i].hash); err == nil {
				_, err = s.buffer.Write(append(items[i].url, '\n'))
			}
			i++
		}
	}
	if err != nil {
		return added, err
	}
	if err := errors.Join(out.Flush(), new.Sync()); err != nil {
		return added, err
	}
	return added, os.Rename(path+".new", path)
}

func (s *drumStore) close() error {
	if _, err := s.merge(); err != nil {
		return err
	}
	return s.queue.Close()
}
