package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestQuotations: what is quoted is apart from what the author wrote, and says what it is of, in the templates of boards.
func TestQuotations(t *testing.T) {
	for _, c := range []struct{ name, id, at, said, own, quoted, of string }{
		{"phpBB 3.3", "viewtopic.php?p={@id ~ \\d+}#p{@id ~ \\d+}", "p77",
			`<blockquote cite="./viewtopic.php?p=55&amp;sid=ab12#p55"><div><cite><a ` +
				`href="./memberlist.php?mode=viewprofile&amp;u=2">ida</a> wrote: ` +
				`<a href="./viewtopic.php?p=55&amp;sid=ab12#p55" data-post-id="55">↑</a></cite>Oak<blockquote ` +
				`cite="./viewtopic.php?p=44#p44"><div>` +
				`deep</div></blockquote></div></blockquote>Ash.`, "Ash.", "ida wrote: ↑/Oak/deep", "viewtopic.php?p=55#p55"},
		{"phpBB 2", "viewtopic.php?p={@id ~ \\d+}#{@id ~ \\d+}", "77",
			`<span class="postbody"></span><table><tr><td><span class="genmed"><b>Ina wrote:</b></span></td></tr><tr><td ` +
				`class="quote">It drips.` +
				`</td></tr></table><span class="postbody"><br />Change the gland.</span>`, "Change the gland.", "Ina wrote:/It drips.", ""},
		{"vBulletin 4", "showthread.php?p={@id ~ \\d+}#post{@id ~ \\d+}", "post_77",
			`<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class="bbcode_postedby">` +
				`Originally Posted by ` +
				`<strong>Ina</strong> <a href="showthread.php?s=ab&amp;p=55#post55" rel="nofollow"><img alt="View Post"></a>` +
				`</div><div class="message">Oak` +
				`</div></div></div></div>Ash`, "Ash", "Originally Posted by Ina/Oak", "showthread.php?p=55#post55"},
		{"vBulletin 3", "showthread.php?p={@id ~ \\d+}#post{@id ~ \\d+}", "post77",
			`<div style="margin:20px"><div class="smallfont">Quote:</div><table><tr><td class="alt2"><div>Originally Posted by ` +
				`<strong>Ina</strong> ` +
				`<a href="showthread.php?p=55#post55"><img></a></div><div>Oak</div></td></tr></table></div>Ash<div><div ` +
				`class="smallfont">Code:</div>` +
				`<pre class="alt2">x</pre></div>`, "Ash/Code:/x", "Quote:/Originally Posted by Ina/Oak", "showthread.php?p=55#post55"},
		{"MyBB 1.8", "showthread.php?pid={@id ~ \\d+}#pid{@id ~ \\d+}", "post_77",
			`<blockquote class="mycode_quote"><cite><span> (01-02-2018)</span>Ina Wrote: <a href="showthread.php?pid=55#pid55" ` +
				`class="quick_jump"></a>` +
				`</cite>Oak</blockquote>Ash`, "Ash", "(01-02-2018)Ina Wrote:/Oak", "showthread.php?pid=55#pid55"},
		{"SMF 2, of another thread", "index.php?topic=5#msg{@id ~ \\d+}", "msg77",
			`<div class="quoteheader"><div class="topslice_quote"><a href="index.php?topic=9.msg55#msg55">Quote from: Ina on ` +
				`May 1</a></div></div>` +
				`<blockquote class="bbc_standard_quote">Oak</blockquote><div class="quotefooter"></div>Ash`, "Ash", "Quote " +
				"from: Ina on May 1/Oak",
			"index.php?topic=9#msg55"},
		{"XenForo 2", "threads/5/#post-{@id ~ \\d+}", "js-post-77",
			`<blockquote data-attributes="member: 3" data-quote="Ina" data-source="post: 55" class="bbCodeBlock bbCodeBlock--quote"><div ` +
				`class="bbCodeBlock-title"><a href="/goto/post?id=55" rel="nofollow">Ina said:</a></div><div ` +
				`class="bbCodeBlock-content">Oak</div>` +
				`</blockquote>Ash`, "Ash", "Ina said:/Oak", "threads/5/#post-55"},
		{"Discourse, of another thread", "t/5#post_{@id ~ \\d+}", "post_7",
			`<aside class="quote" data-username="ina" data-post="3" data-topic="9"><div class="title">ina:</div><blockquote><p>` +
				`Oak</p></blockquote>` +
				`</aside><p>Ash</p>`, "Ash", "ina:/Oak", "t/9#post_3"},
		{"FluxBB, which has no links", "viewtopic.php?pid={@id ~ \\d+}#p{@id ~ \\d+}", "p77",
			`<div class="quotebox"><cite>Ina wrote:</cite><blockquote><div><p>Oak</p></div></blockquote></div><p>Ash</p>`, "Ash",
			"Ina wrote:/Oak", ""},
		{"the frame of vBulletin 4, with a quotation in it", "showthread.php?p={@id ~ \\d+}#post{@id ~ \\d+}", "post_77",
			`<blockquote class="postcontent restore"><div class="bbcode_quote">Oak</div>Ash</blockquote>`, "Ash", "Oak", ""},
		{"the frame alone", "showthread.php?p={@id ~ \\d+}#post{@id ~ \\d+}", "post_77",
			`<blockquote class="postcontent restore">Oak</blockquote>`, "", "", ""},
		{"the frame of XenForo 1, which can be quoted", "threads/5/#post-{@id ~ \\d+}", "post-77",
			`<blockquote class="messageText SelectQuoteContainer"><div class="bbCodeQuote">Oak</div>Ash</blockquote>`, "Ash", "Oak",
			""},
		{"a link to another site", "viewtopic.php?p={@id ~ \\d+}#p{@id ~ \\d+}", "p77",
			`<blockquote cite="http://elsewhere.example/viewtopic.php?p=55#p55">Oak</blockquote>Ash`, "Ash", "Oak", ""},
		{"nothing but a quotation of itself", "viewtopic.php?p={@id ~ \\d+}#p{@id ~ \\d+}", "p77",
			`<blockquote cite="viewtopic.php?p=77#p77">Oak</blockquote>`, "", "Oak", ""},
		{"no quotation", "#{@id}", "p77", `<q>Oak</q> <div class="unquoted">Ash</div>`, "", "", ""},
	} {
		typ := typeOf(t, `<urls><drop param="sid"/><drop param="s"/><prefer url="index.php?topic={t}"><from>`+
			`index.php?topic={t}.msg{m}</from></prefer></urls>`,
			topic(`<object class="sioc:Post" at="li" id="`+c.id+`"><field name="content" as="html">./div</field></object>`))
		h := harvest(t, typ, `<ul><li id="`+c.at+`"><div>`+c.said+`</div></li></ul>`)
		if len(h.Objects) != 1 {
			t.Errorf("%s: %d objects", c.name, len(h.Objects))
			continue
		}
		o, line := &h.Objects[0], strings.NewReplacer("\n", "/").Replace
		of := strings.TrimPrefix(o.Value("reply_of"), "http://h.example/f/")
		if own, quoted := line(o.Value("content_own")), line(o.Value("quoted")); own != c.own || quoted != c.quoted || of != c.of {
			t.Errorf("%s: %q, quotes %q of %q; want %q, %q of %q", c.name, own, quoted, of, c.own, c.quoted, c.of)
		}
		if content := o.Value("content"); !strings.Contains(content, "Oak") && !strings.Contains(content, "drips") {
			t.Errorf("%s: the content %q lacks what it quotes", c.name, content)
		}
	}
}

// TestQuoted: what is in a quotation is told from what is beside it, and from the frame of a post.
func TestQuoted(t *testing.T) {
	doc, err := html.Parse(strings.NewReader(`<div id="post"><blockquote class="postcontent"><div class="bbcode_quote"><p>Oak</p></div>` +
		`<i>Ash</i></blockquote></div>`))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*html.Node{}
	for n := range doc.Descendants() {
		found[n.Data] = n
	}
	if !Quoted(found["p"], doc) || Quoted(found["i"], doc) || Quoted(found["p"], found["p"].Parent) {
		t.Error("the quotation is the inner block alone")
	}
}
