package crawl

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// TestLoginIsCheckedAfterAnHour: what members see is still asked for as a member when the site shows no sign that it logged them out.
func TestLoginIsCheckedAfterAnHour(t *testing.T) {
	var forms atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.Method == http.MethodPost:
			fmt.Fprint(w, "<p>welcome")
		case r.URL.Path == "/login":
			forms.Add(1)
			fmt.Fprint(w, "<form method=post><input name=user><input type=password name=password></form>")
		default:
			fmt.Fprint(w, "<p>a page")
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "form.yaml")
	if err := os.WriteFile(file, []byte("url: "+server.URL+"/login\nfields: {user: me, password: secret}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s, err := newSignedIn(file, client, func(slog.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	m := &membership{Fetcher: client, login: s, note: func(string, ...any) {}, sites: map[string]*memberSite{},
		remember: func(string, []byte) {}, recall: func(string) []byte { return nil }}
	passed := time.Duration(0)
	s.now = func() time.Time { return time.Unix(1e9, 0).Add(passed) }
	if err := s.first(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		passed time.Duration
		forms  int64
	}{{0, 1}, {59 * time.Minute, 1}, {61 * time.Minute, 2}, {62 * time.Minute, 2}} {
		passed = c.passed
		ex, err := m.Do(t.Context(), server.URL+"/page", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := ex.Close(); err != nil {
			t.Fatal(err)
		}
		if forms.Load() != c.forms {
			t.Errorf("after %v the form was asked for %d times, want %d", c.passed, forms.Load(), c.forms)
		}
	}
}
