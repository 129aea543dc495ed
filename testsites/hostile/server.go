package hostile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configure the site. The zero value is useful.
type Options struct {
	// Listen is the address of the main host. Default: a free port of 127.0.0.1.
	Listen string
	// Without names misdeeds to leave out, together with their good pages.
	Without []string
	// Faults is the share of the answers to good pages that fail, from 0 to 1.
	Faults float64
	// Seed is the random seed of the faults.
	Seed uint64
	// Until is the end of a chain of good pages on the main host and on two others, whose ports
	// refuse connections from time to time. Each link of the chain has a misdeed. Zero: no chain.
	Until time.Time
}

// Site is a hostile site that is being served.
type Site struct {
	o        Options
	table    []Misdeed
	hosts    map[string]*host // by Misdeed.Host; "" is the main one
	snare    *host
	trust    *authority
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
	mu       sync.Mutex
	random   *rand.Rand
	chains   map[*host]int  // the last link of each that was asked for
	asked    map[string]int // by URL, robots.txt too
	served   map[string]int // good pages that were sent to their end, by URL
	faults   int
	strays   []string
	open     map[net.Conn]struct{}
	longest  int // request, header and all
	sequence []*host
}

// host is one listener.
type host struct {
	site     *Site
	name     string
	listener net.Listener
	base     string // http://ADDR
	misdeeds []*Misdeed
	secure   *secure
	mu       sync.Mutex // guards listener
}

// Start serves the site until Close.
func Start(o Options) (*Site, error) {
	s := &Site{o: o, hosts: map[string]*host{}, asked: map[string]int{}, served: map[string]int{}, open: map[net.Conn]struct{}{},
		random: rand.New(rand.NewPCG(o.Seed, 2)), chains: map[*host]int{}}
	for _, m := range Misdeeds() {
		if !slices.Contains(o.Without, m.Name) {
			s.table = append(s.table, m)
		}
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	err := s.listenAll()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Site) listenAll() (err error) {
	if s.trust, err = newAuthority(); err != nil {
		return err
	}
	if s.snare, err = s.listen("snare", "127.0.0.1:0", nil); err != nil {
		return err
	}
	if s.hosts[""], err = s.listen("", s.o.Listen, nil); err != nil {
		return err
	}
	for i := range s.table {
		m := &s.table[i]
		h := s.hosts[m.Host]
		if h == nil {
			if h, err = s.listen(m.Host, "", m.secure); err != nil {
				return err
			}
			s.hosts[m.Host] = h
		}
		h.misdeeds = append(h.misdeeds, m)
	}
	if !s.o.Until.IsZero() {
		for _, name := range []string{"refuses-1", "refuses-2"} {
			if s.hosts[name], err = s.listen(name, "", nil); err != nil {
				return err
			}
			s.running.Go(func() { s.refuse(s.hosts[name]) })
		}
	}
	for _, h := range append(s.sequence, s.snare) {
		s.running.Go(func() { s.accept(h) })
	}
	return nil
}

// listen opens a host. Each has an IP address of its own where the system allows it, so that
// a crawler that asks each address one thing at a time is not held up by those that stall.
func (s *Site) listen(name, addr string, sec *secure) (*host, error) {
	var l net.Listener
	var err error
	if addr == "" {
		addr = "127.0.0.1:0"
		if name != "" {
			l, err = net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:0", 1+len(s.sequence)/200, 1+len(s.sequence)%200))
		}
	}
	if l == nil || err != nil {
		l, err = net.Listen("tcp", addr)
	}
	if err != nil {
		return nil, err
	}
	h := &host{site: s, name: name, listener: l, secure: sec, base: "http://" + l.Addr().String()}
	if sec != nil && !sec.plainLinks {
		h.base = "https://" + l.Addr().String()
	}
	if name != "snare" {
		s.sequence = append(s.sequence, h)
	}
	return h, nil
}

// addr is the host's address and port.
func (h *host) addr() string { return h.current().Addr().String() }

func (h *host) port() string {
	_, port, _ := strings.Cut(h.addr(), ":")
	return port
}

// Close ends all exchanges and stops the site.
func (s *Site) Close() error {
	s.stop()
	var errs []error
	for _, h := range append(s.sequence, s.snare) {
		if h != nil {
			if err := h.current().Close(); !errors.Is(err, net.ErrClosed) { // it may be refusing
				errs = append(errs, err)
			}
		}
	}
	s.mu.Lock()
	for c := range s.open {
		_ = c.Close() // the other side may have closed it
	}
	s.mu.Unlock()
	s.running.Wait()
	return errors.Join(errs...)
}

// Seeds returns the seeds of a crawl: one for each host.
func (s *Site) Seeds() []string {
	var seeds []string
	for _, h := range s.sequence {
		seeds = append(seeds, h.base+"/")
	}
	return seeds
}

// Misdeeds returns the table of this site.
func (s *Site) Misdeeds() []Misdeed { return slices.Clone(s.table) }

// URL returns the address of a misdeed.
func (s *Site) URL(m Misdeed) string { return s.hosts[m.Host].base + "/x/" + m.Name }

// Behind returns the address of the good page that only the misdeed links to.
func (s *Site) Behind(m Misdeed) string { return s.hosts[m.Host].base + "/good/behind-" + m.Name }

// Base returns the scheme and authority of the misdeed's host.
func (s *Site) Base(m Misdeed) string { return s.hosts[m.Host].base }

// Good returns the addresses of the good pages. A crawler must archive each exactly once.
func (s *Site) Good() []string {
	var good []string
	for _, h := range s.sequence {
		shut := slices.ContainsFunc(h.misdeeds, func(m *Misdeed) bool { return m.Shut })
		if shut {
			continue
		}
		for _, name := range h.between() {
			good = append(good, h.base+"/good/"+name)
		}
		for _, m := range h.misdeeds {
			if m.Leads && !m.MayCut {
				good = append(good, s.Behind(*m))
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for h, last := range s.chains {
		for n := range last + 1 {
			good = append(good, fmt.Sprintf("%s/chain/%d", h.base, n))
			for i := range chainPages {
				good = append(good, fmt.Sprintf("%s/good/chain-%d-%d", h.base, n, i))
			}
		}
	}
	return good
}

// Asked returns the number of requests for a misdeed: for its address and all addresses below it.
func (s *Site) Asked(m Misdeed) (n int) {
	at := s.URL(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	for u, times := range s.asked {
		if rest, ok := strings.CutPrefix(u, at); ok && (rest == "" || strings.ContainsRune("/?;", rune(rest[0]))) {
			n += times
		}
	}
	return n
}

// Requests returns the number of requests for a URL.
func (s *Site) Requests(u string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[u]
}

// Total returns the numbers of all requests and of faults among the answers.
func (s *Site) Total() (requests, faults int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		requests += n
	}
	return requests, s.faults
}

// Strays returns the requests that no crawler should have made.
func (s *Site) Strays() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

// Longest returns the size of the longest request in bytes.
func (s *Site) Longest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.longest
}

func (s *Site) stray(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.strays) < 100 {
		s.strays = append(s.strays, fmt.Sprintf(format, args...))
	}
}

func (s *Site) accept(h *host) {
	for {
		l := h.current()
		c, err := l.Accept()
		if err != nil && l != h.current() {
			continue // it refused for a while
		}
		if err != nil {
			return // closed
		}
		s.mu.Lock()
		s.open[c] = struct{}{}
		s.mu.Unlock()
		s.running.Go(func() {
			defer func() {
				_ = c.Close() // the other side may have closed it
				s.mu.Lock()
				delete(s.open, c)
				s.mu.Unlock()
			}()
			h.serve(c)
		})
	}
}

// serve answers on one connection.
func (h *host) serve(raw net.Conn) {
	if h == h.site.snare {
		h.site.stray("a connection to the snare")
	}
	c := raw
	if h.secure != nil {
		if c = h.secure.wrap(h.site, raw); c == nil {
			return
		}
	}
	br := bufio.NewReaderSize(c, 64<<10)
	for h.site.ctx.Err() == nil {
		v, err := h.read(br)
		if err != nil {
			return
		}
		v.raw, v.conn, v.br = raw, c, br
		v.dispatch()
		if !v.keep {
			return
		}
	}
}

var errNoRequest = errors.New("no request")

// read reads one request.
func (h *host) read(br *bufio.Reader) (*visit, error) {
	line, err := br.ReadString('\n')
	if err != nil {
		return nil, err
	}
	size := len(line)
	method, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	target, _, ok := strings.Cut(rest, " ")
	if !ok {
		return nil, errNoRequest
	}
	v := &visit{site: h.site, host: h, method: method, target: target, header: textproto.MIMEHeader{}}
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size += len(line)
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			v.header.Add(name, strings.TrimSpace(value))
		}
	}
	s := h.site
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = max(s.longest, size)
	s.asked[h.base+target]++
	v.n = s.asked[h.base+target]
	return v, nil
}

// visit is one request and the way to answer it.
type visit struct {
	site   *Site
	host   *host
	m      *Misdeed // nil: a page of the site's own
	raw    net.Conn // below TLS
	conn   net.Conn
	br     *bufio.Reader
	method string
	target string
	header textproto.MIMEHeader
	n      int // the how manieth request for this target
	keep   bool
}

func (v *visit) dispatch() {
	if cookie := v.header.Get("Cookie"); strings.Contains(cookie, "evil") {
		v.site.stray("%s was sent the cookies %.200s", v.target, cookie)
	}
	path, _, _ := strings.Cut(v.target, "?")
	if path == "/robots.txt" {
		v.answerRobots()
		return
	}
	switch dir, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); dir {
	case "":
		v.page("Main page", v.host.mainPage())
	case "list":
		v.page("Chapter "+name, v.host.chapterPage(name))
	case "good":
		v.good(name)
	case "chain":
		v.chain(name)
	case "x":
		name, _, _ = strings.Cut(name, "/")
		name, _, _ = strings.Cut(name, ";")
		for _, m := range v.host.misdeeds {
			if m.Name == name {
				v.m = m
				v.answer()
				return
			}
		}
		v.missing()
	default:
		v.missing()
	}
}

func (v *visit) answer() {
	if v.m.answer == nil { // a misdeed of the host
		v.page(v.m.Name, v.body())
		return
	}
	v.m.answer(v)
}

func (v *visit) answerRobots() {
	for _, m := range v.host.misdeeds {
		if m.robots != nil {
			v.m = m
			m.robots(v)
			return
		}
	}
	v.send("200 OK", "text/plain", "User-agent: *\nDisallow: /never/\n", true)
}

// send answers as a server should.
func (v *visit) send(status, mediaType, body string, keep bool) bool {
	connection := "close"
	if keep {
		connection = "keep-alive"
	}
	v.keep = keep
	return v.write("HTTP/1.1 " + status + "\r\nContent-Type: " + mediaType + "\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nConnection: " + connection + "\r\n\r\n" + body)
}

// write sends bytes as they are and reports whether they could be sent.
func (v *visit) write(data string) bool {
	if err := v.conn.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		return false
	}
	_, err := io.WriteString(v.conn, data)
	return err == nil
}

// stall sends nothing more and waits until the client has had enough.
func (v *visit) stall() {
	_, _ = io.Copy(io.Discard, v.br) // it ends when either side closes
}

// pause waits, and reports whether the site is still being served.
func (v *visit) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-v.site.ctx.Done():
		return false
	}
}

// reset ends the connection with a RST instead of a FIN.
func (v *visit) reset() {
	if c, ok := v.raw.(*net.TCPConn); ok {
		_ = c.SetLinger(0) // where it fails the client sees a FIN
	}
	_ = v.raw.Close()
}

// arg gives what stands below the misdeed's own address, or after its question mark.
func (v *visit) arg() string {
	return strings.TrimLeft(strings.TrimPrefix(v.target, "/x/"+v.m.Name), "/?")
}

// number is arg as a number, 0 where it is none.
func (v *visit) number() int {
	n, _ := strconv.Atoi(strings.TrimLeft(v.arg(), "n="))
	return n
}
