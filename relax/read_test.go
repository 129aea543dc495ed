package relax

import (
	"reflect"
	"slices"
	"testing"

	"github.com/awarc/awarc/yfilter/xpath"
)

func parsed(t testing.TB, s string) xpath.Node {
	t.Helper()
	n, err := xpath.ParseTree(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRead shows what the fragment makes of expressions as authors write them.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		source  string
		want    []string
		dropped int
	}{
		{"div[@class='a']//b", []string{"div[@class='a']//b"}, 0},
		{".//p/a", []string{"p/a"}, 0},
		{"./h1", []string{"/h1"}, 0},
		{"a[@x='1'] | b", []string{"a[@x='1']", "b"}, 0},
		{"*[contains(@class, 'a') or @id='b']/i", []string{"*[contains(@class, 'a')]/i", "*[@id='b']/i"}, 0},
		{"*[self::h1 or self::h2]", []string{"h1", "h2"}, 0},
		{"a[@x and @y='2']", []string{"a[@x][@y='2']"}, 0},
		{"*[contains(concat(' ', @class, ' '), ' post ')]", []string{"*[contains(@class, 'post')]"}, 0},
		{"*[contains(concat(' ', normalize-space(@class), ' '), \" post \")]", []string{"*[contains(@class, 'post')]"}, 0},
		{"a[not(ancestor::dl)][@id='x']", []string{"a[@id='x']"}, 1},
		{"li[position() > 1]", []string{"li"}, 1},
		{"(.//div[@class='a'])[1]", []string{"(.//div[@class='a'])[1]"}, 0},
		{"(.//time | .//abbr)[last()]/@title", []string{"(.//time)[last()]/@title", "(.//abbr)[last()]/@title"}, 0},
		{"./following-sibling::tr[1]//div[@class='b']", []string{"./following-sibling::tr[1]//div[@class='b']"}, 0},
		{"b/following-sibling::span/i", []string{".//b/following-sibling::span/i"}, 0},
		{"b/following-sibling::text()[1]", nil, 0},
		{"string(.//h1)", nil, 0},
		{".", nil, 0},
	} {
		var got []string
		dropped := 0
		for _, r := range Read(parsed(t, c.source)) {
			got, dropped = append(got, r.String()), max(dropped, r.Dropped)
		}
		if !slices.Equal(got, c.want) || dropped != c.dropped {
			t.Errorf("%s is read as %q with %d left out, want %q with %d", c.source, got, dropped, c.want, c.dropped)
		}
	}
}

func TestReadingsAreBounded(t *testing.T) {
	s := "*"
	for range 12 {
		s += "[@a='1' or @b='2']"
	}
	if n := len(Read(parsed(t, s))); n != maxReadings {
		t.Errorf("%d readings of 4096", n)
	}
}

// FuzzRead: any expression is read without harm, what is read is an expression, and so is
// what it is relaxed to; all of them print to what parses to an equal tree.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"div/a", "(.//a[@b='c'])[1]/@d", "a[b or c] | d", "./following-sibling::a/b",
		"a[contains(concat(' ', @class, ' '), ' x ')]", "((a)[1])[2]", "//a/../b", "/a/text()", "(/a/@b)[last()]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := xpath.ParseTree(s)
		if err != nil {
			return
		}
		for _, r := range Read(n) {
			if e, err := xpath.Parse(r.Expr.String()); err != nil || e.String() != r.Expr.String() {
				t.Errorf("%q is read as %s: %v", s, r.Expr, err)
			}
			if back, err := xpath.ParseTree(r.String()); err != nil || !reflect.DeepEqual(back, r.Tree()) {
				t.Errorf("%q is read as %s, which parses to %v, %v", s, r, back, err)
			}
			for x := range Seq(r.Expr, 0, Vocabulary{}) {
				if _, err := xpath.Parse(x.Expr.String()); err != nil {
					t.Errorf("%q is relaxed to %s: %v", s, x.Expr, err)
				}
				if x.Cost.Changes > 1 {
					break
				}
			}
		}
	})
}
