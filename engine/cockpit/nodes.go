package cockpit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/archive"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/durable"
)

// Pages of a crawl of several nodes are made of what all of them have. A node lets the others read its logs, its graph and the index of its
// archive, which are copied below the folder of the node that is looked at, what is new of them only; of the archive itself it reads
// single answers to them. What a node is asked by another it answers from its own folder: no question is passed on.

const (
	copiesFolder = "state/nodes"
	nodeHeader   = "Awarc-Node" // says which node answers: an address may be another one's on another machine
	nodePaths    = "/api/v1/node/"
	askTime      = time.Second      // for a short answer
	answerTime   = 20 * time.Second // for one of an archive
	copyTime     = time.Minute      // for what is new of a node: the next copy goes on
	copyWait     = 2 * time.Second  // that a page waits for copies
	copyEvery    = time.Second
	overlap      = 64 // bytes by which a file is known to be the one that was copied
)

// sharedFile is a file that nodes let each other read.
type sharedFile struct {
	Name    string    `json:"name"` // below the folder, with slashes
	Size    int64     `json:"size"`
	Changed time.Time `json:"changed"`
}

// sharedFiles match their names. Those of the first two only grow.
var sharedFiles = []string{"graph/*.nq.gz*", "log/*.jsonl", "archive/index.cdxj", "report.json", crawl.SettingsFile}

func isShared(name string) bool {
	return slices.ContainsFunc(sharedFiles, func(pattern string) bool {
		is, _ := filepath.Match(pattern, name) // it is well formed
		return is
	})
}

func grows(name string) bool {
	return strings.HasPrefix(name, "graph/") || strings.HasPrefix(name, "log/")
}

// NodeHandler answers the other nodes of a crawl.
func NodeHandler(s *Session) http.Handler { return nodeHandler(s.Crawl.Dir(), s.Crawl.Node(), s.Feed) }

func nodeHandler(dir, node string, feed *Feed) http.Handler {
	mux := http.NewServeMux()
	handle := func(path string, answer func(r *http.Request) (any, error)) {
		mux.HandleFunc("GET "+nodePaths+path, func(w http.ResponseWriter, r *http.Request) {
			v, err := answer(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v) // who is gone has no use for the error
		})
	}
	handle("watched", func(*http.Request) (any, error) { return feed.watched(), nil })
	handle("files", func(*http.Request) (any, error) { return filesOf(dir) })
	handle("answer", func(r *http.Request) (any, error) {
		offset, err := strconv.ParseInt(r.FormValue("offset"), 10, 64)
		if err != nil {
			return nil, err
		}
		return crawl.Folder(dir).Answer(r.Context(), r.FormValue("file"), offset, longestReplayed)
	})
	mux.HandleFunc("GET "+nodePaths+"files/{name...}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !isShared(name) {
			http.Error(w, textNoPage, http.StatusNotFound)
			return
		}
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			http.Error(w, textNoPage, http.StatusNotFound)
			return
		}
		defer f.Close()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(copyTime)) // where there is one
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, f)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(nodeHeader, node)
		mux.ServeHTTP(w, r)
	})
}

// filesOf lists what a node lets others read.
func filesOf(dir string) (files []sharedFile, err error) {
	for _, pattern := range sharedFiles {
		names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				continue // it has been renamed: the next list has it
			}
			files = append(files, sharedFile{strings.TrimPrefix(pattern[:strings.LastIndexByte(pattern, '/')+1]+filepath.Base(name), "/"),
				info.Size(), info.ModTime()})
		}
	}
	return files, nil
}

// nodes are the other nodes of a crawl as they were when a page was made last.
type nodes struct {
	began time.Time
	done  chan struct{} // closed when their copies are up to date, as far as they can be

	mu     sync.Mutex
	others []crawl.NodeState
	away   map[string]string // by node: why not all that it has is shown
}

// answered notes whether a node gave what it was asked for.
func (n *nodes) answered(node *crawl.NodeState, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		delete(n.away, node.Node)
		return
	}
	n.away[node.Node] = fmt.Sprintf(textNotAll, node.Machine+" "+node.Folder, err)
}

// remarks are why not all that other nodes have is shown.
func (n *nodes) remarks() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Values(n.away))
}

// folders are those of a crawl: its own and, of several nodes, copies of what the others have.
func (c *Cockpit) folders(ctx context.Context, name string) crawl.Folders {
	f := crawl.Folder(c.Crawls.Folder(name))
	var others []crawl.NodeState
	if s := c.Crawls.Session(name); s != nil && s.Crawl.Node() != "" {
		n := c.renewCopies(name, s)
		select {
		case <-n.done:
		case <-time.After(copyWait):
		case <-ctx.Done():
		}
		n.mu.Lock()
		others = n.others
		n.mu.Unlock()
	}
	copies, _ := filepath.Glob(filepath.Join(f.Dirs[0], copiesFolder, "*", crawl.SettingsFile)) // the pattern is well formed
	for _, settings := range copies {
		f.Dirs = append(f.Dirs, strings.TrimSuffix(settings, filepath.FromSlash("/"+crawl.SettingsFile)))
	}
	f.Elsewhere = func(ctx context.Context, file string, offset int64) (*archive.Answer, error) {
		at := slices.IndexFunc(others, func(n crawl.NodeState) bool { return n.Wrote(file) })
		if at < 0 {
			return nil, errors.New(textElsewhere)
		}
		var a archive.Answer
		place := url.Values{"file": {file}, "offset": {strconv.FormatInt(offset, 10)}}
		err := c.ask(ctx, &others[at], "answer?"+place.Encode(), answerTime, &a)
		return &a, err
	}
	return f
}

// renewCopies brings the copies of what other nodes have up to date, unless that is under way or was done just now.
func (c *Cockpit) renewCopies(name string, s *Session) *nodes {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodes[name]
	if n != nil {
		select {
		case <-n.done:
			if time.Since(n.began) < copyEvery {
				return n
			}
		default:
			return n
		}
	}
	n = &nodes{began: time.Now(), done: make(chan struct{}), away: map[string]string{}}
	c.nodes[name] = n
	go func() {
		defer close(n.done)
		ctx, cancel := context.WithTimeout(context.Background(), copyTime)
		defer cancel()
		within, stop := context.WithTimeout(ctx, askTime)
		all, _ := s.Crawl.Nodes(within) // servers that are away tell of none
		stop()
		others := othersOf(all)
		n.mu.Lock()
		n.others = others
		n.mu.Unlock()
		dir := filepath.Join(s.Crawl.Dir(), filepath.FromSlash(copiesFolder))
		eachNode(others, func(i int, node *crawl.NodeState) {
			n.answered(node, errors.New(textCopying))
			n.answered(node, c.copyNode(ctx, node, filepath.Join(dir, node.Name()), s.Crawl.Options().MinSpace))
		})
	}()
	return n
}

// othersOf are the nodes beside this one that have done something.
func othersOf(all []crawl.NodeState) []crawl.NodeState {
	return slices.DeleteFunc(slices.Clone(all), func(n crawl.NodeState) bool { return n.This || n.Requests+n.WARCBytes == 0 })
}

// eachNode does something with all nodes at once.
func eachNode(all []crawl.NodeState, do func(i int, n *crawl.NodeState)) {
	var asked sync.WaitGroup
	for i := range all {
		asked.Go(func() { do(i, &all[i]) })
	}
	asked.Wait()
}

// asker asks other nodes, which are no proxies and redirect nobody.
var asker = &http.Client{
	Transport:     &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: answerTime},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// request asks a node, which is to have the same token, for something from a byte on.
func (c *Cockpit) request(ctx context.Context, n *crawl.NodeState, path string, from int64) (io.ReadCloser, error) {
	switch {
	case n.State != "running": // its address may be somebody else's by now
		return nil, errors.New(n.State)
	case n.API == "":
		return nil, errors.New(textNoAPI)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.API+nodePaths+path, nil)
	if err != nil {
		return nil, err
	}
	if c.Secret != "" {
		r.Header.Set("Authorization", "Bearer "+c.Secret)
	}
	if from > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	answer, err := asker.Do(r)
	if err != nil {
		return nil, fmt.Errorf(textNoAnswer, n.API)
	}
	switch {
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		err = errors.New(textOtherToken)
	case answer.Header.Get(nodeHeader) != n.Node:
		err = fmt.Errorf(textOtherNode, n.API)
	case answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusPartialContent,
		from > 0 && answer.StatusCode != http.StatusPartialContent:
		text, _ := io.ReadAll(io.LimitReader(answer.Body, textShown)) // for people
		err = fmt.Errorf("%s %s", answer.Status, bytes.TrimSpace(text))
	}
	if err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer.Body, nil
}

// ask asks a node for something that it has within a time.
func (c *Cockpit) ask(ctx context.Context, n *crawl.NodeState, path string, within time.Duration, into any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	in, err := c.request(ctx, n, path, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	return json.NewDecoder(in).Decode(into)
}

// copyNode brings the copy of what a node has up to date, if so many bytes stay free besides it and its part of an index: a crawl stops
// where they do not.
func (c *Cockpit) copyNode(ctx context.Context, n *crawl.NodeState, dir string, leave int64) error {
	var files []sharedFile
	if err := c.ask(ctx, n, "files", askTime, &files); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		leave += 2 * f.Size
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Name))); err == nil {
			leave -= 2 * info.Size()
		}
	}
	if free, err := archive.FreeSpace(dir); err == nil && free < leave {
		return fmt.Errorf(textNoSpace, inBytes(free))
	}
	for _, f := range files {
		if !isShared(f.Name) {
			return fmt.Errorf("%q: no file of a node", f.Name)
		}
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if _, err := os.Stat(to + ".open"); err == nil { // it is finished now
			if err := os.Rename(to+".open", to); err != nil {
				return err
			}
		}
		if err := c.copyFile(ctx, n, f, to); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// copyFile brings the copy of a file up to date: of one that grows by what is new, if it still is the one that was copied.
func (c *Cockpit) copyFile(ctx context.Context, n *crawl.NodeState, f sharedFile, to string) error {
	have := int64(0)
	if info, err := os.Stat(to); err == nil {
		if info.Size() == f.Size && info.ModTime().Equal(f.Changed) {
			return nil
		}
		have = info.Size()
	}
	from := int64(0)
	if grows(f.Name) && have > overlap && have <= f.Size {
		from = have - overlap
	}
	in, err := c.request(ctx, n, "files/"+f.Name, from)
	if err != nil {
		return err
	}
	defer in.Close()
	if !grows(f.Name) {
		err = durable.WriteFile(to, 0o644, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	} else {
		err = appendFrom(to, in, from)
	}
	if errors.Is(err, errOtherFile) {
		if err := os.Remove(to); err != nil {
			return err
		}
		return c.copyFile(ctx, n, f, to)
	}
	if err != nil {
		return err
	}
	return os.Chtimes(to, f.Changed, f.Changed)
}

var errOtherFile = errors.New("it is not the file that was copied")

// appendFrom appends to a copy what its file has from a byte on, which the copy has already up to its end.
func appendFrom(to string, in io.Reader, from int64) (err error) {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if from == 0 {
		err = f.Truncate(0)
	} else {
		var was, is [overlap]byte
		_, err = f.ReadAt(was[:], from)
		if err == nil {
			_, err = io.ReadFull(in, is[:])
		}
		if err == nil && was != is {
			err = errOtherFile
		}
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil {
		_, err = io.Copy(f, in)
	}
	return err
}

// remarks are why not all that the nodes of a crawl have is shown.
func (c *Cockpit) remarks(name string) []string {
	s := c.Crawls.Session(name)
	if s == nil {
		settings, err := crawl.ReadSettings(c.Crawls.Folder(name))
		if err != nil || settings.Node == "" {
			return nil
		}
		return []string{textNotRunning}
	}
	c.mu.Lock()
	n := c.nodes[name]
	c.mu.Unlock()
	if n == nil {
		return nil
	}
	return n.remarks()
}

// watchNodes adds to what is watched here what is watched on other nodes.
func (c *Cockpit) watchNodes(v *liveView) {
	n := &nodes{away: map[string]string{}}
	others := othersOf(v.Nodes)
	all := make([]watched, len(others))
	eachNode(others, func(i int, node *crawl.NodeState) {
		n.answered(node, c.ask(context.Background(), node, "watched", askTime, &all[i]))
	})
	for i := range all {
		for j := range all[i].Notes {
			all[i].Notes[j].Text = others[i].Machine + " " + others[i].Folder + ": " + all[i].Notes[j].Text
		}
		v.add(&all[i])
	}
	v.Away = n.remarks()
}

// add takes in what another node has.
func (w *watched) add(other *watched) {
	w.Exchanges = latest(append(w.Exchanges, other.Exchanges...), lastExchanges, func(e engine.Exchanged) time.Time { return e.Time })
	w.Last = latest(append(w.Last, other.Last...), lastObjects, func(m Made) time.Time { return m.Time })
	w.Notes = latest(append(w.Notes, other.Notes...), lastNotes, func(n Note) time.Time { return n.Time })
	for kind, list := range other.Failures {
		w.Failures[kind] = latest(append(w.Failures[kind], list...), errorExamples, func(e engine.Exchanged) time.Time { return e.Time })
	}
	behind := int(w.Slot.Sub(other.Slot) / rateSlotLength)
	for i := range w.Slots {
		if at := i + behind; at >= 0 && at < rateSlots {
			w.Slots[i] += other.Slots[at]
		}
	}
}

// latest are the last of some things, the last first.
func latest[T any](all []T, most int, at func(T) time.Time) []T {
	slices.SortStableFunc(all, func(a, b T) int { return at(b).Compare(at(a)) })
	return all[:min(len(all), most)]
}
