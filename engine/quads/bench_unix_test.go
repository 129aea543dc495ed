//go:build unix

package quads

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchQuads is how many quads benchmarks load: about a million, or what AWARC_QUADS says.
func benchQuads() int {
	if n, err := strconv.Atoi(os.Getenv("AWARC_QUADS")); err == nil {
		return n
	}
	return 1_000_000
}

// forum writes the graph of a forum as a crawl does: a member for each page of 10 posts. It gives the address of each page.
func forum(b *testing.B, file string, n int) (pages []string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 10, 30_000)
	f, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	words := func(n int) string {
		var text strings.Builder
		for range n {
			fmt.Fprintf(&text, "word%d ", zipf.Uint64())
		}
		return text.String()
	}
	z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
	for quads, page := 0, 0; quads < n; page++ {
		z.Reset(out)
		address := fmt.Sprintf("http://forum.example/viewtopic.php?t=%d&start=%d", page/3, page%3*10)
		graph := fmt.Sprintf("urn:uuid:0b1e6f3c-5a51-4c5e-9d7f-%012x", page)
		pages = append(pages, address)
		q := func(s, p, o, g string) { quads++; fmt.Fprintf(z, "<%s> <%s> %s <%s> .\n", s, p, o, g) }
		iri := func(s string) string { return "<" + s + ">" }
		const meta, xsd = "urn:awarc:meta", "http://www.w3.org/2001/XMLSchema#"
		now := time.Unix(1_700_000_000+int64(page), 0).UTC()
		q(graph, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iri("http://www.w3.org/ns/prov#Entity"), meta)
		q(graph, "http://purl.org/dc/terms/source", iri(address), meta)
		q(graph, "http://www.w3.org/ns/prov#generatedAtTime", quote(now.Format(time.RFC3339))+"^^<"+xsd+"dateTime>", meta)
		q(graph, "urn:awarc:ns#httpStatus", `"200"^^<`+xsd+"integer>", meta)
		q(graph, "urn:awarc:ns#payloadDigest", quote(fmt.Sprintf("sha256:%064x", random.Uint64())), meta)
		q(graph, "urn:awarc:ns#extractor", quote("phpbb/topic@3f"), meta)
		q(graph, "urn:awarc:ns#warcOffset", fmt.Sprintf(`"%d"^^<%sinteger>`, page*9000, xsd), meta)
		thread := fmt.Sprintf("http://forum.example/viewtopic.php?t=%d", page/3)
		for i := range 10 {
			id := fmt.Sprintf("%s#p%d", thread, page*10+i)
			author := random.IntN(1 + page/20)
			account := fmt.Sprintf("http://forum.example/memberlist.php?mode=viewprofile&u=%d", author)
			text := words(20 + random.IntN(60))
			q(id, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iri("http://rdfs.org/sioc/ns#Post"), graph)
			q(id, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iri("http://schema.org/DiscussionForumPosting"), graph)
			q(id, "http://rdfs.org/sioc/ns#has_container", iri(thread), graph)
			q(id, "http://purl.org/dc/terms/title", quote("Re: "+words(4)), graph)
			q(id, "http://rdfs.org/sioc/ns#has_creator", iri(account), graph)
			q(id, "http://purl.org/dc/elements/1.1/creator", quote(fmt.Sprint("user", author)), graph)
			q(account, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iri("http://rdfs.org/sioc/ns#UserAccount"), graph)
			q(account, "http://xmlns.com/foaf/0.1/accountName", quote(fmt.Sprint("user", author)), graph)
			written := now.Add(-time.Hour * time.Duration(i)).Format(time.RFC3339)
			q(id, "http://purl.org/dc/terms/created", quote(written)+"^^<"+xsd+"dateTime>", graph)
			q(id, "http://rdfs.org/sioc/ns#content", quote(text), graph)
			q(id, "urn:awarc:ns#content_html", quote("<p>"+text+"</p>"), graph)
		}
		if err := z.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return pages
}

// processor is the time that this process has taken of processors: on a machine at work the clock says little.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLoad loads quads, texts included, in processor time; a ratio is to decompressing the same file and looking at each line of it.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "a.nq.gz")
	forum(b, file, benchQuads())
	var load, read time.Duration
	var r *Result
	for b.Loop() {
		began := processor(b)
		lines := 0
		f, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		w := walk{line: func([]byte) error { lines++; return nil }, done: func(int64) error { return nil }}
		if err := w.run(f, 0); err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
		read += processor(b) - began
		began = processor(b)
		r, err = Build(context.Background(), filepath.Join(dir, "index.db"), []string{file}, Options{Rebuild: true})
		if err != nil || r.Read != int64(lines) {
			b.Fatal(r, err)
		}
		load += processor(b) - began
	}
	b.ReportMetric(float64(r.Read)*float64(b.N)/load.Seconds(), "quads/s")
	b.ReportMetric(float64(load)/float64(read), "readings")
	b.ReportMetric(float64(r.Bytes)/float64(r.Quads), "B/quad")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkExtractedFrom asks what was extracted from an address, and when; a ratio is to one row of SQLite by its key.
func BenchmarkExtractedFrom(b *testing.B) {
	dir := b.TempDir()
	file, index := filepath.Join(dir, "a.nq.gz"), filepath.Join(dir, "index.db")
	pages := forum(b, file, benchQuads())
	if _, err := Build(context.Background(), index, []string{file}, Options{}); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	r, err := Open(ctx, index)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	random := rand.New(rand.NewPCG(3, 4))
	var ours, rows time.Duration
	var quads int
	for b.Loop() {
		page := pages[random.IntN(len(pages))]
		began := time.Now()
		n, err := r.extractedFrom(ctx, page)
		if err != nil || n < 60 {
			b.Fatal(page, n, err)
		}
		ours += time.Since(began)
		quads += n
		began = time.Now()
		var id int64
		row := r.tx.QueryRowContext(ctx, "SELECT id FROM object WHERE id >= ? LIMIT 1", random.IntN(int(r.Terms()/2)))
		if err := row.Scan(&id); err != nil {
			b.Fatal(err)
		}
		rows += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(b.N), "ns/op")
	b.ReportMetric(float64(ours)/float64(rows), "rows")
	b.ReportMetric(float64(quads)/float64(b.N), "quads")
}

// extractedFrom reads the captures of a page, their times, and all terms of what was extracted.
func (r *Reader) extractedFrom(ctx context.Context, page string) (quads int, err error) {
	pattern, err := r.Find(ctx, nil, property("dcterms:source"), IRI(page))
	if err != nil {
		return 0, err
	}
	room := make([]Quad, 256)
	captures, err := r.Scan(pattern, Union).Next(ctx, room)
	if err != nil {
		return 0, err
	}
	for _, capture := range room[:captures] {
		when, err := r.Find(ctx, nil, property("prov:generatedAtTime"))
		if err != nil {
			return 0, err
		}
		when[subject] = capture[subject]
		for _, s := range []*Scan{r.Scan(when, Union), r.Scan(Quad{graphName: capture[subject]}, One)} {
			more := make([]Quad, 256)
			n, err := s.Next(ctx, more)
			if err != nil {
				return 0, err
			}
			for _, q := range more[:n] {
				for _, number := range q[:3] {
					if _, err := r.Term(ctx, number); err != nil {
						return 0, err
					}
				}
			}
			quads += n
		}
	}
	return quads, nil
}

// BenchmarkSearch looks for two words; a ratio is to one that is in no text.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	file, index := filepath.Join(dir, "a.nq.gz"), filepath.Join(dir, "index.db")
	forum(b, file, benchQuads())
	if _, err := Build(context.Background(), index, []string{file}, Options{}); err != nil {
		b.Fatal(err)
	}
	r, err := Open(context.Background(), index)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for _, words := range []string{"word3 word7", "word300 word700", "word3000", "word30 word70 -word5", "nothing"} {
		b.Run(strings.ReplaceAll(words, " ", "+"), func(b *testing.B) {
			total := 0
			for b.Loop() {
				found, err := r.Search(context.Background(), Search{Words: words})
				if err != nil {
					b.Fatal(err)
				}
				total = found.Total
			}
			b.ReportMetric(float64(total), "results")
		})
	}
}

// BenchmarkRows reads all posts thread by thread, as export does, in processor time; a ratio is to loading them.
func BenchmarkRows(b *testing.B) {
	dir := b.TempDir()
	file, index := filepath.Join(dir, "a.nq.gz"), filepath.Join(dir, "index.db")
	forum(b, file, benchQuads())
	began := processor(b)
	if _, err := Build(context.Background(), index, []string{file}, Options{}); err != nil {
		b.Fatal(err)
	}
	load := processor(b) - began
	r, err := Open(context.Background(), index)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	rows := 0
	began = processor(b)
	for b.Loop() {
		err := r.Rows(context.Background(), Search{NotClass: Containers()}, func(*Row) error { rows++; return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
	took := processor(b) - began
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
	b.ReportMetric(float64(took)/float64(b.N)/float64(load), "loads")
	b.ReportMetric(float64(rows)/float64(b.N), "rows")
	b.ReportMetric(0, "ns/op")
}
