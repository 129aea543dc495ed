package extract

import "testing"

// TestAccounts: a creator is the profile page that its name is a link to, by the address under which that page is known.
func TestAccounts(t *testing.T) {
	typ := typeOf(t, `<urls><drop param="sid"/><address level="profile">member.php?u={u}</address></urls>`,
		topic(`<object class="sioc:Post" id="#{@id}" at="li"><field name="creator" match="^(?:By )?(.+?)(?: in .*)?$">p</field></object>`)+
			`<level id="profile" kind="terminal"><detect><pattern>h9</pattern></detect></level>`)
	for _, c := range []struct{ name, page, want string }{
		{"a member, whatever the session", `<p>By <a href="/member.php?u=3&amp;sid=ab12">Ines</a></p>`, "http://h.example/member.php?u=3"},
		{"a guest of the same name", `<p>By <b>Ines</b></p>`, ""},
		{"the name is inside the link", `<a href="/u/ines"><p>Ines</p></a>`, "http://h.example/u/ines"},
		{"another link stands there, too", `<p>By <a href="/u/ines">Ines</a> in <a href="/c/news">News</a></p>`, "http://h.example/u/ines"},
		{"the other link is first", `<p>By <a href="/c/news"><img></a> <a href="/u/ines">Ines</a></p>`, "http://h.example/u/ines"},
		{"a guest's home page", `<p><a href="http://ines.example/x">Ines</a></p>`, ""},
		{"a guest's home page, on the same site", `<p><a href="/ines/" rel="ugc external nofollow">Ines</a></p>`, ""},
		{"the site's front page", `<p><a href="/">Ines</a></p>`, ""},
		{"the page itself", `<p><a href="topic?id=5#1">Ines</a></p>`, ""},
		{"a mail address", `<p><a href="mailto:ines@h.example">Ines</a></p>`, ""},
		{"an author of several sites", `<p><a href="http://authors.example/ines" rel="author">Ines</a></p>`, "http://authors.example/ines"},
		{"a profile by its address",
			`<p><a href="http://www.h.example/member.php?u=3">Ines</a></p>`, "http://www.h.example/member.php?u=3"},
	} {
		h := harvest(t, typ, `<li id="1">`+c.page+`</li>`)
		if len(h.Objects) != 1 || h.Objects[0].Value("creator") != "Ines" || h.Objects[0].Value("creator_url") != c.want {
			t.Errorf("%s: %+v, want the account %q", c.name, h.Objects, c.want)
		}
	}
}

// TestAccountsOfAnotherTemplate: where the knowledge base says where the profile page is and nothing is there, the name's own link tells.
func TestAccountsOfAnotherTemplate(t *testing.T) {
	typ := typeOf(t, `<urls><address level="profile">u/{*}</address></urls>`,
		topic(`<object class="sioc:Post" id="#{@id}" at="li"><field name="creator_url" as="url">b/a</field>`+
			`<field name="creator"><try>p</try><try>i/@title</try></field></object>`)+
			`<level id="profile" kind="terminal"><detect><pattern>h9</pattern></detect></level>`)
	for page, want := range map[string]string{
		`<p><a href="/u/ines">Ines</a></p>`:                                                                  "http://h.example/u/ines",
		`<p><a href="/u/ines">Ines</a></p><b><a href="/m/3">@</a></b>`:                                       "http://h.example/m/3",
		`<i title="Ines"><a href="/c/ines">Ines</a> <a href="/u/tom">Tom</a> <a href="/u/ines">Ines</a></i>`: "http://h.example/u/ines",
		`<p>Ines</p>`: "",
	} {
		h := harvest(t, typ, `<li id="1">`+page+`</li>`)
		if len(h.Objects) != 1 || h.Objects[0].Value("creator_url") != want {
			t.Errorf("%s: %+v, want the account %q", page, h.Objects, want)
		}
	}
}
