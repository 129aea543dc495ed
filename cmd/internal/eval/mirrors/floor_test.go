package mirrors

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/cmd/internal/eval/mend"
	"github.com/awarc/awarc/cmd/internal/eval/truth"
	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// board writes topics as a type's template does: with the type, the thread, the post, and its texts.
type board struct {
	typ         kb.TypeID
	address     string
	before, end string
	least       [2]int // percentage of fields that are kept: classes renamed, and ids too
	post        string // 1 the post, 2 the author, 3 the day of the month, 4 the text, 5 the thread, 6 the title
}

var boards = []board{
	{
		typ: "mybb", address: "showthread.php?tid=%d", least: [2]int{98, 98},
		before: `<html><head><title>%[2]s</title>` +
			`<link rel="alternate" href="/syndication.php?type=atom1.0"><script>var my_post_key = "a";` +
			`</script></head><body><div class="navigation"><a href="index.php">Boats</a><a href="forumdisplay.php?fid=2">Hulls</a>` +
			`<span class="active">%[2]s</span></div><div id="posts">`,
		post: `<div class="post" id="post_%[1]d"><div class="post_author">` +
			`<div class="author_information"><strong><span class="largetext">` +
			`<a href="member.php?action=profile&amp;uid=%[3]d">%[2]s</a></span></strong><br>` +
			`<span class="smalltext">Member</span></div>` +
			`<div class="author_statistics">Posts: 1%[3]d<br>Joined: Aug 2017</div></div>` +
			`<div class="post_content"><div class="post_head">` +
			`<a href="showthread.php?tid=%[5]d&amp;pid=%[1]d#pid%[1]d" title="RE: %[6]s">#%[1]d</a><span class="post_date">` +
			`11-%02[3]d-2020, 06:02 AM</span></div><div class="post_body" id="pid_%[1]d">%[4]s</div></div></div>`,
		end: `</div></body></html>`,
	},
	{
		typ: "smf", address: "index.php?topic=%d.0", least: [2]int{98, 75},
		before: `<html><head><title>%[2]s</title>` +
			`<script>var smf_theme_url = "/Themes/default"; var smf_scripturl = "/index.php";</script>` +
			`</head><body><div class="navigate_section"><ul><li><a href="index.php">Boats</a></li><li>` +
			`<a href="index.php?board=2.0">Hulls</a></li></ul></div><div id="forumposts">`,
		post: `<div class="windowbg" id="msg%[1]d"><div class="post_wrapper"><div class="poster">` +
			`<h4><a href="index.php?action=profile;u=%[3]d">` +
			`%[2]s</a></h4><ul class="user_info"><li>Posts: 1%[3]d</li></ul></div><div class="postarea"><div class="keyinfo">` +
			`<h5 id="subject_%[1]d"><a href="index.php?topic=%[5]d.msg%[1]d#msg%[1]d">Re: %[6]s</a></h5><div class="postinfo">` +
			`<a class="smalltext" href="index.php?topic=%[5]d.msg%[1]d#msg%[1]d">November %[3]d, 2020, 06:02:00 AM</a></div></div>` +
			`<div class="post"><div class="inner" id="msg_%[1]d">%[4]s</div></div></div></div></div>`,
		end: `</div></body></html>`,
	},
}

// topic writes a page of six posts.
func (b *board) topic(n int) string {
	names := []string{"Ada", "Bo Lind", "Cleo", "Dov"}
	woods := []string{"larch", "oak", "elm", "ash", "pine", "cedar", "teak", "fir"}
	title := fmt.Sprintf("Planks of %s and %s", woods[n%8], woods[(n+3)%8])
	var out strings.Builder
	fmt.Fprintf(&out, b.before, n, title)
	for i := range 6 {
		text := fmt.Sprintf("The plank of %s was bent on day %d, and it has held in the %s frame ever since.",
			woods[(n+i)%8], 7*n+i, woods[(3*n+i)%8])
		fmt.Fprintf(&out, b.post, 10*n+i, names[(n+i*i)%4], 1+n+2*i, text, n, title)
	}
	return out.String() + b.end
}

// TestRenamedBoardsFloor repairs generated pages whose classes, or classes and ids, are renamed. It
// fails if fewer fields than before are right, or if one is wrong. With ids renamed, SMF's posts lack
// their titles. EVALUATION.md has the figures of whole mirrors.
func TestRenamedBoardsFloor(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	e := &mend.Eval{Source: truth.Source{Whole: d}, Notes: io.Discard}
	for _, b := range boards {
		for _, ids := range []bool{false, true} {
			var pages []*truth.Page
			for n := 1; n <= 6; n++ {
				u, err := url.Parse("https://boats.example/" + fmt.Sprintf(b.address, n))
				if err != nil {
					t.Fatal(err)
				}
				page := []byte(b.topic(n))
				got, err := engine.Inspect(d, engine.Answer{URL: u, HTML: page}, engine.Hints{Force: b.typ})
				if err != nil || len(got.Harvest.Objects) != 7 {
					t.Fatalf("%s: %d objects of 7, %v", b.typ, len(got.Harvest.Objects), err)
				}
				if page, err = (renaming{of: 1, ids: ids, seed: 1}).page(page); err != nil {
					t.Fatal(err)
				}
				pages = append(pages, &truth.Page{Type: b.typ, Site: u.Host, Answer: engine.Answer{URL: u, HTML: page},
					Objects: got.Harvest.Objects, Level: got.Harvest.Level})
			}
			site, err := e.Read(t.Context(), d, pages)
			if err != nil {
				t.Fatal(err)
			}
			n := e.Compare(pages, site, mend.AsCrawl, "").Objects
			t.Logf("%s, ids %v: %+v", b.typ, ids, n)
			least := b.least[0]
			if ids {
				least = b.least[1]
			}
			if kept := n.Fields - n.Missed + n.Recovered; 100*kept < least*n.Fields || n.Wrong > 0 || n.Lost > 0 || n.Missed == 0 {
				t.Errorf("%s, ids %v: %+v, %d %% were kept", b.typ, ids, n, least)
			}
		}
	}
}

// floor has what the record reader finds of a type's posts in the examples of the built-in knowledge
// base, without the type: percentages of texts, authors and dates, on the pages as they are and with
// all classes and ids renamed.
type floor struct {
	posts          int
	whole, renamed [3]int
}

// floors are the figures of the build that wrote them.
var floors = map[kb.TypeID]floor{
	"bbpress":         {23, [3]int{91, 91, 78}, [3]int{82, 82, 69}},
	"blogger":         {5, [3]int{40, 40, 40}, [3]int{40, 40, 40}},
	"buddypress":      {6, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"discourse":       {13, [3]int{38, 38, 23}, [3]int{69, 69, 46}},
	"discuz":          {4, [3]int{75, 50, 50}, [3]int{75, 50, 50}},
	"flarum":          {2, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"flaskbb":         {3, [3]int{100, 100, 100}, [3]int{100, 100, 100}},
	"fluxbb":          {4, [3]int{50, 50, 50}, [3]int{50, 50, 50}},
	"hackernews":      {2, [3]int{100, 100, 100}, [3]int{100, 100, 100}},
	"hyperkitty":      {2, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"ipb":             {8, [3]int{50, 25, 50}, [3]int{75, 50, 75}},
	"lemmy":           {3, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"mediawiki":       {6, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"movabletype":     {4, [3]int{50, 0, 50}, [3]int{0, 0, 0}},
	"mybb":            {6, [3]int{33, 33, 0}, [3]int{33, 33, 0}},
	"nodebb":          {2, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"phpbb":           {13, [3]int{69, 53, 46}, [3]int{53, 38, 30}},
	"question2answer": {2, [3]int{0, 0, 0}, [3]int{50, 50, 50}},
	"reddit":          {5, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"serendipity":     {5, [3]int{80, 40, 80}, [3]int{40, 40, 40}},
	"smf":             {10, [3]int{20, 20, 20}, [3]int{60, 60, 60}},
	"stackexchange":   {2, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"trac":            {3, [3]int{0, 0, 0}, [3]int{0, 0, 0}},
	"ubb":             {8, [3]int{0, 0, 0}, [3]int{25, 25, 0}},
	"vanilla":         {3, [3]int{0, 0, 0}, [3]int{33, 0, 0}},
	"vbulletin":       {8, [3]int{50, 50, 50}, [3]int{50, 50, 50}},
	"woltlab":         {5, [3]int{40, 40, 40}, [3]int{40, 40, 40}},
	"wordpress":       {7, [3]int{100, 85, 100}, [3]int{100, 85, 100}},
	"xenforo":         {8, [3]int{75, 62, 62}, [3]int{75, 62, 62}},
}

// TestTypesLeftOutFloor reads the posts of each type without the type, by the weights in use. It fails
// if fewer are right than before. The weights do not know these pages, which are written for the
// knowledge base; EVALUATION.md has figures of real sites.
func TestTypesLeftOutFloor(t *testing.T) {
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	d := detect.New(base)
	none := detect.New(&kb.Base{})
	for _, typ := range base.Types {
		var n floor
		for i := range typ.Examples {
			x := &typ.Examples[i]
			r, err := engine.RunExample(d, typ, x)
			if err != nil {
				t.Fatal(err)
			}
			posts := map[string]extract.Object{}
			for _, o := range r.Page.Harvest.Objects {
				if o.Class == "sioc:Post" || o.Class == "sioct:Comment" {
					posts[o.Value("content")] = o
				}
			}
			if len(posts) < 2 {
				continue // the reader needs two
			}
			n.posts += len(posts)
			page, err := x.Read()
			if err != nil {
				t.Fatal(err)
			}
			n.count(t, none, r.Page.URL, page, posts, &n.whole)
			if page, err = (renaming{of: 1, ids: true, seed: 1}).page(page); err != nil {
				t.Fatal(err)
			}
			n.count(t, none, r.Page.URL, page, posts, &n.renamed)
		}
		if n.posts == 0 {
			continue
		}
		for i := range n.whole {
			n.whole[i], n.renamed[i] = 100*n.whole[i]/n.posts, 100*n.renamed[i]/n.posts
		}
		t.Logf("%q: {%d, [3]int{%d, %d, %d}, [3]int{%d, %d, %d}},", typ.ID, n.posts, n.whole[0], n.whole[1], n.whole[2],
			n.renamed[0], n.renamed[1], n.renamed[2])
		least := floors[typ.ID]
		for i, what := range []string{"texts", "authors", "dates"} {
			if n.posts < least.posts || n.whole[i] < least.whole[i] || n.renamed[i] < least.renamed[i] {
				t.Errorf("%s: of %d posts %d %% of the %s, %d %% with names renamed; were %d, %d %%, %d %%", typ.ID, n.posts, n.whole[i],
					what, n.renamed[i], least.posts, least.whole[i], least.renamed[i])
			}
		}
	}
}

// count counts the posts of a page whose texts, authors and dates are as wanted.
func (*floor) count(t *testing.T, d *detect.Detector, at *url.URL, page []byte, want map[string]extract.Object, right *[3]int) {
	t.Helper()
	got, err := engine.Inspect(d, engine.Answer{URL: at, HTML: page}, engine.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range got.Harvest.Objects {
		w, is := want[o.Value("content")]
		if !is {
			continue
		}
		for i, name := range []string{"content", "creator", "created"} {
			if o.Value(name) == w.Value(name) {
				right[i]++
			}
		}
	}
}
