package cockpit

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
)

// folders are crawls that are not open, one in each folder that has any file.
type folders struct {
	dir   string
	begun []string // arguments
	names []string
}

func (f *folders) Names() []string { return f.names }
func (f *folders) Folder(name string) string {
	for _, n := range f.names {
		if n == name {
			return filepath.Join(f.dir, n)
		}
	}
	return ""
}
func (*folders) Session(string) *Session { return nil }
func (f *folders) Begin(name string, args []string) error {
	f.begun = append([]string{name}, args...)
	return os.ErrPermission
}
func (*folders) Schedule(string, time.Time, []string) error { return nil }
func (*folders) Scheduled(string) *Scheduled                { return nil }
func (*folders) Unschedule(string, bool) error              { return nil }
func (f *folders) Files(flag string) []string {
	return []string{filepath.Join(f.dir, flag+"s", "a."+flag)}
}
func (*folders) Check(context.Context, []string) ([]crawl.SeedLook, error) {
	return nil, os.ErrPermission
}
func (*folders) Resume(string, bool) error                  { return nil }
func (*folders) Give(string, []string) error                { return nil }
func (*folders) Pack(context.Context, string, string) error { return os.ErrPermission }
func (*folders) ServeAPI(w http.ResponseWriter, _ *http.Request, name, path string) {
	_, _ = io.WriteString(w, name+" "+path)
}

// serveCockpit serves a cockpit of one crawl, of which there is nothing yet, and a client with cookies.
func serveCockpit(t *testing.T, secret string) (base string, f *folders, client *http.Client) {
	t.Helper()
	f = &folders{dir: t.TempDir(), names: []string{"one"}}
	server := httptest.NewServer(New(Options{Crawls: f, Begins: true, Secret: secret}))
	t.Cleanup(server.Close)
	jar, _ := cookiejar.New(nil)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return server.URL, f, &http.Client{Jar: jar, CheckRedirect: stay}
}

// ask sends a request and gives the answer with its text; a value is a form.
func ask(t *testing.T, client *http.Client, method, address string, form url.Values, header ...string) (*http.Response, string) {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

var tokenInForm = regexp.MustCompile(`name="token" value="([^"]+)"`)

// tokenOf is the token of the forms of a page.
func tokenOf(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	_, text := ask(t, client, "GET", address, nil)
	m := tokenInForm.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no token in %s", text)
	}
	return m[1]
}

func want(t *testing.T, status int, answer *http.Response, text string) {
	t.Helper()
	if answer.StatusCode != status {
		t.Errorf("%s %s: status %d, want %d\n%s", answer.Request.Method, answer.Request.URL, answer.StatusCode, status, text)
	}
}

// Without a secret only this machine is answered, whatever name leads to it, and every answer has a policy.
func TestHostIsThisMachine(t *testing.T) {
	t.Parallel()
	base, _, client := serveCockpit(t, "")
	for _, path := range []string{"/", "/new", "/crawls/one/", "/crawls/one/api/v1/report", "/healthz"} {
		answer, text := ask(t, client, "GET", base+path, nil)
		want(t, http.StatusOK, answer, text)
		if p := answer.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") || strings.Contains(p, "unsafe") {
			t.Errorf("%s: policy %q", path, p)
		}
		answer, text = ask(t, client, "GET", base+path, nil, "Host", "rebound.example:80")
		want(t, http.StatusForbidden, answer, text)
	}
}

// What changes anything needs the token of a page that this browser was shown, and comes from no other site.
func TestFormsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	base, f, client := serveCockpit(t, "")
	form := url.Values{"seeds": {"https://example.org/"}, "name": {"x"}}
	answer, text := ask(t, client, "POST", base+"/new", form)
	want(t, http.StatusForbidden, answer, text)
	form.Set("token", tokenOf(t, client, base+"/new"))
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		answer, text = ask(t, client, "POST", base+"/new", form, header...)
		want(t, http.StatusForbidden, answer, text)
	}
	other, _ := cookiejar.New(nil)
	answer, text = ask(t, &http.Client{Jar: other}, "POST", base+"/new", form) // another browser's token
	want(t, http.StatusForbidden, answer, text)
	if f.begun != nil {
		t.Errorf("begun: %v", f.begun)
	}
	answer, text = ask(t, client, "POST", base+"/new", form)
	want(t, http.StatusUnprocessableEntity, answer, text)
	if !strings.Contains(text, os.ErrPermission.Error()) {
		t.Errorf("it does not say why: %s", text)
	}
}

// Whatever is in a form, its values stay values of its own flags.
func TestFormsMakeNoOtherFlags(t *testing.T) {
	t.Parallel()
	base, f, client := serveCockpit(t, "")
	form := url.Values{"token": {tokenOf(t, client, base+"/new")}, "seeds": {"--cookies=/etc/passwd https://example.org/"},
		"include": {"--proxy=http://evil.example\n-w 900"}, "contact": {"--out=/tmp/x"}, "allow-private": {"10.0.0.0/8"},
		"limit": {"-1"}, "plugin": {"/etc/passwd", filepath.Join(f.dir, "plugins", "a.plugin")}}
	ask(t, client, "POST", base+"/new", form)
	got := strings.Join(f.begun[1:], " ")
	if got != "--include=--proxy=http://evil.example --include=-w 900 --contact=--out=/tmp/x --limit=-1 "+
		"--plugin="+f.dir+"/plugins/a.plugin -- https://--cookies=/etc/passwd https://example.org/" {
		t.Errorf("arguments %s", got)
	}
}

// With a secret, nothing is shown without a session, and a session is begun by the secret alone.
func TestSecretOpensASession(t *testing.T) {
	t.Parallel()
	base, _, client := serveCockpit(t, "open sesame")
	for _, path := range []string{"/", "/crawls/one/", "/new"} {
		if answer, _ := ask(t, client, "GET", base+path, nil); answer.Header.Get("Location") != "/login" {
			t.Errorf("%s: %v", path, answer.Status)
		}
	}
	answer, text := ask(t, client, "GET", base+"/crawls/one/api/v1/report", nil)
	want(t, http.StatusUnauthorized, answer, text)
	answer, text = ask(t, client, "GET", base+"/crawls/one/api/v1/report", nil, "Authorization", "Bearer open sesame")
	want(t, http.StatusOK, answer, text)
	forged := &http.Cookie{Name: cookieOfSession, Value: "x.9999999999.x"}
	answer, text = ask(t, client, "GET", base+"/", nil, "Cookie", forged.String())
	want(t, http.StatusSeeOther, answer, text)

	form := url.Values{"token": {tokenOf(t, client, base+"/login")}, "secret": {"open barley"}}
	answer, text = ask(t, client, "POST", base+"/login", form)
	want(t, http.StatusUnauthorized, answer, text)
	form.Set("secret", "open sesame")
	answer, text = ask(t, client, "POST", base+"/login", form)
	want(t, http.StatusSeeOther, answer, text)
	for _, c := range answer.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			t.Errorf("cookie %v", c)
		}
	}
	answer, text = ask(t, client, "GET", base+"/", nil)
	want(t, http.StatusOK, answer, text)
	form = url.Values{"token": {tokenOf(t, client, base+"/")}}
	ask(t, client, "POST", base+"/logout", form)
	if answer, _ = ask(t, client, "GET", base+"/", nil); answer.StatusCode != http.StatusSeeOther {
		t.Errorf("after leaving: %v", answer.Status)
	}
}

// No name leads out of the crawls.
func TestNoPathLeavesTheCrawls(t *testing.T) {
	t.Parallel()
	base, _, client := serveCockpit(t, "")
	for _, name := range []string{"..", "%2e%2e", "..%2f..%2fetc", "one%2f..", "two", ".", "one%00", "%2Fetc"} {
		answer, text := ask(t, client, "GET", base+"/crawls/"+name+"/why", nil)
		if answer.StatusCode < 300 {
			t.Errorf("%s: %s\n%s", name, answer.Status, text)
		}
	}
	for _, path := range []string{"/static/../cockpit.go", "/static/%2e%2e/cockpit.go", "/pages/list.html"} {
		if answer, _ := ask(t, client, "GET", base+path, nil); answer.StatusCode == http.StatusOK {
			t.Errorf("%s was served", path)
		}
	}
}
