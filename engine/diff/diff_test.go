package diff

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// sides gives the two texts that pieces are of.
func sides(pieces []Piece) (before, after string) {
	for _, p := range pieces {
		if p.Sign <= 0 {
			before += p.Text
		}
		if p.Sign >= 0 {
			after += p.Text
		}
	}
	return before, after
}

func marked(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(map[int]string{-1: "[-", 0: "", 1: "{+"}[p.Sign] + p.Text + map[int]string{-1: "-]", 0: "", 1: "+}"}[p.Sign])
	}
	return b.String()
}

func TestWords(t *testing.T) {
	long := strings.Repeat("the same ", 50)
	for _, tc := range []struct{ before, after, want string }{
		{"one two three", "one 2 three", "one [-two-]{+2+} three"},
		{"", "new", "{+new+}"},
		{"don't", "do not", "[-don't-]{+do not+}"},
		{"今日は天気がいい", "昨日は天気がいい", "[-今-]{+昨+}日は天気がいい"},
		{long + "old " + long, long + "new " + long, "…" + long[len(long)-80:] + "[-old-]{+new+}" + (" " + long)[:80] + "…"},
	} {
		if got := marked(Around(Words(tc.before, tc.after))); got != tc.want {
			t.Errorf("%q and %q:\n%s, want\n%s", tc.before, tc.after, got, tc.want)
		}
	}
}

// Texts of very many different words, and long ones of one, end in time and are whole.
func TestWordsOfHostileTexts(t *testing.T) {
	var a, b strings.Builder
	for i := range 60_000 {
		a.WriteString(string(rune(0x4e00+i%20_000)) + " ")
		b.WriteString(string(rune(0x4e00+(i*7919)%20_000)) + "-")
	}
	for _, tc := range [][2]string{{a.String(), b.String()}, {strings.Repeat("ä", 400_000), strings.Repeat("ö", 400_001)}} {
		if before, after := sides(Words(tc[0], tc[1])); before != tc[0] || after != tc[1] {
			t.Error("the texts are not whole")
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("one two", "one 2")
	f.Add("今日", "\ufeff \U0010ffff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip() // the index holds none
		}
		pieces := Words(a, b)
		if before, after := sides(pieces); before != a || after != b {
			t.Errorf("%q and %q: %+v", a, b, pieces)
		}
		for _, p := range Around(pieces) {
			if !utf8.ValidString(p.Text) {
				t.Errorf("%q and %q: %q", a, b, p.Text)
			}
		}
	})
}
