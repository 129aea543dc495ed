package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/frontier/cluster/clustertest"
	m "github.com/awarc/awarc/plugins/module/moduletest"
)

// Secrets of a crawl, by where they come from.
var exposed = map[string]string{
	"--proxy": "proxy-s3cret", "a seed": "seed-s3cret", "a form": "form s3cret", "--cookies": "cookie-s3cret", "the site": "session-s3cret",
	"--plugin-config": "plugin-s3cret", "a campaign": "header-s3cret", "AWARC_FRONTIER_PASSWORD": "redis-s3cret",
	"the API": "injected-s3cret",
}

// leaks finds the secrets, as they are and as they are encoded, in what others can read.
func leaks(t *testing.T, where string, content []byte) {
	t.Helper()
	for of, secret := range exposed {
		forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
		for _, user := range []string{"me", "ada"} {
			forms = append(forms, base64.StdEncoding.EncodeToString([]byte(user+":"+secret)))
		}
		for _, form := range forms {
			if i := bytes.Index(content, []byte(form)); i >= 0 {
				t.Errorf("%s has the secret of %s: %q", where, of, content[max(0, i-80):min(len(content), i+80)])
				break
			}
		}
	}
}

// checkFolder looks for secrets in all files below a folder that others can read.
func checkFolder(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() && name != dir && info.Mode().Perm()&0o055 == 0 {
			return fs.SkipDir
		}
		if d.IsDir() || info.Mode().Perm()&0o044 == 0 {
			return nil
		}
		data, err := os.ReadFile(name)
		leaks(t, name, data)
		if zipped, zerr := gzip.NewReader(bytes.NewReader(data)); zerr == nil {
			text, _ := io.ReadAll(zipped) // of a file that a kill left torn as much as there is
			leaks(t, name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// secretSite is a site behind a proxy that asks for a password, with a password of its own, a form to
// log in by, and a page that it holds back until it is released.
type secretSite struct {
	proxy    string
	held     chan struct{} // has a value once the page is requested
	released chan struct{}
	mu       sync.Mutex
	lacking  []string // secrets that a request should have had
}

func (s *secretSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	needs := func(of string, given bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !given {
			s.lacking = append(s.lacking, of+" "+r.URL.String())
		}
	}
	if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("me:"+exposed["--proxy"])) {
		needs("--proxy", false)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if user, password, _ := r.BasicAuth(); user != "ada" || password != exposed["a seed"] {
		w.Header().Set("WWW-Authenticate", `Basic realm="site"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	token, _ := r.Cookie("token")
	needs("--cookies", token != nil && token.Value == exposed["--cookies"])
	w.Header().Set("Content-Type", "text/html")
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
	case r.URL.Path == "/login" && r.FormValue("pass") == "":
		fmt.Fprint(w, `<title>login</title><form method="post" action="/login"><input name="user">`+
			`<input type="password" name="pass"></form>`)
	case r.URL.Path == "/login":
		needs("a form", r.FormValue("pass") == exposed["a form"])
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: exposed["the site"], Path: "/"})
		http.Redirect(w, r, "/", http.StatusFound)
	case r.URL.Path == "/held":
		select {
		case s.held <- struct{}{}:
		default:
		}
		select {
		case <-s.released:
		case <-r.Context().Done():
		}
		fallthrough
	default:
		fmt.Fprintf(w, `<title>%s</title><p>Inside. <a href="/logout">log out</a> <a href="/a">a</a> <a href="/held">held</a>`, r.URL.Path)
	}
}

// serveSecrets starts the site, and returns the flags of a crawl of it, seed included.
func serveSecrets(t *testing.T) (s *secretSite, flags []string) {
	s = &secretSite{held: make(chan struct{}, 1), released: make(chan struct{})}
	s.proxy = strings.Replace(serve(t, s), "http://", "http://me:"+exposed["--proxy"]+"@", 1)
	t.Setenv("FORM_PASSWORD", exposed["a form"])
	form := write(t, "login.yaml", "url: http://site.invalid/login\nfields: {user: ada, pass: $FORM_PASSWORD}\nshows: /logout\n")
	cookies := write(t, "cookies.txt", "site.invalid\tFALSE\t/\tFALSE\t0\ttoken\t"+exposed["--cookies"]+"\n")
	file := plugin(t, manifest("org.example.secret", "1.0.0", "scorer", ""), 1<<20, nil, m.I32Const(0), m.Return)
	return s, []string{"--delay", "0", "--min-space", "0", "--proxy", s.proxy, "--cookies", cookies, "--login", form, "--plugin", file,
		"--plugin-config", `org.example.secret={"key": "` + exposed["--plugin-config"] + `"}`,
		"http://ada:" + exposed["a seed"] + "@site.invalid/"}
}

// answerOf is the whole answer to a request.
func answerOf(t *testing.T, method, at string, form url.Values) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return sent(t, r)
}

// browsing keeps cookies, as forms of the cockpit need.
var browsing = func() *http.Client {
	jar, _ := cookiejar.New(nil) // never fails
	return &http.Client{Jar: jar}
}()

func sent(t *testing.T, r *http.Request) []byte {
	t.Helper()
	response, err := browsing.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return append(fmt.Appendln(nil, response.Status, response.Header), body...)
}

// TestSecretsAreNotExposed crawls with all kinds of secrets, is killed and resumed, and looks for them
// in what others can read.
func TestSecretsAreNotExposed(t *testing.T) {
	site, flags := serveSecrets(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	var out, errs lockedBuffer
	c := command(t, append([]string{"crawl", "--out", dir, "--api", "127.0.0.1:0", "--pprof"}, flags...)...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`API at (http://\S+)/`)
	until(t, "the API", func() bool { return address.MatchString(errs.String()) })
	api := address.FindStringSubmatch(errs.String())[1]
	<-site.held
	for _, path := range []string{"/metrics", "/api/v1/report", "/api/v1/explain?url=http%3A%2F%2Fsite.invalid%2F", "/api/v1/domains",
		"/api/v1/objects", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/", "/crawls/crawl/",
		"/crawls/crawl/results", "/crawls/crawl/why?url=http%3A%2F%2Fsite.invalid%2F", "/api/v1/nowhere"} {
		leaks(t, path, answerOf(t, http.MethodGet, api+path, nil))
	}
	inject := `[{"url": "http://ada:` + exposed["the API"] + `@site.invalid/a", "score": 1}]`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api+"/api/v1/urls", strings.NewReader(inject))
	if err != nil {
		t.Fatal(err)
	}
	if answer := sent(t, r); bytes.Contains(answer, []byte(exposed["the API"])) || !bytes.Contains(answer, []byte("a password")) {
		t.Errorf("the injection: %s", answer)
	}
	checkFolder(t, dir)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	checkFolder(t, dir)
	close(site.released)
	again := awarc(t, "", "resume", dir)
	again.want(t, exitDone)
	leaks(t, "the output", []byte(out.String()+errs.String()+again.out+again.err))
	for _, args := range [][]string{{"report", dir}, {"report", "--format", "json", dir}, {"report", "--format", "html", dir},
		{"explain", dir, "http://site.invalid/"}, {"plugin", "list", dir}} {
		o := awarc(t, "", args...)
		o.want(t, exitDone)
		leaks(t, args[0], []byte(o.out+o.err))
	}
	checkFolder(t, dir)
	if info, err := os.Stat(filepath.Join(dir, "state")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the state: %v, %v", info, err)
	}
	if warc := warcText(t, dir); !strings.Contains(warc, "GET /a HTTP/1.1") || strings.Contains(warc, "Authorization: ") {
		t.Error("the archive lacks a page, or has a field Authorization")
	}
	if len(site.lacking) > 0 {
		t.Errorf("requests without secrets: %v", site.lacking)
	}
}

// TestSecretsOfJobsAndTheCockpit begins crawls with passwords by awarc jobs and by the form of the cockpit.
func TestSecretsOfJobsAndTheCockpit(t *testing.T) {
	site, flags := serveSecrets(t)
	close(site.released)
	dir := t.TempDir()
	line := "--out " + filepath.Join(dir, "job")
	for _, flag := range flags {
		line += " '" + flag + "'"
	}
	o := awarc(t, "", "jobs", write(t, "jobs", line+"\n"))
	o.want(t, exitDone)
	leaks(t, "jobs", []byte(o.out+o.err))
	p := startCockpitIn(t, dir)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`)
	page := answerOf(t, http.MethodGet, p.base+"/new", nil)
	form := url.Values{"seeds": {"http://ada:" + exposed["a seed"] + "@127.0.0.1:1/"}, "name": {"later"}, "delay": {"0"}}
	if found := token.FindSubmatch(page); found != nil {
		form.Set("token", string(found[1]))
	}
	form.Set("do", "check")
	checked := answerOf(t, http.MethodPost, p.base+"/new", form)
	if leaks(t, "the form", checked); !bytes.Contains(checked, []byte("enter them again")) {
		t.Errorf("the form does not say that a password was left out: %s", checked)
	}
	leaks(t, "the command line", answerOf(t, http.MethodPost, p.base+"/command", form))
	form.Set("do", "begin")
	form.Set("seeds", "http://ada:"+exposed["a seed"]+"@127.0.0.1:1%zz/")
	leaks(t, "the form with a bad seed", answerOf(t, http.MethodPost, p.base+"/new", form))
	form.Set("seeds", "http://ada:"+exposed["a seed"]+"@127.0.0.1:1/")
	form.Set("start", time.Now().Add(24*time.Hour).Format("2006-01-02T15:04"))
	leaks(t, "the page of a scheduled crawl", answerOf(t, http.MethodPost, p.base+"/new", form))
	if file := filepath.Join(dir, "later", crawl.ScheduledFile); !exists(file) {
		t.Errorf("%s is not there", file)
	}
	checkFolder(t, dir)
	for _, path := range []string{"/", "/crawls/later/", "/crawls/job/", "/crawls/job/results", "/api/v1/crawls"} {
		leaks(t, path, answerOf(t, http.MethodGet, p.base+path, nil))
	}
	p.stop()
	leaks(t, "standard error of the cockpit", []byte(p.errs.String()))
	checkFolder(t, dir)
}

// TestSecretsOfACampaignAreOnNoPage looks at the pages of a campaign whose service asks for a secret.
func TestSecretsOfACampaignAreOnNoPage(t *testing.T) {
	asked := make(chan string, 10)
	base := serve(t, &service{serve: func(w http.ResponseWriter, r *http.Request, _ int) {
		asked <- r.FormValue("api_key")
		sendJSON(w, object{"things": []any{object{"url": "http://shop.example/1", "title": "One"}}})
	}})
	t.Setenv("SHOP_SECRET", exposed["a campaign"])
	dir, o := runAPI(t, write(t, "c.yaml", "sources:\n  - {service: shop-api, site: '"+base+
		"', auth: {kind: key, secret: {env: SHOP_SECRET}}}\n"), "--kb", write(t, "shop.xml", secretService))
	o.want(t, exitDone)
	if key := <-asked; key != exposed["a campaign"] {
		t.Errorf("%q was sent", key)
	}
	leaks(t, "the output", []byte(o.out+o.err))
	checkFolder(t, dir)
	p := startCockpitIn(t, filepath.Dir(dir))
	for _, path := range []string{"/", "/crawls/campaign/", "/crawls/campaign/results"} {
		leaks(t, path, answerOf(t, http.MethodGet, p.base+path, nil))
	}
}

// TestSecretsAreNotOnServers runs a node with all secrets, and looks for them in what its Redis server has.
func TestSecretsAreNotOnServers(t *testing.T) {
	server := clustertest.Start(t, 1, 0)
	site, flags := serveSecrets(t)
	close(site.released)
	dir := filepath.Join(t.TempDir(), "node")
	o := awarc(t, "", append([]string{"crawl", "--frontier", server.URL(), "--crawl", "secrets", "--out", dir}, flags...)...)
	o.want(t, exitDone)
	leaks(t, "the output", []byte(o.out+o.err))
	checkFolder(t, dir)
	keys, err := server.Command(0, "keys", "*")
	if err != nil || keys == "" {
		t.Fatalf("no keys: %v", err)
	}
	if _, err := server.Command(0, "config", "set", "rdbcompression", "no"); err != nil { // of dumps, too
		t.Fatal(err)
	}
	all := ""
	for key := range strings.FieldsSeq(keys) {
		dump, err := server.Command(0, "dump", key)
		if err != nil {
			t.Fatal(err)
		}
		leaks(t, "the key "+key, []byte(dump))
		all += dump
	}
	if !strings.Contains(all, "site.invalid") {
		t.Error("the dumps do not name the seed")
	}
	awarc(t, "", "join", "secrets", "--frontier", server.URL(), "--out", filepath.Join(t.TempDir(), "other")).
		want(t, exitUsage, "Seeds, Proxy, PluginConfig")
}

// TestSecretsOfEarlierVersionsAreMoved resumes a crawl whose settings have secrets, in a state that others can read.
func TestSecretsOfEarlierVersionsAreMoved(t *testing.T) {
	site, flags := serveSecrets(t)
	close(site.released)
	dir := filepath.Join(t.TempDir(), "crawl")
	awarc(t, "", append([]string{"crawl", "--out", dir, "--limit", "1"}, flags...)...).want(t, exitLimit)
	settings := filepath.Join(dir, crawl.SettingsFile)
	data, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	bare := strings.Replace(site.proxy, "me:"+exposed["--proxy"]+"@", "", 1)
	old := strings.Replace(string(data), `"Proxy": "`+bare, `"Proxy": "`+site.proxy, 1)
	old = strings.Replace(old, `"PluginConfig": null`, `"PluginConfig": {"org.example.secret": "`+exposed["--plugin-config"]+`"}`, 1)
	if !strings.Contains(old, exposed["--proxy"]) || !strings.Contains(old, exposed["--plugin-config"]) {
		t.Fatalf("settings of another form: %s", data)
	}
	logins := `{"Seeds": ["http://ada:` + exposed["a seed"] + `@site.invalid/"]}`
	for _, err := range []error{os.WriteFile(settings, []byte(old), 0o644), os.Chmod(filepath.Dir(settings), 0o755),
		os.WriteFile(filepath.Join(dir, "state/logins.json"), []byte(logins), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := awarc(t, "", "resume", "--limit", "0", dir)
	o.want(t, exitDone, "Proxy, PluginConfig", "Change them")
	if err := os.Chmod(filepath.Dir(settings), 0o755); err != nil { // the files are to be safe by themselves
		t.Fatal(err)
	}
	checkFolder(t, dir)
	if len(site.lacking) > 0 {
		t.Errorf("requests without secrets: %v", site.lacking)
	}
}
