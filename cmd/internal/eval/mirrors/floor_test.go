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
