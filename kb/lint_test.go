package kb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awarc/awarc/kb"
)

// lintOf lints types of the category forum and returns "line rule" of each
// problem, errors with "!".
func lintOf(t *testing.T, types string) []string {
	t.Helper()
	base, err := kb.Load(kb.Source{Name: "f.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum" rank="2">` + "\n" + types +
		"\n" + `</category>
<category id="blog" rank="1"><type id="low"><detect><pattern>low</pattern></detect><example page="p"/></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range kb.Lint(base) {
		if p.Msg == "" || p.Hint == "" || p.Where == "" || p.Pos.File != "f.xml" || p.Pos.Column == 0 {
			t.Errorf("a problem does not say all: %+v", p)
		}
		mark := ""
		if p.Severity == kb.SeverityError {
			mark = "!"
		}
		out = append(out, fmt.Sprintf("%d %s%s", p.Pos.Line, p.Rule, mark))
	}
	return out
}

// lintType is a type with patterns, each on a line of its own from line 2, and an
// example, so that this is no problem.
func lintType(id, rest string, patterns ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<type id="%s"><example page="p"/><detect>`, id)
	for i, p := range patterns {
		if i > 0 {
			b.WriteString("\n")
		}
		if weak, ok := strings.CutPrefix(p, "~"); ok {
			fmt.Fprintf(&b, `<pattern weak="yes">%s</pattern>`, weak)
		} else {
			fmt.Fprintf(&b, `<pattern>%s</pattern>`, p)
		}
	}
	return b.String() + "</detect>" + rest + "</type>"
}

func lintLevel(id string, patterns string, rest string) string {
	return `<level id="` + id + `" kind="terminal"><detect><pattern>` + strings.ReplaceAll(patterns, "|", "</pattern><pattern>") +
		`</pattern></detect>` + rest + `</level>`
}

const post = `<object class="sioc:Post" id="{url}"><field name="title">h1</field></object>`

func TestLint(t *testing.T) {
	for _, c := range []struct {
		name, types string
		want        []string
	}{
		{"a good type", lintType("a", lintLevel("topic", "i", `<follow to="topic" paging="yes">a</follow>`+post)+"\n"+
			lintLevel("index", "b", `<follow to="topic">a</follow>`), "p", "~q", "~b"), nil},
		{"the same pattern twice", lintType("a", "", "p", "q", "p"), []string{"4 pattern-repeated"}},
		{"a strong pattern inside a strong one", lintType("a", "", "div", "div[@id='x']"), []string{"3 pattern-implied"}},
		{"a strong pattern inside a weak one", lintType("a", "", "~div", "div[@id='x']"), nil},
		{"a weak pattern inside a strong one", lintType("a", "", "div", "~div[@id='x']"), []string{"3 pattern-implied"}},
		{"one sign that counts as two", lintType("a", "", "~img[contains(@src, '/x/')]", "~img[contains(@src, '/x/y/')]"),
			[]string{"3 weak-pair"}},
		{"two signs", lintType("a", "", "~img[contains(@src, '/x/')]", "~img[contains(@alt, '/x/y/')]"), nil},
		{"two weak ways to say one", lintType("a", "", "~img/@src", "~img[@src]"), []string{"3 weak-pair"}},
		{"a weak pattern of the category", `<!-- --><detect><pattern weak="yes">img</pattern></detect>` +
			lintType("a", "", "~img[@src]", "p"), []string{"2 weak-pair"}},
		{"never", lintType("a", "", "~p"), []string{"2 type-never!"}},
		{"one weak pattern and the category's", `<detect><pattern weak="yes">i</pattern></detect>` + lintType("a", "", "~p"), nil},
		{"no example", `<type id="a"><detect><pattern>p</pattern></detect></type>`, []string{"2 type-untested"}},

		{"types with the same patterns", lintType("a", "", "p", "q") + "\n" + lintType("b", "", "q", "p"), []string{"4 type-same!"}},
		{"types that share a pattern", lintType("a", "", "p", "q") + "\n" + lintType("b", "", "q", "r"), nil},
		{"all of one are another's", lintType("a", "", "p") + "\n" + lintType("b", "", "p", "q"), []string{"2 type-covered"}},
		{"of a higher rank", lintType("a", "", "low"), []string{"4 type-covered"}},
		{"a subtype like its parent", lintType("a", "\n"+lintType("b", "", "p"), "p"), []string{"3 type-same!"}},
		{"a subtype that takes all", lintType("a", lintType("b", "", "p", "q"), "p"), []string{"2 type-same!"}},
		{"a subtype that refines", lintType("a", lintType("b", "", "q"), "p"), nil},
		{"a site", lintType("a", `<type id="b" site="h/f"><detect><pattern>p</pattern></detect><example page="p"/></type>`, "p"), nil},

		{"a level with one weak pattern", lintType("a",
			strings.Replace(lintLevel("index", "i", ""), "<pattern>", `<pattern weak="yes">`, 1), "p"), []string{"2 level-never!"}},
		{"a level behind another", lintType("a", lintLevel("home", "div", "")+"\n"+lintLevel("index", "div[@id]|div/p", ""), "p"),
			[]string{"3 level-dead!"}},
		{"one pattern behind", lintType("a", lintLevel("home", "div", "")+"\n"+lintLevel("index", "div[@id]|q", ""), "p"),
			[]string{"3 pattern-late"}},
		{"in the right order", lintType("a", lintLevel("index", "div[@id]", "")+"\n"+lintLevel("home", "div", ""), "p"), nil},
		{"a variant may be behind", lintType("a", lintLevel("index", "div", "")+"\n"+
			strings.Replace(lintLevel("index", "div[@id]", ""), ` kind`, ` variant="x" kind`, 1), "p"), nil},
		{"inherited levels come last", lintType("a",
			lintLevel("index", "div[@id]", "")+"\n"+lintType("b", lintLevel("home", "div", ""), "q"), "p"), []string{"2 level-dead!"}},

		{"a level that nothing leads to", lintType("a",
			lintLevel("index", "i", "")+"\n"+lintLevel("topic", "b", `<follow to="topic">a</follow>`+post), "p"),
			[]string{"3 level-unreachable"}},
		{"a way to nothing", lintType("a", lintLevel("index", "i", `<follow to="home">a</follow>`)+"\n"+lintLevel("home", "b", ""), "p"),
			[]string{"2 follow-nothing"}},
		{"a way to content by another", lintType("a",
			lintLevel("index", "i", `<follow to="home">a</follow>`)+lintLevel("home", "b", `<follow to="topic">a</follow>`)+
				lintLevel("topic", "u", post), "p"), nil},
		{"a way to content that is not taken", lintType("a",
			lintLevel("index", "i", `<follow to="home">a</follow>`)+"\n"+
				lintLevel("home", "b", `<follow to="topic" optional="yes">a</follow>`)+lintLevel("topic", "u", post), "p"),
			[]string{"2 follow-nothing"}},

		{"the same try twice", lintType("a", lintLevel("index", "i",
			strings.Replace(post, "h1", "<try>h1</try>\n<try>h2</try>\n<try>h1</try>", 1)), "p"), []string{"4 try-repeated"}},
		{"a try behind another", lintType("a", lintLevel("index", "i", strings.Replace(post, "h1", "<try>h1</try>\n<try>div/h1</try>", 1)),
			"p"), []string{"3 try-dead"}},
		{"another cut", lintType("a", lintLevel("index", "i",
			strings.Replace(post, "h1", `<try match="x(.+)">h1</try><try match="y(.+)">h1</try>`, 1)), "p"), nil},
		{"a link tried twice", lintType("a", lintLevel("index", "i",
			post+`<follow to="index"><try>a/@href</try>`+"\n"+`<try>a/@href</try></follow>`), "p"), []string{"3 try-repeated"}},

		{"CSS", lintType("a", lintLevel("index", "i", post+"\n<follow to=\"index\">h1.title/a</follow>"), "p"), []string{"3 css-name!"}},
		{"CSS in a pattern", lintType("a", "", "div.post"), []string{"2 css-name!"}},
		{"dots that are none of CSS", lintType("a", lintLevel("index", "i", post+`<follow to="index">a[contains(@href, 'index.php')]/.`+
			`</follow><follow to="index" paging="yes">.//a[.='x.y']/../@href</follow>`), "p"), nil},
		{"examples of one key", lintType("a", "<urls><drop param=\"f\"/></urls>"+lintLevel("index", "i", post)+
			"\n<example page=\"p\" url=\"http://h/x?f=1\"/>\n<example page=\"q\" url=\"http://h/x?f=2\"/>", "p"), []string{"4 key-same"}},
		{"a form without the numbers of another", lintType("a",
			"<urls>\n<prefer url=\"index.html\"><from>t{t}.html</from></prefer></urls>", "p"), []string{"3 prefer-drops"}},
		{"a drop of what paging needs", lintType("a", "<urls><paging param=\"page\"/>\n<drop param=\"p*\"/></urls>", "p"),
			[]string{"3 drop-needed!"}},
		{"a drop of what a form needs", lintType("a",
			"<urls><drop param=\"t\"/>\n<prefer url=\"x.php?t={t}\"><from>t{t}</from></prefer></urls>", "p"), []string{"2 drop-needed!"}},
		{"a drop beside another parameter", lintType("a", "<urls><paging param=\"page\"/><drop param=\"page\" with=\"all\"/></urls>", "p"),
			nil},
		{"a wiki of one level", lintType("a", lintLevel("article", "i", post+`<follow to="article">a</follow>`), "p"), nil},

		{"a comparison without quotes", lintType("a", lintLevel("index", "i",
			strings.Replace(post, "h1", "<try>h1[@class=post]</try>\n<try>h2[contains(@class, post)]</try>", 1)), "p"),
			[]string{"2 value-unquoted", "3 value-unquoted"}},
		{"comparisons of elements", lintType("a", lintLevel("index", "i",
			strings.Replace(post, "h1", "h1[@id='a' or a/@href=b/@href or p=q]", 1)), "p"), nil},
		{"a function of XPath 2.0", lintType("a", lintLevel("index", "i", strings.Replace(post, "h1", "h1[matches(@class, 'x')]", 1)), "p"),
			[]string{"2 xpath-function!"}},
		{"a header by its usual name", lintType("a", "", "p", "http/header[@name='Server'][contains(., 'x')]"), []string{"3 header-case!"}},
		{"a header in lower case", lintType("a", "", "p", "http/header[@name='server'][contains(., 'X')]"), nil},
		{"any page", lintType("a", "", "p", "body", "~html//*"), []string{"3 pattern-any!", "4 pattern-any"}},
		{"some pages", lintType("a", "", "body[@id]", "html[.x]/body"), nil},
		{"types that match the same pages, written in two ways", lintType("a", "", "meta[@name='generator'][@content='Board 2']") + "\n" +
			lintType("b", "", "meta[@name='generator'][starts-with(@content, 'Board')]", "q"), []string{"2 type-covered"}},
		{"a narrower subtype", lintType("a", "\n"+lintType("b", "", "div[@id='x'][.y]"), "div[@id='x']"), nil},
		{"a condition that begins at the page", lintType("a", lintLevel("index", "i",
			post+"\n"+`<follow to="index">a[@href=//p/@id]</follow>`+"\n"+`<follow to="index" paging="yes">a[.//b]</follow>`), "p"),
			[]string{"3 condition-absolute"}},
		{"a condition that walks the page", lintType("a", lintLevel("index", "i",
			post+"\n"+`<follow to="index">a[preceding::h2]</follow>`+"\n"+
				`<follow to="index" paging="yes">a[ancestor::div//h2]</follow>`), "p"),
			[]string{"3 cost-grows", "4 cost-grows"}},
		{"paths to children of the page", lintType("a", "\n"+lintLevel("index", "i", "<follow to=\"index\">a[string(div/b)]</follow>\n"+
			"<follow to=\"index\" paging=\"yes\">(div/a)[1]</follow>\n"+
			strings.Replace(post, "h1", "<try>substring-after(div/h1, 'x')</try>\n<try>/html/body/h1</try>\n<try>./h2</try>"+
				"<try>//h3 | /page/html/h4</try><try>string(//h5)</try>", 1)+
			"\n<total of=\"sioc:Post\">string(p)</total>"+
			"\n<object class=\"sioc:Item\" at=\"li\" id=\"{url}#{string(@id)}\"><field name=\"title\">string(b/i)</field></object>"),
			"p", "/html[@id]"), []string{"3 path-nowhere!", "5 path-nowhere!", "6 path-nowhere!", "7 path-nowhere!", "8 path-nowhere!",
			"9 path-nowhere!"}},
		{"paging that the preferred form loses", lintType("a",
			"<urls><paging path=\"/page{n}\"/><paging param=\"start\"/>\n<prefer url=\"x.php?t={t}\"><from>t-{t}</from></prefer>"+
				`<address level="index">x.php?t={t}</address></urls>`+lintLevel("index", "i", post+
				`<follow to="index" paging="yes">a</follow>`), "p"),
			[]string{"3 prefer-paging"}},
		{"a default of what is dropped", lintType("a", "<urls><drop param=\"x\"/>\n<default param=\"x\" value=\"1\"/></urls>", "p"),
			[]string{"3 default-dropped"}},
	} {
		if got := lintOf(t, c.types); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What a later source says again of a type is no problem: that is how it is
// extended.
func TestLintOfAnExtendedType(t *testing.T) {
	one := kb.Source{Name: "a.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c">` + lintType("a", "", "p") +
		`</category></kb>`)}
	two := kb.Source{Name: "b.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c">` + lintType("a", "", "p", "q") +
		`</category></kb>`)}
	base, err := kb.Load(one, two)
	if err != nil {
		t.Fatal(err)
	}
	if got := kb.Lint(base); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
