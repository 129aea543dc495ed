package adapt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/extract"
	"github.com/awarc/awarc/kb"
)

// similarThreads is a topic after XenForo's template: posts, the texts of articles in
// them, and a list of similar threads below.
func similarThreads(id string) string {
	var b strings.Builder
	b.WriteString(`<html id="XF"><head><title>Wet boats | Boats</title></head><body><h1 class="p-title-value">Wet boats</h1>`)
	for i, text := range []string{
		"Which of you has kept a wooden boat in the water for all of a winter, and what did it cost in paint?",
		"Mine stays in from October on. The hull moves less than it does on land, and no frost gets at the seams.",
		"Whoever has a cover should use it: rain from above has done more harm to mine than the sea from below.",
	} {
		fmt.Fprintf(&b, `<article class="message message--post js-post" data-author="Member %d" id="%s%d">
<div class="message-inner"><header class="message-attribution"><time class="u-dt" datetime="2020-09-1%dT07:16:07-0500">Sep</time></header>
<article class="message-body js-selectToQuote"><div class="bbWrapper">%s</div></article></div></article>`, i, id, 3960645+i, i, text)
	}
	b.WriteString(`<div class="structItemContainer"><div class="structItem structItem--thread"><div class="structItem-title"><a ` +
		`href="/threads/dry.7/">Dry boats</a></div></div></div></body></html>`)
	return b.String()
}

// TestMistakenLevel mends a topic whose ids were renamed, and which passes for a list
// by the similar threads below it; a number in the new name is not that of a post.
func TestMistakenLevel(t *testing.T) {
	b := loadBuiltin(t)
	const at = "https://boats.example/threads/wet.5/"
	_, whole := b.page(t, "xenforo", at, similarThreads("js-post-"))
	p, broken := b.page(t, "xenforo", at, similarThreads("frag-i11-"))
	if broken.Level == nil || broken.Level.ID != "forum" {
		t.Fatalf("the page passes for %v, not for a list", broken.Level)
	}
	a := b.mend(p, broken)
	if got, want := fmt.Sprint(a.Harvest.Objects), fmt.Sprint(whole.Objects); len(whole.Objects) != 4 || got != want {
		t.Errorf("got %s\nwant %s\nentries %v, not mended %v", got, want, a.Entries, a.Left)
	}
	r := New(LearnerOptions{}).Page(b.base, p, broken)
	if r.Provisional == nil || len(r.Provisional.Objects) != 4 || r.Harvest.Level != broken.Level {
		t.Errorf("a learner makes of it %+v", r)
	}
}

// TestListsAreLists leaves a list without posts alone.
func TestListsAreLists(t *testing.T) {
	b := loadBuiltin(t)
	p, h := b.page(t, "xenforo", "https://boats.example/forums/wet.5/", strings.ReplaceAll(similarThreads("x"), "message", "y"))
	if faults := Judge(p, h); h.Level == nil || h.Level.ID != "forum" || lost(h, faults) {
		t.Errorf("level %v, faults %v", h.Level, faults)
	}
}

// TestAddressesOutweighWeakPatterns holds that the address of a topic decides its level, although its
// posts have the links by which profiles are recognised.
func TestAddressesOutweighWeakPatterns(t *testing.T) {
	b := loadBuiltin(t)
	const page = `<html><body><a href="reputation.php?uid=4">2</a> <a href="search.php?action=finduser&uid=4">Find</a></body></html>`
	for at, want := range map[string]int{"showthread.php?tid=5": 1, "member.php?action=profile&uid=4": 0} {
		p, h := b.page(t, "mybb", "https://boats.example/"+at, page)
		if h.Level == nil || h.Level.ID != "profile" {
			t.Fatalf("%s passes for %v, not for a profile", at, h.Level)
		}
		n := 0
		for _, f := range Judge(p, h) {
			n += boolInt(f.Kind == NoLevel)
		}
		if n != want {
			t.Errorf("%s: %d faults of the level, want %d", at, n, want)
		}
	}
}

// TestTiesGoToTheEarlierAction prefers the text beside an edit note to its element where both give
// the same, as the author of the actions did.
func TestTiesGoToTheEarlierAction(t *testing.T) {
	tries := []*kb.Try{{Expr: &kb.Expr{Source: "text"}}, {Expr: &kb.Expr{Source: "element"}}}
	q := &ask{spot: kb.Spot{Tries: tries}}
	text, element := &candidate{from: "text"}, &candidate{from: "element"}
	if q.likelier(text, element) >= 0 || q.likelier(element, text) <= 0 {
		t.Error("the later action is as good as the earlier one")
	}
}

// TestVariantOfALostTemplate reads a topic whose ids were renamed by the actions of its own
// template, though only the looser pattern of an older one still fires.
func TestVariantOfALostTemplate(t *testing.T) {
	b := loadBuiltin(t)
	var page strings.Builder
	page.WriteString(`<html><head><title>Wet boats</title></head><body><table><tr><td>`)
	texts := []string{"Which of you has kept a wooden boat in the water?", "Mine stays in from October on.", "Use a cover."}
	for i, text := range texts {
		fmt.Fprintf(&page, `<div class="post" id="note_%[1]d"><div class="author_information"><span class="largetext">`+
			`<a href="member.php?action=profile&uid=%[1]d">Ada %[1]d</a></span></div><div class="post_head">`+
			`<a href="showthread.php?tid=5&pid=%[1]d#pid%[1]d" title="RE: Wet boats">#</a>`+
			`<span class="post_date">11-0%[1]d-2020, 06:02 AM</span></div>`+
			`<div class="post_body" id="pid_%[1]d">%[2]s</div></div>`, i+1, text)
	}
	p, h := b.page(t, "mybb", "https://boats.example/showthread.php?tid=5", page.String()+"</td></tr></table></body></html>")
	if h.Level == nil || h.Level.Variant != "1.2" || count(h, "sioc:Post") > 0 {
		t.Fatalf("the page passes for %v with %d posts", h.Level, count(h, "sioc:Post"))
	}
	a := b.mend(p, h)
	if v := a.Harvest.Level.Variant; v != "1.4" || count(a.Harvest, "sioc:Post") != 3 {
		t.Errorf("%d posts of variant %s, want 3 of 1.4; not mended %v", count(a.Harvest, "sioc:Post"), v, a.Left)
	}
}

// TestAddressesTellWhereLinksLead trusts an action whose links have addresses of the promised level,
// though nothing was fetched through it.
func TestAddressesTellWhereLinksLead(t *testing.T) {
	b := loadBuiltin(t)
	p, _ := b.page(t, "mybb", "https://boats.example/showthread.php?tid=5", "<html></html>")
	part := kb.FollowPart("forum", false)
	for link, want := range map[string]bool{"forumdisplay.php?fid=2": true, "misc.php?fid=2": false, "showthread.php?tid=6": false} {
		other := extract.Link{URL: "https://boats.example/x", To: "index"}
		h := extract.Harvest{Links: []extract.Link{{URL: "https://boats.example/" + link, To: "forum"}, other}}
		if got := toldLeading(p, h, part); got != want {
			t.Errorf("%s: %v", link, got)
		}
	}
}
