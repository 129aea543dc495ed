package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/awarc/awarc/engine/cockpit"
	"github.com/awarc/awarc/engine/crawl"
)

type serveCmd struct {
	Listen       string   `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Serve the cockpit at this address."`
	Dir          string   `default:"." placeholder:"FOLDER" help:"Folder of the crawls, one subfolder each."`
	Crawl        string   `placeholder:"DIR" help:"Show only this crawl."`
	AtOnce       int      `default:"16" placeholder:"N" help:"Fetch N URLs at a time, over all crawls."`
	Token        string   `json:"-" placeholder:"S" env:"AWARC_API_TOKEN" help:"Require this token from users and clients of the API."`
	TLSCert      string   `name:"tls-cert" placeholder:"FILE" help:"TLS certificate (PEM) with its chain."`
	TLSKey       string   `name:"tls-key" placeholder:"FILE" help:"Key of the certificate (PEM)."`
	AllowPrivate []string `placeholder:"NET" help:"Allow crawls started from other machines to reach private addresses; repeatable."`
}

// Help says what the cockpit may do.
func (*serveCmd) Help() string {
	return `The cockpit serves this machine only, unless --listen names another address. It then needs --token,
--tls-cert and --tls-key, and crawls started in it cannot reach private addresses. When the cockpit
stops, its crawls stop too; continue them with a click or with 'awarc resume'. A scheduled crawl starts
when it is due, or at the next start of the cockpit after that.`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	stopping := newStopper(ctx, s.err, stopGrace)
	defer stopping.release()
	dir := c.Dir
	if c.Crawl != "" {
		if _, err := crawl.ReadSettings(c.Crawl); err != nil {
			return inFlags(err)
		}
		var err error
		if c.Crawl, err = filepath.Abs(c.Crawl); err != nil {
			return err
		}
		dir = filepath.Dir(c.Crawl)
	}
	m := &served{opened: newOpened(stopping.abandoned, dir, s, c.AtOnce), cmd: c}
	if c.Crawl == "" {
		m.readSchedule()
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return usageError("--listen: %v", err)
	}
	scheme := "http"
	if c.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return errors.Join(usageError("--tls-cert: %v", err), l.Close())
		}
		l, scheme = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}), "https"
	}
	o := cockpit.Options{Crawls: m, Software: software(), Begins: c.Crawl == "", Secret: c.Token, TLS: c.TLSCert != ""}
	if o.Begins {
		o.Plugins = m.folder("plugins")
	}
	pages := cockpit.New(o)
	note := func(text string) { fmt.Fprintln(s.err, "awarc:", text) }
	note("cockpit at " + scheme + "://" + l.Addr().String() + "/")
	stop := listenOn(l, pages, note)
	defer stop()
	var keeping sync.WaitGroup
	keeping.Go(func() { m.keepSchedule(stopping.abandoned) })
	defer keeping.Wait()
	defer stopping.abandon()
	return m.untilInterrupted(stopping, note)
}

func (c *serveCmd) check() error {
	host, _, err := net.SplitHostPort(c.Listen)
	switch {
	case err != nil:
		return usageError("--listen %s: %v; expected an address such as 127.0.0.1:8080", c.Listen, err)
	case !loopback(host) && (c.Token == "" || c.TLSCert == ""):
		return usageError("--listen %s is reachable from other machines; add --token (or AWARC_API_TOKEN), --tls-cert and --tls-key",
			c.Listen)
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return usageError("--tls-cert and --tls-key need each other")
	case c.AtOnce < 1:
		return usageError("--at-once %d: expected at least 1", c.AtOnce)
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return usageError("--dir: %v", err)
	}
	return nil
}

// local reports whether only people on this machine are served.
func (c *serveCmd) local() bool {
	host, _, _ := net.SplitHostPort(c.Listen) // it was checked
	return loopback(host)
}

// served are the crawls that the cockpit shows.
type served struct {
	*opened
	cmd      *serveCmd
	schedule schedule
}

// Names implements [cockpit.Crawls], as the methods below do.
func (m *served) Names() []string {
	if m.cmd.Crawl != "" {
		return []string{filepath.Base(m.cmd.Crawl)}
	}
	names := append(m.names(), m.schedule.names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Folder is where a crawl is.
func (m *served) Folder(name string) string {
	if m.cmd.Crawl != "" && name != filepath.Base(m.cmd.Crawl) || !m.exists(name) && m.schedule.find(name) == nil {
		return ""
	}
	return m.folder(name)
}

// Session is an open crawl.
func (m *served) Session(name string) *cockpit.Session {
	r := m.find(name)
	if r == nil {
		return nil
	}
	return &cockpit.Session{Crawl: r.crawl, Feed: &r.feed}
}

// Begin begins a crawl.
func (m *served) Begin(name string, args []string) error {
	j, err := m.named(name, args)
	if err != nil {
		return err
	}
	return m.start(name, true, func(_ string, s streams) (*session, error) { return j.crawl.open(s, m.pool) })
}

// named is the crawl of a name that somebody gave, and of arguments.
func (m *served) named(name string, args []string) (*job, error) {
	if name == "" || fileName(name) != name {
		return nil, fmt.Errorf("invalid crawl name %q; expected letters, digits, - and _", name)
	}
	return m.job(name, args)
}

// job is the crawl that arguments are of.
func (m *served) job(name string, args []string) (*job, error) {
	j := &job{}
	return j, j.parse(append([]string{"--out=" + m.folder(name)}, m.allowed(args)...))
}

// allowed are arguments of which those of other machines reach no private address that is not allowed.
func (m *served) allowed(args []string) []string {
	if m.cmd.local() {
		return args
	}
	private := []string{"--public-seeds"}
	for _, net := range m.cmd.AllowPrivate {
		private = append(private, "--allow-private="+net)
	}
	return append(private, args...)
}

// Files are those in the folders beside the crawls.
func (m *served) Files(flag string) []string {
	files, _ := filepath.Glob(m.folder(map[string]string{"topic": "topics/*.yaml", "plugin": "plugins/*.wasm"}[flag])) // badly formed: none
	return files
}

// Check looks at the seeds of a crawl.
func (m *served) Check(ctx context.Context, args []string) ([]crawl.SeedLook, error) {
	j, err := m.job("check", args)
	if err != nil {
		return nil, err
	}
	o := j.crawl.options()
	o.Seeds = j.crawl.Seed
	looks, err := crawl.FirstLook(ctx, o)
	return looks, inFlags(err)
}

// Resume goes on with a crawl.
func (m *served) Resume(name string, failed bool) error {
	return m.goOn(name, crawl.ResumeOptions{Failed: failed})
}

// Give has a crawl go on with other plugins, once what it has in flight is finished; paused if it was.
func (m *served) Give(name string, files []string) error {
	was := m.find(name)
	paused := false
	if was != nil {
		paused = was.crawl.Paused()
		was.crawl.Stop()
		<-was.ended
	}
	err := m.goOn(name, crawl.ResumeOptions{
		Changes: crawl.Changes{Options: crawl.Options{Scoring: crawl.Scoring{Plugin: files}}, Names: []string{"Plugin"}},
	})
	if err != nil && was != nil {
		err = errors.Join(err, m.Resume(name, false))
	}
	if r := m.find(name); r != nil && paused {
		r.crawl.Pause(true)
	}
	return err
}

// Pack makes a WACZ file.
func (m *served) Pack(ctx context.Context, name, file string) error {
	if m.find(name) != nil {
		return errors.New("the crawl is running; stop it before you download it")
	}
	s := m.streams
	s.out = io.Discard
	return (&packCmd{Out: file, Format: "json", Dir: []string{m.folder(name)}}).Run(ctx, s)
}

// ServeAPI answers a request to the API of a crawl.
func (m *served) ServeAPI(w http.ResponseWriter, r *http.Request, name, path string) {
	m.answer(w, r, name, path)
}
