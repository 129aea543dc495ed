package fetch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/awarc/awarc/engine/durable"
)

// state keeps what a client holds and servers can see, in a file of one JSON object a line: the last line of a key counts. A line is
// written when the client learns what it says, so that a killed process loses none; power cuts lose what was not synced. What comes
// after the last line break is no line. A nil state keeps nothing.
type state struct {
	name string

	mu    sync.Mutex
	f     *os.File
	size  int64             // of the file
	live  int64             // bytes of the lines that count
	lines map[string]string // those, by key
	order []string          // the keys as they came first, which is the order of cookies in a request
	err   error             // the first that writing met
}

// held is a line: a cookie, a challenge, or that a server wants HTTP/2.
type held struct {
	Key       string        `json:"key"`
	Cookie    *storedCookie `json:"cookie,omitempty"`
	Challenge string        `json:"challenge,omitempty"` // field of WWW-Authenticate
	Count     int           `json:"count,omitempty"`     // of requests with it
	H2        bool          `json:"h2,omitempty"`
}

// storedCookie is a cookie as a server set it, with a time where it said a length.
type storedCookie struct {
	URL     string    `json:"url"`
	Name    []byte    `json:"name"` // not always UTF-8
	Value   []byte    `json:"value"`
	Path    string    `json:"path,omitempty"`
	Domain  string    `json:"domain,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // zero: at the end of the session of the browser, which is that of the crawl
	Secure  bool      `json:"secure,omitempty"`
}

// stateSlack is how many bytes of lines that no longer count a file may have beyond those that do, besides as many again.
const stateSlack = 1 << 20

// openState opens or makes the file, for the owner alone, and gives each line that counts to restore, in the order of their keys.
func openState(name string, restore func(held)) (*state, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("option State: %w", err)
	}
	s := &state{name: name, f: f, lines: map[string]string{}}
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("option State: %w", err), f.Close())
		}
		s.size += int64(len(line))
		var h held
		if json.Unmarshal([]byte(line), &h) != nil || h.Key == "" {
			continue // of a power cut
		}
		s.keep(h.Key, line)
	}
	for _, key := range s.order {
		var h held
		if json.Unmarshal([]byte(s.lines[key]), &h) == nil {
			restore(h)
		}
	}
	if err := errors.Join(f.Truncate(s.size), f.Chmod(0o600)); err != nil {
		return nil, errors.Join(fmt.Errorf("option State: %w", err), f.Close())
	}
	_, err = f.Seek(s.size, io.SeekStart)
	return s, err
}

func (s *state) keep(key, line string) {
	if _, known := s.lines[key]; !known {
		s.order = append(s.order, key)
	}
	s.live += int64(len(line) - len(s.lines[key]))
	s.lines[key] = line
}

// put writes a line. What cannot be written is told by sync.
func (s *state) put(h held) {
	if s == nil {
		return
	}
	data, err := json.Marshal(h)
	line := string(data) + "\n"
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.lines[h.Key] != line {
		s.keep(h.Key, line)
		_, err = s.f.WriteString(line)
		if s.size += int64(len(line)); err == nil && s.size > 2*s.live+stateSlack {
			err = s.rewrite()
		}
	}
	if s.err == nil {
		s.err = err
	}
}

// rewrite leaves the lines that count.
func (s *state) rewrite() error {
	err := durable.WriteFile(s.name, 0o600, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		for _, key := range s.order {
			_, _ = out.WriteString(s.lines[key]) // Flush tells
		}
		return out.Flush()
	})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.name, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	old := s.f
	s.f, s.size = f, s.live
	return old.Close()
}

// sync makes durable what was put, and returns the first error of that.
func (s *state) sync() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.err
	s.err = nil
	return errors.Join(err, s.f.Sync())
}

// close is the end of a state that sync was asked about.
func (s *state) close() {
	if s != nil {
		_ = s.f.Close()
	}
}

// SyncState makes durable what Options.State keeps.
func (c *Client) SyncState() error { return c.state.sync() }

// restore takes over a line of an earlier session.
func (c *Client) restore(h held) {
	switch {
	case h.Cookie != nil:
		if u, err := url.Parse(h.Cookie.URL); err == nil {
			c.cookies.set(u, []*http.Cookie{h.Cookie.cookie()})
		}
	case h.Challenge != "":
		if asked := findChallenge([]string{h.Challenge}); asked != nil {
			asked.count = h.Count
			c.logins.known[strings.TrimPrefix(h.Key, "login ")] = asked
		}
	case h.H2:
		c.h2.Store(strings.TrimPrefix(h.Key, "h2 "), true)
	}
}

func (s *storedCookie) cookie() *http.Cookie {
	return &http.Cookie{Name: string(s.Name), Value: string(s.Value), Path: s.Path, Domain: s.Domain, Expires: s.Expires, Secure: s.Secure}
}

// remembered is a cookie that a server set now. One that it took away has expired.
func remembered(u *url.URL, c *http.Cookie) *storedCookie {
	s := &storedCookie{URL: u.Scheme + "://" + u.Host + u.EscapedPath(), Name: []byte(c.Name), Value: []byte(c.Value), Path: c.Path,
		Domain: c.Domain, Expires: c.Expires, Secure: c.Secure}
	switch {
	case c.MaxAge > 0:
		s.Expires = time.Now().Add(time.Duration(min(c.MaxAge, maxAge)) * time.Second)
	case c.MaxAge < 0:
		s.Expires = time.Unix(1, 0)
	}
	s.Expires = s.Expires.UTC()
	return s
}

// maxAge is a hundred years in seconds: longer ones mean the same.
const maxAge = 100 * 365 * 24 * 3600
