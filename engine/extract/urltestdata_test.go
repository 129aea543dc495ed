package extract

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestURLTestData compares with what the web platform's tests expect of addresses whose
// result or base is http or https; they come with the module that parses URLs. Ours are
// without fragment and credentials.
func TestURLTestData(t *testing.T) {
	t.Parallel()
	file := os.Getenv("URLTESTDATA") // another version of the tests
	if file == "" {
		dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
		if err != nil {
			t.Skip("skipped: the module's folder is not known: ", err)
		}
		file = filepath.Join(strings.TrimSpace(string(dir)), "testdata", "urltestdata.json")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for _, raw := range cases {
		var c struct {
			Input, Href, Protocol, Username, Password, Hash string
			Base                                            *string
			Failure                                         bool
		}
		if json.Unmarshal(raw, &c) != nil || c.Input == "" && c.Base == nil {
			continue // a comment
		}
		base := &url.URL{Scheme: "about", Opaque: "blank"} // stands for none
		if c.Base != nil {
			if base, err = url.Parse(*c.Base); err != nil {
				t.Errorf("the base %q: %v", *c.Base, err)
				continue
			}
		}
		web := c.Protocol == "http:" || c.Protocol == "https:"
		if !web && (!c.Failure || base.Scheme != "http" && base.Scheme != "https" || c.Base == nil && !strings.HasPrefix(c.Input, "http")) {
			continue
		}
		want := strings.TrimSuffix(c.Href, c.Hash)
		want = strings.TrimSuffix(want, "#")
		if c.Username != "" || c.Password != "" {
			at := strings.Index(want, "@")
			want = c.Protocol + "//" + want[at+1:]
		}
		if trimmed := strings.TrimSpace(c.Input); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			want = "" // the page itself
		}
		all++
		if got := Resolve(base, c.Input); got != want {
			t.Logf("%q on %v: %q, want %q", c.Input, base, got, want)
			continue
		}
		right++
	}
	t.Logf("%d of %d", right, all)
	if all < 250 || right*1000 < all*995 {
		t.Errorf("%d of %d", right, all)
	}
}
