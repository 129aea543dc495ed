package focused

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/cmd/internal/eval/replay"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/engine/score"
)

// mirrorWeb is the link graph of a mirrored site: all its pages with all their links.
type mirrorWeb struct {
	urls  []string
	texts []score.Vector
	out   [][]anchor
}

func (w *mirrorWeb) size() int                  { return len(w.urls) }
func (w *mirrorWeb) url(page int) string        { return w.urls[page] }
func (w *mirrorWeb) text(page int) score.Vector { return w.texts[page] }
func (w *mirrorWeb) links(page int) []anchor    { return w.out[page] }
func (w *mirrorWeb) subtopic(int) int           { return -1 }

// mostMirrored bounds the pages that are read of a mirror.
const mostMirrored = 5000

// readMirror reads a site by following every link of it.
func readMirror(ctx context.Context, root string) (*mirrorWeb, error) {
	w := new(mirrorWeb)
	known := map[string]int{}
	add := func(u string) int {
		if _, ok := known[u]; !ok && len(known) < mostMirrored {
			known[u] = len(w.urls)
			w.urls = append(w.urls, u)
		}
		if at, ok := known[u]; ok {
			return at
		}
		return -1
	}
	add(root + "/")
	for page := 0; page < len(w.urls); page++ {
		w.texts, w.out = append(w.texts, score.Vector{}), append(w.out, nil)
		u, err := url.Parse(w.urls[page])
		if err != nil {
			return nil, err
		}
		body, err := fetchPage(ctx, u.String())
		if err != nil {
			return nil, err
		}
		if body == nil {
			continue
		}
		doc := engine.Parse(engine.Answer{URL: u, HTML: body})
		w.texts[page] = score.Terms(pageText(doc), "en")
		for _, l := range extract.AllLinks(extract.Page{Doc: doc, URL: u}) {
			if !strings.HasPrefix(l.URL, root+"/") {
				continue
			}
			if to := add(l.URL); to >= 0 && to != page {
				w.out[page] = append(w.out[page], anchor{to, score.Terms(l.Text, "en")})
			}
		}
	}
	return w, nil
}

// fetchPage returns an HTML page, or nil for anything else.
func fetchPage(ctx context.Context, u string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || !strings.Contains(response.Header.Get("Content-Type"), "html") {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(response.Body, 8<<20))
}

// pageText is all that a page shows.
func pageText(doc *html.Node) string {
	var b bytes.Buffer
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// mirrors simulates crawls of a third of each mirrored site, for the topics of some
// of its pages.
func (m *measurement) mirrors() error {
	if _, err := os.Stat(filepath.Join(m.Sites, "replay")); err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "awarc-mirrors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := replay.Build(m.ctx, m.Sites, dir)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(m.Sites, "*.warc.xz"))
	if err != nil {
		return err
	}
	for _, file := range files {
		root, stop, err := replay.Serve(m.ctx, server, file, "127.0.0.1:0", "sid")
		if err != nil {
			return err
		}
		w, err := readMirror(m.ctx, root)
		stop()
		if err != nil {
			return err
		}
		if err := m.mirror(strings.TrimSuffix(filepath.Base(file), ".warc.xz"), w); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) mirror(name string, w *mirrorWeb) error {
	sim := simulation{web: w, pages: max(curvePoints, w.size()/3), batch: max(2, m.Batch/10)}
	r := rand.New(rand.NewPCG(m.Seed, 4))
	var linking []int
	for p := range w.urls {
		if len(w.out[p]) > 0 {
			linking = append(linking, p)
		}
	}
	for range m.Topics * m.Starts {
		sim.starts = append(sim.starts, []int{linking[r.IntN(len(linking))], linking[r.IntN(len(linking))]})
	}
	for _, row := range []Row{
		{PerTurn: 1, Update: "first"}, {PerTurn: 1, Update: "avg"}, {PerTurn: 1, Update: "avg", Learned: true}, {PerTurn: 5, Update: "avg"},
		{Batch: true, PerTurn: 5, Update: "avg"}, {PerTurn: 1, Update: breadthFirst},
	} {
		row.Site = fmt.Sprintf("%s (%d pages)", name, w.size())
		if err := sim.run(m.ctx, &row); err != nil {
			return err
		}
		m.report.Mirrors = append(m.report.Mirrors, row)
	}
	return nil
}
