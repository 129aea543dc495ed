package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/engine/form"
	"github.com/awarc/awarc/engine/infile"
)

// login describes a form by which a site lets members in.
type login struct {
	URL    string            `yaml:"url"`    // of the page with the form
	Fields map[string]string `yaml:"fields"` // what is filled in; $NAME is a variable of the environment
	// User and Password are filled into the fields for them, under any names; likewise.
	User     string `yaml:"user"`
	Password string `yaml:"password"`
	// Shows stands in the source of each page for members and of none for others, such as the address that logs out.
	Shows string `yaml:"shows"`
}

// readLogin reads the description of a form, with what the environment has for it.
func readLogin(file string) (*login, error) {
	data, err := infile.Read(file, maxScope)
	if err != nil {
		return nil, err
	}
	l := new(login)
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.DisallowUnknownField()).Decode(l); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if u, err := url.Parse(l.URL); err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s: url is %q; expected the address of the page with the form", file, l.URL)
	}
	if len(l.Fields) == 0 && l.Password == "" {
		return nil, fmt.Errorf("%s: no values for the form; expected user and password, such as password: $FORUM_PASSWORD, or fields with "+
			"names of the form's fields", file)
	}
	var unset []string
	expand := func(value string) string {
		return os.Expand(value, func(variable string) string {
			if variable == "$" {
				return variable
			}
			text, ok := os.LookupEnv(variable)
			if !ok {
				unset = append(unset, variable)
			}
			return text
		})
	}
	for name, value := range l.Fields {
		l.Fields[name] = expand(value)
	}
	l.User, l.Password = expand(l.User), expand(l.Password)
	if len(unset) > 0 {
		slices.Sort(unset)
		return nil, fmt.Errorf("%s: the environment variable %s is not set", file, strings.Join(unset, ", "))
	}
	return l, nil
}

// checkedAfter is when a login is checked without a sign that it should be.
const checkedAfter = time.Hour

// signedIn logs in to a site. It is safe for concurrent use.
type signedIn struct {
	form   *login
	at     *url.URL // of the form
	client *fetch.Client
	warned func(slog.Record)
	now    func() time.Time
	count  func(requests int64) // counts requests that are not those of URLs
	keep   func(entered)        // beyond the session

	mu sync.Mutex
	entered
}

// entered is what is known of a login, also by later sessions.
type entered struct {
	Times   int       // that it logged in
	Checked time.Time // when it was last seen whether it is logged in
}

func newSignedIn(file string, client *fetch.Client, warned func(slog.Record)) (*signedIn, error) {
	form, err := readLogin(file)
	if err != nil {
		return nil, complain("%s: %v", option("Login"), err)
	}
	at, err := url.Parse(form.URL)
	return &signedIn{form: form, at: at, client: client, warned: warned, now: time.Now, count: func(int64) {}, keep: func(entered) {}}, err
}

// first logs in before a crawl. A session that goes on within the hour asks nothing, as one that was not interrupted.
func (s *signedIn) first(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Times > 0 && s.now().Sub(s.Checked) <= checkedAfter {
		return nil
	}
	return s.logIn(ctx)
}

// check logs in again after an hour, unless the site shows that it need not be, and returns how often that was done.
func (s *signedIn) check(ctx context.Context) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Sub(s.Checked) > checkedAfter {
		s.warn(s.logIn(ctx))
	}
	return s.Times
}

// enter logs in, unless the site shows that it need not be or that was done since there were so many times.
func (s *signedIn) enter(ctx context.Context, times int) (renewed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Times == times {
		err = s.logIn(ctx)
	}
	return s.Times != times, err
}

func (s *signedIn) warn(err error) {
	if err == nil {
		return
	}
	r := slog.NewRecord(time.Now(), slog.LevelWarn, "logging in failed", 0)
	r.Add("error", err.Error())
	s.warned(r)
}

// maxSteps bounds the redirects behind a form, and maxPages the pages that ask for a part each, such as the user first: browsers
// follow 20 redirects, and logins by more than three pages are not known.
const (
	maxSteps = 20
	maxPages = 5
)

// logIn sends the form, unless the page with it shows that the crawl is logged in.
func (s *signedIn) logIn(ctx context.Context) error {
	s.Checked = s.now()
	defer func() { s.keep(s.entered) }()
	page, err := s.get(ctx, s.form.URL)
	if err != nil {
		return err
	}
	if s.form.Shows != "" && page.contains(s.form.Shows) {
		return nil
	}
	answer := filling{login: s.form, sent: map[string]bool{}}
	for range maxPages {
		f, asks, err := answer.next(form.Read(page.text.HTML, page.text.Charset, page.at))
		if err != nil {
			if s.form.Shows == "" && s.Times > 0 && len(answer.sent) == 0 {
				return nil // members are shown no form
			}
			return fmt.Errorf("%s: %w", page.place(), err)
		}
		r, err := f.Submit(nil)
		if err != nil {
			return fmt.Errorf("%s: %w", page.place(), err)
		}
		if page, err = s.send(ctx, page.at, r); err != nil {
			return err
		}
		if asks {
			break
		}
	}
	return s.confirm(ctx, page)
}

// confirm checks that the crawl is logged in by the page that the form led to, or else by another look at the page with the form.
func (s *signedIn) confirm(ctx context.Context, page shown) error {
	const hint = "wrong user or password, or another required field"
	if s.form.Shows == "" {
		if form.Read(page.text.HTML, page.text.Charset, page.at).Login(nil) != nil {
			return fmt.Errorf("%s still shows a password field after the login: %s", page.place(), hint)
		}
		s.Times++
		return nil
	}
	if !page.contains(s.form.Shows) {
		again, err := s.get(ctx, s.form.URL)
		if err != nil {
			return err
		}
		if !again.contains(s.form.Shows) {
			return fmt.Errorf("%s does not show %q after the login: %s", page.place(), s.form.Shows, hint)
		}
	}
	s.Times++
	return nil
}

// send requests what a form sends, and reads the page that it leads to.
func (s *signedIn) send(ctx context.Context, from *url.URL, r form.Request) (shown, error) {
	header := http.Header{"Referer": {referrer(from, r.URL)}}
	if r.Method == http.MethodPost {
		header.Set("Origin", from.Scheme+"://"+from.Host)
	}
	ex, err := s.request(ctx, r, header)
	if err != nil {
		return shown{}, err
	}
	return s.follow(ctx, r, header, ex)
}

// referrer is what browsers tell a site of the page that led to an address: the page to its own site, its site to others.
func referrer(from *url.URL, to string) string {
	page := *from
	page.User, page.Fragment, page.RawFragment = nil, "", ""
	if u, err := url.Parse(to); err != nil || u.Host != from.Host || u.Scheme != from.Scheme {
		return from.Scheme + "://" + from.Host + "/"
	}
	return page.String()
}

func (s *signedIn) request(ctx context.Context, r form.Request, header http.Header) (*fetch.Exchange, error) {
	s.count(1)
	if r.Method != http.MethodPost {
		ex, err := s.client.Do(ctx, r.URL, header)
		if fe := (*fetch.Error)(nil); errors.As(err, &fe) {
			fe.URL, _, _ = strings.Cut(fe.URL, "?") // what a form sends may be there
		}
		return ex, err
	}
	header = header.Clone()
	header.Set("Content-Type", r.Type)
	return s.client.Post(ctx, r.URL, header, r.Body)
}

// shown is a page on the way in.
type shown struct {
	at   *url.URL
	text fetch.Text
}

// place is the address of the page for messages: without a query, which may be what a form sent.
func (p *shown) place() string {
	return p.at.Scheme + "://" + p.at.Host + p.at.EscapedPath()
}

func (p *shown) contains(text string) bool { return bytes.Contains(p.text.HTML, []byte(text)) }

func (s *signedIn) get(ctx context.Context, address string) (shown, error) {
	r := form.Request{Method: http.MethodGet, URL: address}
	ex, err := s.request(ctx, r, nil)
	if err != nil {
		return shown{}, err
	}
	return s.follow(ctx, r, nil, ex)
}

// follow goes where an answer leads, and reads the page there. A form is sent on where the status (307, 308) says so.
func (s *signedIn) follow(ctx context.Context, r form.Request, header http.Header, ex *fetch.Exchange) (shown, error) {
	for range maxSteps {
		u, err := url.Parse(r.URL)
		if err != nil {
			return shown{}, errors.Join(err, ex.Close())
		}
		to := ex.Header.Get("Location")
		if ex.Status/100 != 3 || to == "" {
			text, err := ex.HTML()
			return shown{u, text}, errors.Join(err, ex.Close())
		}
		if ex.Status != http.StatusTemporaryRedirect && ex.Status != http.StatusPermanentRedirect {
			r, header = form.Request{Method: http.MethodGet}, nil
		}
		if err := ex.Close(); err != nil {
			return shown{}, err
		}
		if u, err = u.Parse(to); err != nil {
			return shown{}, err
		}
		r.URL = u.String()
		if ex, err = s.request(ctx, r, header); err != nil {
			return shown{}, err
		}
	}
	return shown{}, errors.Join(fmt.Errorf("%s: more than %d redirects", s.form.URL, maxSteps), ex.Close())
}
