package plugins_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awarc/awarc/plugins"
	"github.com/awarc/awarc/plugins/abi"
	"github.com/awarc/awarc/plugins/sdk"
	"github.com/awarc/awarc/plugins/sdk/plugintest"
)

// kept are the example scorers of other languages than Go, as `make plugins` built them.
func kept(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/examples/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no built examples: run make plugins", err)
	}
	return files
}

// alphabet is what words and the places between them are made of, at the borders of
// the rules of package match.
var alphabet = strings.Split("a b Z 0 9 é É ÿ × Þ ß ΐ Α Ω Ϊ Я а ё Ё Ѐ ѐ ぁ 地 鿿 ꀀ あ 𝄞 � … “ ‖ 、 ¿ "+
	"ª "+
	"\u00a0 \u00bf \u00c0 \u0080 \u07ff "+
	"\u0800 "+
	"\u2000 "+
	"\u206f "+
	"\u2070 "+
	"\u3000 "+
	"\u303f "+
	"\u3040 "+
	"\x00 "+
	". "+
	"- "+
	"_ "+
	"/ "+
	"@ "+
	"[ "+
	"` {", " ")

func randomText(r *rand.Rand, pieces int) string {
	var b strings.Builder
	for range r.IntN(pieces + 1) {
		switch r.IntN(4) {
		case 0:
			b.WriteByte(' ')
		case 1:
			b.WriteString([]string{"storm", "Tropical", "ШТОРМ", "köln"}[r.IntN(4)])
		default:
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
	}
	return b.String()
}

// The matchers of all SDKs are one: whatever topic and page, they give the scores of
// the Go SDK to the bit.
func TestExamplesScoreAsGoDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	topics := make([]abi.Topic, 12)
	for i := range topics {
		topics[i] = abi.Topic{Name: "t", SeedURLs: []string{"http://x/"}, Params: map[string]string{"k": "v"}, Lang: "en"}
		for range r.IntN(30) {
			topics[i].Terms = append(topics[i].Terms,
				abi.Term{Text: randomText(r, 1<<r.IntN(6)), Weight: float32(r.IntN(9)-2) / 2, Flags: abi.TermFlags(r.IntN(8))})
		}
	}
	var sets []*plugins.Set
	for _, file := range kept(t) {
		sets = append(sets, plugintest.Wasm(t, file, plugins.Options{Instances: 1}))
	}
	for _, topic := range topics {
		m := (&sdk.Topic{Topic: topic}).Matcher()
		for _, s := range sets {
			s.SetTopic(topic)
		}
		for range 25 {
			page := &abi.ScoreRequest{URL: "http://example.org/", Title: randomText(r, 9), Lang: "en", Depth: 3, HTTPStatus: 200,
				ContentType: "text/html", ParentScore: 0.5, Truncated: true}
			for range r.IntN(4) {
				page.Parts = append(page.Parts, abi.Part{Kind: abi.PartKind(r.IntN(9)), Text: randomText(r, 1<<r.IntN(12))})
			}
			for range r.IntN(5) {
				page.Links = append(page.Links, abi.Link{URL: "http://example.org/x", Anchor: randomText(r, 9), Context: randomText(r, 40),
					Flags: abi.LinkFlags(r.IntN(16))})
			}
			want := []float32{m.Density(page.Title, 3, page.Text(), 1)}
			for _, l := range page.Links {
				want = append(want, m.Density(l.Anchor, 2, l.Context, 1))
			}
			for _, s := range sets {
				got := s.Score(t.Context(), page)[0]
				if got.Kind != plugins.KindOK {
					t.Fatal(got.Err)
				}
				if scores := append([]float32{got.Response.Doc}, got.Response.Links...); fmt.Sprint(scores) != fmt.Sprint(want) {
					t.Fatalf("%s: %v, want %v, for the topic %+v and the page %+v", got.Plugin, scores, want, topic, page)
				}
			}
		}
	}
}
