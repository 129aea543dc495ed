package cockpit

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins"
)

func TestMain(m *testing.M) {
	plugins.CompileInChild()
	os.Exit(m.Run())
}

// sent is the form of a plugin, sent with a token.
func sent(t *testing.T, client *http.Client, base, token, name string, data []byte, more ...string) (*http.Response, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("token", token) // a buffer takes all
	for _, field := range more {
		_ = form.WriteField(field, "on")
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = form.Close()
	answer, err := client.Post(base+"/plugins", form.FormDataContentType(), &body)
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

// A plugin that passes its checks is put in place, and no other file is, or is replaced, unless that is said.
func TestPluginsAreLoaded(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("../../plugins/testdata/examples/c-keywords.wasm")
	if err != nil {
		t.Fatal(err)
	}
	f := &folders{dir: t.TempDir(), names: []string{"one"}}
	dir := filepath.Join(f.dir, "plugins")
	server := httptest.NewServer(New(Options{Crawls: f, Begins: true, Plugins: dir}))
	t.Cleanup(server.Close)
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	token := tokenOf(t, client, server.URL+"/plugins")

	answer, text := sent(t, client, server.URL, "forged", "a.wasm", good)
	want(t, http.StatusForbidden, answer, text)
	for _, x := range []struct{ name, why string }{
		{"a.txt", "expected the name"}, {".wasm", "expected the name"}, {"a b.wasm", "expected the name"},
		{"a.wasm", "failed the checks"}} {
		answer, text = sent(t, client, server.URL, token, x.name, []byte("no module"))
		want(t, http.StatusUnprocessableEntity, answer, text)
		if !strings.Contains(text, x.why) {
			t.Errorf("%s: it does not say %q: %s", x.name, x.why, text)
		}
	}
	answer, text = sent(t, client, server.URL, token, "large.wasm", make([]byte, 17<<20))
	want(t, http.StatusUnprocessableEntity, answer, text)
	if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
		t.Errorf("kept: %v", left)
	}
	// A name with folders in it has none.
	answer, text = sent(t, client, server.URL, token, "../../a.wasm", good)
	want(t, http.StatusOK, answer, text)
	file := filepath.Join(dir, "a.wasm")
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, good) {
		t.Errorf("it was not kept whole: %v", err)
	}
	if err := os.WriteFile(file, []byte("of somebody else"), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, text = sent(t, client, server.URL, token, "a.wasm", good)
	want(t, http.StatusUnprocessableEntity, answer, text)
	if kept, _ := os.ReadFile(file); string(kept) != "of somebody else" {
		t.Error("it was replaced")
	}
	answer, text = sent(t, client, server.URL, token, "a.wasm", good, "replace")
	want(t, http.StatusOK, answer, text)
	if kept, _ := os.ReadFile(file); !bytes.Equal(kept, good) {
		t.Error("it was not replaced")
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// A cockpit of one crawl takes no plugins.
func TestNoPluginsWithoutAFolder(t *testing.T) {
	t.Parallel()
	base, _, client := serveCockpit(t, "")
	answer, text := sent(t, client, base, tokenOf(t, client, base+"/new"), "a.wasm", nil)
	want(t, http.StatusForbidden, answer, text)
}
