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
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/fetch"
)

// login describes a form by which a site lets members in.
type login struct {
	URL    string            `yaml:"url"`    // of the page with the form
	Fields map[string]string `yaml:"fields"` // what is filled in; $NAME is a variable of the environment
	// Shows stands in the source of each page for members and of none for others, such as the address that logs out.
	Shows string `yaml:"shows"`
}

// readLogin reads the description of a form, with what the environment has for it.
func readLogin(file string) (*login, error) {
	data, err := os.ReadFile(file)
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
	if len(l.Fields) == 0 {
		return nil, fmt.Errorf("%s: no fields; expected names of fields of the form, such as username: $FORUM_USER", file)
	}
	var unset []string
	for name, value := range l.Fields {
		l.Fields[name] = os.Expand(value, func(variable string) string {
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
	if len(unset) > 0 {
		slices.Sort(unset)
		return nil, fmt.Errorf("%s: the environment has no %s", file, strings.Join(unset, ", "))
	}
	return l, nil
}

// checkedAfter is when a login is checked without a sign that it should be.
const checkedAfter = time.Hour

// signedIn fetches as a member of a site. It is safe for concurrent use.
type signedIn struct {
	engine.Fetcher
	form   *login
	at     *url.URL // of the form
	client *fetch.Client
	warned func(slog.Record)
	now    func() time.Time

	mu      sync.Mutex
	times   int // that it logged in
	checked time.Time
	// After a sign that was none the next are overlooked, twice as many each time: a site may have many pages that look so.
	vain, overlooked int
}

func newSignedIn(file string, client *fetch.Client, warned func(slog.Record)) (*signedIn, error) {
	form, err := readLogin(file)
	if err != nil {
		return nil, complain("%s: %v", option("Login"), err)
	}
	at, err := url.Parse(form.URL)
	return &signedIn{form: form, at: at, client: client, warned: warned, now: time.Now}, err
}

// around gives a fetcher that fetches as the member, or the same where there is none.
func (s *signedIn) around(f engine.Fetcher) engine.Fetcher {
	if s == nil {
		return f
	}
	s.Fetcher = f
	return s
}

// Do makes an exchange, once more where its answer shows that the site has logged out who asks.
func (s *signedIn) Do(ctx context.Context, rawURL string, header http.Header) (*fetch.Exchange, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host != s.at.Host || u.Path == "/robots.txt" {
		return s.Fetcher.Do(ctx, rawURL, header)
	}
	times := s.check(ctx)
	ex, err := s.Fetcher.Do(ctx, rawURL, header)
	if err != nil || !s.out(u, ex) || !s.again(ctx, times) {
		return ex, err
	}
	if err := ex.Close(); err != nil {
		return nil, err
	}
	return s.Fetcher.Do(ctx, rawURL, header)
}

// out reports whether an answer shows that who asks is logged out.
func (s *signedIn) out(u *url.URL, ex *fetch.Exchange) bool {
	switch {
	case ex.Status == http.StatusUnauthorized || ex.Status == http.StatusForbidden:
		return true
	case ex.Status/100 == 3:
		to, err := u.Parse(ex.Header.Get("Location"))
		return err == nil && to.Host == s.at.Host && to.Path == s.at.Path && u.Path != s.at.Path
	case ex.Status != http.StatusOK || s.form.Shows == "" || !strings.HasPrefix(ex.Header.Get("Content-Type"), "text/html"):
		return false
	}
	return !s.shows(ex)
}

func (s *signedIn) shows(ex *fetch.Exchange) bool {
	body, err := ex.Body(0)
	return err != nil || bytes.Contains(body, []byte(s.form.Shows))
}

// first logs in before a crawl.
func (s *signedIn) first(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logIn(ctx)
}

// check logs in again after an hour, unless the site shows that it need not be, and returns how often that was done.
func (s *signedIn) check(ctx context.Context) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Sub(s.checked) > checkedAfter {
		s.warn(s.logIn(ctx))
	}
	return s.times
}

// again logs in again, if the site shows that it must be, and nobody has done so since there were so many times.
func (s *signedIn) again(ctx context.Context, times int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.times != times:
		return true
	case s.overlooked > 0:
		s.overlooked--
		return false
	}
	s.warn(s.logIn(ctx))
	if s.times != times {
		s.vain = 0
		return true
	}
	s.vain = min(s.vain+1, mostVain)
	s.overlooked = 1 << s.vain
	return false
}

// mostVain bounds how often the number of signs that are overlooked doubles.
const mostVain = 10

func (s *signedIn) warn(err error) {
	if err == nil {
		return
	}
	r := slog.NewRecord(time.Now(), slog.LevelWarn, "logging in failed", 0)
	r.Add("error", err.Error())
	s.warned(r)
}

// maxSteps bounds the redirects behind a form.
const maxSteps = 10

// logIn sends the form, unless the page with it shows that who asks is logged in.
func (s *signedIn) logIn(ctx context.Context) error {
	s.checked = s.now()
	page, err := s.get(ctx, s.form.URL)
	if err != nil {
		return err
	}
	to, fields, err := page.form(s.form.Fields)
	inside := s.form.Shows != "" && bytes.Contains(page.body, []byte(s.form.Shows)) || s.form.Shows == "" && s.times > 0 && err != nil
	switch {
	case inside:
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", page.at, err)
	}
	ex, err := s.client.Post(ctx, to, fields)
	if err != nil {
		return err
	}
	if page, err = s.follow(ctx, to, ex); err != nil {
		return err
	}
	switch _, _, again := page.form(nil); {
	case s.form.Shows != "" && !bytes.Contains(page.body, []byte(s.form.Shows)):
		return fmt.Errorf("%s does not show %q once the form is sent: wrong user or password, or something else to fill in", page.at,
			s.form.Shows)
	case s.form.Shows == "" && again == nil:
		return fmt.Errorf("%s asks for a password once the form is sent: wrong user or password, or something else to fill in", page.at)
	}
	s.times++
	return nil
}

// shown is a page on the way in.
type shown struct {
	at   *url.URL
	body []byte
}

func (s *signedIn) get(ctx context.Context, address string) (shown, error) {
	ex, err := s.client.Do(ctx, address, nil)
	if err != nil {
		return shown{}, err
	}
	return s.follow(ctx, address, ex)
}

// follow goes where an answer leads, and reads the page there.
func (s *signedIn) follow(ctx context.Context, address string, ex *fetch.Exchange) (shown, error) {
	for range maxSteps {
		u, err := url.Parse(address)
		if err != nil {
			return shown{}, errors.Join(err, ex.Close())
		}
		to := ex.Header.Get("Location")
		if ex.Status/100 != 3 || to == "" {
			text, err := ex.HTML()
			return shown{u, []byte(text.HTML)}, errors.Join(err, ex.Close())
		}
		if err := ex.Close(); err != nil {
			return shown{}, err
		}
		if u, err = u.Parse(to); err != nil {
			return shown{}, err
		}
		address = u.String()
		if ex, err = s.client.Do(ctx, address, nil); err != nil {
			return shown{}, err
		}
	}
	return shown{}, errors.Join(fmt.Errorf("%s: more than %d redirects", address, maxSteps), ex.Close())
}

// form finds the form that asks for a password: where it goes, and all that is sent with it.
func (p shown) form(filled map[string]string) (to string, fields url.Values, err error) {
	doc, err := html.Parse(bytes.NewReader(p.body))
	if err != nil {
		return "", nil, err
	}
	var form *html.Node
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Input || !strings.EqualFold(attribute(n, "type"), "password") {
			continue
		}
		for a := range n.Ancestors() {
			if a.DataAtom == atom.Form {
				form = a
			}
		}
		break
	}
	if form == nil {
		return "", nil, errors.New("there is no form that asks for a password")
	}
	fields = url.Values{}
	submit := false
	for n := range form.Descendants() {
		name, kind := attribute(n, "name"), strings.ToLower(attribute(n, "type"))
		isButton := kind == "submit" || n.DataAtom == atom.Button
		switch {
		case name == "" || n.DataAtom != atom.Input && n.DataAtom != atom.Button:
			continue
		case isButton && submit, (kind == "checkbox" || kind == "radio") && !has(n, "checked"), kind == "image", kind == "reset":
			continue
		}
		submit = submit || isButton
		fields.Set(name, attribute(n, "value"))
	}
	for name, value := range filled {
		fields.Set(name, value)
	}
	action, err := p.at.Parse(attribute(form, "action"))
	if err != nil {
		return "", nil, err
	}
	return action.String(), fields, nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
