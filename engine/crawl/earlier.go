package crawl

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/kb"
)

// earlierCrawl gives the objects that an earlier crawl extracted, page by page.
// It keeps where the statements of a page are, in some 60 bytes a capture, and reads them when they are asked
// for. It is safe for concurrent use.
type earlierCrawl struct {
	files    []string
	seed     maphash.Seed
	captures []capture // sorted by URL, those of one in the order in which they were made
	members  []member  // sorted by graph, likewise
	hosts    map[string]bool
}

// capture relates hashes of a URL and of the name of a graph.
type capture struct{ url, graph uint64 }

// member is a gzip member of a graph file with statements of a graph, of whose name it has the hash.
type member struct {
	graph  uint64
	offset int64
	file   int
}

// openEarlier indexes the graph files of a crawl.
func openEarlier(dir string) (*earlierCrawl, error) {
	files, err := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, complain("%s %s: no graph/*.nq.gz there; expected the folder of a crawl", option("Previous"), dir)
	}
	e := &earlierCrawl{files: files, seed: maphash.MakeSeed(), hosts: map[string]bool{}}
	for i, file := range files {
		if err := e.index(i); err != nil {
			return nil, fmt.Errorf("the earlier crawl: %s: %w", file, err)
		}
	}
	slices.SortStableFunc(e.captures, func(a, b capture) int { return cmp.Compare(a.url, b.url) })
	slices.SortStableFunc(e.members, func(a, b member) int { return cmp.Compare(a.graph, b.graph) })
	return e, nil
}

func (e *earlierCrawl) hash(s string) uint64 { return maphash.String(e.seed, s) }

func (e *earlierCrawl) index(file int) error {
	f, err := os.Open(e.files[file])
	if err != nil {
		return err
	}
	defer f.Close()
	in := &offsetReader{Reader: bufio.NewReaderSize(f, 1<<16)}
	var z gzip.Reader
	for {
		at := member{file: file, offset: in.offset}
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		seen := ""
		err := readMember(&z, in, func(q statement) {
			switch {
			case q.graph != graph.Meta && q.graph != seen:
				seen = q.graph
				at.graph = e.hash(seen)
				e.members = append(e.members, at)
			case q.graph == graph.Meta && q.predicate == sourceProperty:
				e.captures = append(e.captures, capture{e.hash(graph.IRI(q.object)), e.hash(q.subject)})
				if u, err := url.Parse(q.object); err == nil {
					e.hosts[u.Host] = true
				}
			}
		})
		if err != nil {
			return err
		}
	}
}

// sourceProperty relates a capture to the URL that it is of.
const sourceProperty = "http://purl.org/dc/terms/source"

// offsetReader counts what is read from it; the decompressor takes no byte more
// than it needs.
type offsetReader struct {
	*bufio.Reader
	offset int64
}

func (r *offsetReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.offset += int64(n)
	return n, err
}

func (r *offsetReader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.offset++
	}
	return b, err
}

// statement is one quad; IRIs are without their brackets, literals are plain.
type statement struct{ subject, predicate, object, graph string }

// readMember reads the statements of the gzip member that a reader stands at.
func readMember(z *gzip.Reader, in io.Reader, each func(statement)) error {
	if err := z.Reset(in); err != nil {
		return err
	}
	z.Multistream(false)
	lines := bufio.NewScanner(z)
	const longest = 64 << 20
	lines.Buffer(nil, longest)
	for lines.Scan() {
		if q, ok := parseStatement(lines.Text()); ok {
			each(q)
		}
	}
	return lines.Err()
}

// parseStatement reads a line as engine/graph writes it.
func parseStatement(line string) (q statement, ok bool) {
	line, found := strings.CutSuffix(strings.TrimSpace(line), " .")
	end := strings.LastIndexByte(line, ' ')
	if !found || end < 0 {
		return q, false
	}
	q.graph = strings.Trim(line[end+1:], "<>")
	subject, rest, _ := strings.Cut(line[:end], " ")
	predicate, object, found := strings.Cut(rest, " ")
	q.subject, q.predicate = strings.Trim(subject, "<>"), strings.Trim(predicate, "<>")
	if !strings.HasPrefix(object, `"`) {
		q.object = strings.Trim(object, "<>")
		return q, found
	}
	literal := object[:strings.LastIndexByte(object, '"')+1]
	value, err := strconv.Unquote(literal)
	q.object = value
	return q, err == nil
}

// objects gives what the earlier crawl extracted from a URL, in the order of the
// page: none where it did not fetch it, and nil where it did not meet its host, or
// can no longer be read.
func (e *earlierCrawl) objects(u *url.URL) []extract.Object {
	at := *u
	at.Fragment = ""
	record := e.last(graph.IRI(at.String()))
	var list []*extract.Object
	byID := map[string]*extract.Object{}
	for _, m := range e.membersOf(record) {
		f, err := os.Open(e.files[m.file])
		if err != nil {
			return nil
		}
		_, err = f.Seek(m.offset, io.SeekStart)
		if err == nil {
			err = readMember(new(gzip.Reader), bufio.NewReader(f), func(q statement) {
				if q.graph == graph.Meta || e.hash(q.graph) != record {
					return
				}
				o := byID[q.subject]
				if o == nil {
					o = &extract.Object{ID: q.subject}
					byID[q.subject] = o
					list = append(list, o)
				}
				addStatement(o, q)
			})
		}
		f.Close()
		if err != nil {
			return nil
		}
	}
	if !e.hosts[u.Host] {
		return nil
	}
	out := []extract.Object{}
	for _, o := range list {
		if o.Class != "" && o.Class != "sioc:UserAccount" && o.Class != "sioc:Forum" { // of links, which no action gives
			out = append(out, *o)
		}
	}
	return out
}

// last gives the graph of the last capture of a URL, 0 for none.
func (e *earlierCrawl) last(address string) uint64 {
	key := e.hash(address)
	behind, _ := slices.BinarySearchFunc(e.captures, key, func(c capture, key uint64) int {
		if c.url <= key {
			return -1
		}
		return 1
	})
	if behind == 0 || e.captures[behind-1].url != key {
		return 0
	}
	return e.captures[behind-1].graph
}

// membersOf gives those of a graph.
func (e *earlierCrawl) membersOf(record uint64) []member {
	first, _ := slices.BinarySearchFunc(e.members, record, func(m member, record uint64) int { return cmp.Compare(m.graph, record) })
	behind := first
	for behind < len(e.members) && e.members[behind].graph == record {
		behind++
	}
	return e.members[first:behind]
}

// Namespaces of classes and of the fields that mending is about.
var (
	classPrefixes = []struct{ prefix, space string }{
		{"sioc", "http://rdfs.org/sioc/ns#"}, {"sioct", "http://rdfs.org/sioc/types#"}, {"schema", "http://schema.org/"},
	}
	earlierFields = map[string]struct {
		name string
		as   kb.As
	}{
		"http://purl.org/dc/terms/title":          {"title", kb.Text},
		"http://purl.org/dc/elements/1.1/creator": {"creator", kb.Text},
		"http://purl.org/dc/terms/created":        {"created", kb.Date},
		"http://purl.org/dc/terms/modified":       {"modified", kb.Date},
		"http://rdfs.org/sioc/ns#content":         {"content", kb.HTML},
	}
)

const typeProperty = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

func addStatement(o *extract.Object, q statement) {
	if q.predicate == typeProperty {
		for _, c := range classPrefixes { // the last class is one that schema.org has for it
			if name, ok := strings.CutPrefix(q.object, c.space); ok && (o.Class == "" || c.prefix != "schema") {
				o.Class = c.prefix + ":" + name
			}
		}
		return
	}
	field, known := earlierFields[q.predicate]
	if !known {
		return
	}
	for i := range o.Fields {
		if f := &o.Fields[i]; f.Name == field.name {
			f.Values = append(f.Values, q.object)
			return
		}
	}
	o.Fields = append(o.Fields, extract.Field{Name: field.name, As: field.as, Values: []string{q.object}})
}
