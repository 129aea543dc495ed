// Package rankmass bounds the share of the personalised PageRank from some seeds that the pages of
// a crawl have (Cho and Schonfeld, "RankMass crawler: a crawler with high personalized PageRank
// coverage guarantee", VLDB 2007).
//
// The surfer of the model starts at a seed. At each page the surfer follows one of its links with
// the probability [Damping], each link alike, and otherwise starts again at a seed, each seed
// alike. The surfer also starts again at a page without links. The rank of a page is the share of
// time that the surfer spends on it.
//
// The paths that lead only over fetched pages give a lower bound for the rank of the fetched pages.
// It holds for any links of the unfetched pages. The paper's algorithm sums up the probabilities of
// these paths: a page has the probability that a path reaches it and was not yet followed. If the
// page is fetched, it keeps the part 1-Damping as rank, and its links share the rest. Unfetched
// pages accumulate probability until they are fetched.
package rankmass

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"
	"slices"
	"sync"
)

// Damping is the probability of following a link. It is the usual value, also in the paper's
// experiments.
const Damping = 0.85

// Bounds of the link graph in memory, together about 250 MB. Pages beyond them count as unfetched,
// so that the bound stays true.
const (
	maxPages = 1 << 21
	maxLinks = 1 << 24 // of all pages
	perPage  = 1 << 14 // links of one page
)

// steps bounds the links followed for one page; the rest waits for the next page.
const steps = 1 << 20

// Mass is the rank of the fetched pages of a crawl. It is safe for concurrent use.
type Mass struct {
	least float64 // probability that is worth following: of all fetched pages, and of paths that start again

	mu      sync.Mutex
	pages   []page
	at      map[uint64]int32 // indexes of pages, by key
	seeds   []int32
	restart float64 // probability of paths that start again at a seed
	queue   []int32 // fetched pages with probability
	links   int
	fetched int
	covered float64
	full    bool
	file    *os.File // nil: the graph is not kept
	good    int64    // bytes of whole records in it
}

type page struct {
	probability float64 // of paths to the page that were not followed
	links       []int32
	fetched     bool
	queued      bool
}

// New returns the mass of a crawl that has fetched nothing. seeds are the keys of its seeds. share
// is the share of the rank that the caller waits for; the bound is exact to a fiftieth of the rest.
func New(seeds []string, share float64) *Mass {
	const exact = 1.0 / 100 // for fetched pages, and the same for paths that start again
	m := &Mass{least: exact * max(0, 1-share), at: make(map[uint64]int32)}
	for _, s := range seeds {
		if i := m.find(hash(s)); i >= 0 && !slices.Contains(m.seeds, i) {
			m.seeds = append(m.seeds, i)
		}
	}
	m.start(1)
	return m
}

// Open returns the mass of a crawl whose link graph is kept in a file, which is made if there is
// none. A torn end of the file is cut off.
func Open(name string, seeds []string, share float64) (*Mass, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	m := New(seeds, share)
	good := int64(0)
	for r := bufio.NewReaderSize(f, 1<<16); ; {
		var head [12]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if failed := readFault(err); failed != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", name, failed), f.Close())
			}
			break
		}
		n := binary.LittleEndian.Uint32(head[:])
		if n > perPage {
			break
		}
		links := make([]byte, 8*n)
		if _, err := io.ReadFull(r, links); err != nil {
			if failed := readFault(err); failed != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", name, failed), f.Close())
			}
			break
		}
		good += int64(len(head) + len(links))
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = binary.LittleEndian.Uint64(links[8*i:])
		}
		m.add(binary.LittleEndian.Uint64(head[4:]), keys)
	}
	if err := f.Truncate(good); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	m.file, m.good = f, good
	return m, nil
}

// readFault is an error of reading, nil for the end of a file.
func readFault(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Close closes the file.
func (m *Mass) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	err := m.file.Close()
	m.file = nil
	return err
}

// Fetched adds a fetched page by its key, with the keys of its links. A page counts once. After an
// error the page counts, but the next session may miss it.
func (m *Mass) Fetched(key string, links []string) error {
	keys := make([]uint64, 0, len(links))
	for _, l := range links {
		keys = append(keys, hash(l))
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.add(hash(key), keys) || m.file == nil {
		return nil
	}
	record := binary.LittleEndian.AppendUint32(nil, uint32(len(keys)))
	record = binary.LittleEndian.AppendUint64(record, hash(key))
	for _, k := range keys {
		record = binary.LittleEndian.AppendUint64(record, k)
	}
	// If only a part is written, good does not move, and the next record overwrites the part.
	if _, err := m.file.WriteAt(record, m.good); err != nil {
		return fmt.Errorf("storing the link graph: %w", err)
	}
	m.good += int64(len(record))
	return nil
}

// Covered returns a lower bound for the share of the rank that the fetched pages have, from 0 to 1.
// full reports whether pages were left out because the link graph has reached its memory limit.
func (m *Mass) Covered() (share float64, full bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.covered, m.full
}

// add adds a page; false if it counts already, or does not fit.
func (m *Mass) add(key uint64, links []uint64) bool {
	i := m.find(key)
	if i < 0 || len(links) > perPage || m.links+len(links) > maxLinks {
		m.full = true
		return false
	}
	if m.pages[i].fetched {
		return false
	}
	to := make([]int32, 0, len(links))
	for _, l := range links {
		at := m.find(l)
		if at < 0 {
			m.full = true
			return false
		}
		to = append(to, at)
	}
	m.links += len(to)
	m.fetched++
	m.pages[i].links, m.pages[i].fetched = to, true
	m.enqueue(i)
	m.follow()
	return true
}

// find returns the index of a page, and adds the page if it is new. It returns -1 if the memory
// limit is reached.
func (m *Mass) find(key uint64) int32 {
	if i, known := m.at[key]; known {
		return i
	}
	if len(m.pages) >= maxPages {
		return -1
	}
	i := int32(len(m.pages))
	m.at[key], m.pages = i, append(m.pages, page{})
	return i
}

// follow follows paths over fetched pages.
func (m *Mass) follow() {
	for left := steps; len(m.queue) > 0 && left > 0; {
		i := m.queue[0]
		m.queue = m.queue[1:]
		p := &m.pages[i]
		p.queued = false
		probability := p.probability
		p.probability = 0
		m.covered += (1 - Damping) * probability
		left -= len(p.links) + 1
		if len(p.links) == 0 {
			if m.restart += Damping * probability; m.restart >= m.least {
				probability, m.restart = m.restart, 0
				m.start(probability)
				left -= len(m.seeds)
			}
			continue
		}
		each := Damping * probability / float64(len(p.links))
		for _, to := range p.links {
			m.pages[to].probability += each
			m.enqueue(to)
		}
	}
}

// start lets paths with a probability start at the seeds.
func (m *Mass) start(probability float64) {
	for _, s := range m.seeds {
		m.pages[s].probability += probability / float64(len(m.seeds))
		m.enqueue(s)
	}
}

// enqueue queues a fetched page with enough probability.
func (m *Mass) enqueue(i int32) {
	p := &m.pages[i]
	if p.fetched && !p.queued && p.probability > math.SmallestNonzeroFloat32 && p.probability*float64(m.fetched) >= m.least {
		p.queued, m.queue = true, append(m.queue, i)
	}
}

func hash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}
