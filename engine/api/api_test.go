package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/awarc/awarc/kb"
)

// shape writes a tree as nested names and texts.
func shape(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	b.WriteString(n.Data + "(")
	for c := range n.ChildNodes() {
		b.WriteString(shape(c))
	}
	return b.String() + ")"
}

func TestTree(t *testing.T) {
	values := kb.Values{Markup: []string{"m"}, Epoch: []string{"e"}, UTC: []string{"u"}, JSONAPI: true}
	for body, want := range map[string]string{
		`{"a":[1,"x",true,null],"b:c":{"1":"y"}}`: "answer(a(item(1)item(x)item(true)item())b_c(_1(y)))",
		`"text"`:                  "answer(text)",
		`{"m":"<p>a&amp;b<br>c"}`: "answer(m(p(a&bbr()c)))",
		`{"e":1714557600,"u":"2024-05-01T10:00:00"}`:   "answer(e(2024-05-01T10:00:00Z)u(2024-05-01T10:00:00Z))",
		`{"u":"2024-05-01T10:00:00-02:00","e":"soon"}`: "answer(u(2024-05-01T10:00:00-02:00)e(soon))",
		`{"data":{"relationships":{"x":{"data":{"type":"t","id":"1"}}}},` +
			`"included":[{"type":"t","id":"1","attributes":{"n":2}}]}`: "answer(" +
			"data(relationships(x(data(type(t)id(1)attributes(n(2))))))included(item(type(t)id(1)attributes(n(2)))))",
	} {
		got, err := Tree([]byte(body), values)
		if err != nil || shape(got) != want {
			t.Errorf("%s: %v, %v; want %s", body, got, err, want)
		}
	}
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	for _, body := range []string{"", "{", `{"a"`, `[1,]`, "[1] 2", "<html>", deep} {
		if _, err := Tree([]byte(body), values); err == nil {
			t.Errorf("%.20q was read", body)
		}
	}
}

// FuzzTree: what encoding/json reads as one value, and is not nested too deep, is a tree; nothing else is.
func FuzzTree(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"m":"<p>x"}]}`, `[]`, `null`, `"\ud800"`, `{"a":1,"a":2}`, `1e400`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := Tree(body, kb.Values{Markup: []string{"m"}, Epoch: []string{"a"}, UTC: []string{"a"}, JSONAPI: true})
		opened := bytes.Count(body, []byte("[")) + bytes.Count(body, []byte("{"))
		if valid := json.Valid(body); valid != (err == nil) && opened < maxDepth {
			t.Errorf("%q: %v, valid %v", body, err, valid)
		}
	})
}

func TestLinkFields(t *testing.T) {
	for field, want := range map[string]string{
		`<https://a.example/?p=2>; rel="next", <https://a.example/?p=9>; rel="last"`: "https://a.example/?p=2",
		`<?p=1>; rel=prev, <?p=3>; title="a, b"; rel="last next"`:                    "?p=3",
		`<?p=1>; rel=prev`: "", `<?p=1`: "", `p=1>; rel="next"`: "", "": "",
	} {
		if got := linkNext(http.Header{"Link": {field}}); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	base, err := url.Parse("https://a.example/api/v1/")
	if err != nil {
		t.Fatal(err)
	}
	o := &kb.Operation{Path: []kb.Part{{Text: "of/"}, {Arg: "feed"}, {Text: "/x?k=1"}}, Params: []kb.Param{
		{Name: "q", Value: []kb.Part{{Arg: "keyword"}}}, {Name: "n", Value: []kb.Part{{Text: "9"}}}}}
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{"feed": "o/n", "keyword": "a b&c"}, "https://a.example/api/v1/of/o/n/x?k=1&q=a+b%26c&n=9"},
		{Args{"feed": "../../../up?x"}, "https://a.example/api/v1/of/%2E%2E_/%2E%2E_/%2E%2E_/up%3Fx/x?k=1&n=9"},
		{Args{"keyword": "a"}, "<nil>"},
	} {
		got := "<nil>"
		if u := Address(base, o, test.args); u != nil {
			got = u.String()
		}
		if got != test.want {
			t.Errorf("%v: %s, want %s", test.args, got, test.want)
		}
	}
}

func TestUntil(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, test := range []struct {
		text, as string
		want     time.Duration
	}{
		{"30", "seconds", 30 * time.Second}, {"1e300", "seconds", 0}, {"99999999", "seconds", longestLimit}, {"-3", "seconds", 0},
		{"1060", "epoch", time.Minute}, {"1970-01-01T00:17:40Z", "date", time.Minute}, {"soon", "date", 0}, {"", "epoch", 0},
	} {
		if got := until(test.text, test.as, now); got != test.want {
			t.Errorf("%s as %s: %v, want %v", test.text, test.as, got, test.want)
		}
	}
}
