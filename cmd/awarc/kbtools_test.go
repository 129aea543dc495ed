package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// slipway copies the worked example of kb/README.md to a folder, changed by
// pairs of old and new text, and returns its XML.
func slipway(t *testing.T, changes ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"slipway.xml", "list.html", "topic.html"} {
		data, err := os.ReadFile(filepath.Join(tutorial, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if name == "slipway.xml" {
			text = strings.NewReplacer(changes...).Replace(text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "slipway.xml")
}

func TestLintExitStatus(t *testing.T) {
	t.Parallel()
	good := slipway(t)
	doubtful := slipway(t, `<paging param="from"/>`, `<paging param="from"/><drop param="x"/><default param="x"/>`)
	wrong := slipway(t, `<paging param="from"/>`, `<paging param="from"/><drop param="from"/>`)
	lost := slipway(t, `page="list.html"`, `page="other.html"`)
	for _, c := range []struct {
		args   []string
		status int
		rule   string
	}{
		{[]string{"--strict", good}, exitDone, ""}, // with the built-in files; reading these takes most of the time
		{[]string{"--alone", good}, exitDone, ""},
		{[]string{"--alone", "--strict", good}, exitDone, ""},
		{[]string{"--alone", doubtful}, exitDone, "default-dropped"},
		{[]string{"--alone", "--strict", doubtful}, exitFailed, "default-dropped"},
		{[]string{"--alone", wrong}, exitFailed, "drop-needed"},
		{[]string{"--alone", lost}, exitFailed, "example-page"},
	} {
		o := awarc(t, "", append([]string{"kb", "lint"}, c.args...)...)
		o.want(t, c.status)
		if c.rule != "" && !strings.Contains(o.out, "["+c.rule+"]") || c.rule == "" && strings.Contains(o.out, "[") {
			t.Errorf("%v: want the rule %q:\n%s", c.args, c.rule, o.out)
		}
		o = awarc(t, "", append([]string{"kb", "lint", "--format", "json"}, c.args...)...)
		o.want(t, c.status)
		found := false
		for line := range strings.Lines(o.out) {
			m := oneObject(t, line, "file", "line", "column", "severity", "rule", "element", "message", "hint")
			found = found || m["rule"] == c.rule
		}
		if found != (c.rule != "") {
			t.Errorf("%v: want the rule %q:\n%s", c.args, c.rule, o.out)
		}
	}
}

// Problems of the built-in files are not told of somebody else's file.
func TestLintTellsOfTheFilesGiven(t *testing.T) {
	o := awarc(t, "", "kb", "lint", slipway(t))
	o.want(t, exitDone)
	if strings.Contains(o.out, "builtin/") {
		t.Errorf("%s", o.out)
	}
}

func TestKBTest(t *testing.T) {
	broken := slipway(t, "'who'", "'author'", `objects="0" links="3"`, `objects="0" links="2"`)
	o := awarc(t, "", "kb", "test", "--type", "slipway", broken)
	o.want(t, exitFailed, "2 of 2 examples failed")
	for _, part := range []string{"FAIL slipway topic topic.html",
		":39:7: sioc:Post https://boats.example/t/12#m41 lacks the required field creator",
		"- field creator of sioc:Post (line 26, required): 0 of 2", "- *[@class='author']", "links to 3 pages; expected 2",
		":41:9: sioc:Post number 1 has no creator"} {
		if !strings.Contains(o.out, part) {
			t.Errorf("the output does not say %q:\n%s", part, o.out)
		}
	}
	gone := slipway(t, `page="list.html"`, `page="other.html"`)
	o = awarc(t, "", "kb", "test", "--alone", gone)
	o.want(t, exitFailed, "1 of 2 examples failed")
	if !strings.Contains(o.out, "other.html") || !strings.Contains(o.out, "ok   slipway topic") {
		t.Errorf("%s", o.out)
	}
	o = awarc(t, "", "kb", "test", "--verbose", "--alone", slipway(t))
	o.want(t, exitDone)
	if !strings.Contains(o.out, "+ meta[@name='generator']") || !strings.Contains(o.out, "- body[@class='slip-list']") {
		t.Errorf("--verbose explains nothing:\n%s", o.out)
	}
	awarc(t, "", "kb", "test", "--type", "nosuch").want(t, exitUsage, "nosuch")
}

// A file that takes pages away from a built-in type, or breaks its levels, is
// refused: the examples of the built-in types run over it.
func TestKBTestSeesWhatAnEditBreaks(t *testing.T) {
	edit := write(t, "edit.xml", `<kb xmlns="urn:awarc:kb:1"><category id="forum" rank="2"><type id="vbulletin">
<level id="topic" variant="3" kind="terminal"><detect><pattern>nothing</pattern></detect></level>
<level id="index" variant="mine" kind="intermediate"><detect><pattern>td</pattern></detect></level></type></category></kb>`)
	o := awarc(t, "", "kb", "test", "--type", "vbulletin", edit)
	o.want(t, exitFailed, "examples failed")
	if !strings.Contains(o.out, "FAIL vbulletin") || !strings.Contains(o.out, "vbulletin-3-topic.html") {
		t.Errorf("%s", o.out)
	}
	o = awarc(t, "", "kb", "test", "--format", "json")
	o.want(t, exitDone)
	lines := bufio.NewScanner(strings.NewReader(o.out))
	ran := 0
	for lines.Scan() {
		var x exampleJSON
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if ran++; !x.OK || x.Type == "" || x.Page == "" || x.Line == 0 || x.Level == nil {
			t.Errorf("%+v", x)
		}
	}
	if ran < 40 {
		t.Errorf("only %d built-in examples ran", ran)
	}
}

func TestKBShow(t *testing.T) {
	sub := write(t, "sub.xml", `<kb xmlns="urn:awarc:kb:1"><category id="forum" rank="2">
<detect><pattern weak="yes">body</pattern></detect>
<type id="outer" name="Outer"><detect><pattern>p</pattern></detect>
<urls><drop param="s"/></urls>
<level id="topic" kind="terminal"><detect><pattern>i</pattern></detect>
<follow to="topic" paging="yes">a/@href</follow>
<object class="sioc:Post" at="p" id="{@id}"><field name="created" as="date" order="dmy" required="yes"><try match="on (.+)">b</try>
</field></object></level>
<type id="inner"><detect><pattern weak="yes">q</pattern><pattern weak="yes">u</pattern></detect>
<urls><paging param="n"/></urls></type></type></category></kb>`)
	o := awarc(t, "", "kb", "show", "--kb", sub, "inner")
	o.want(t, exitDone)
	for _, part := range []string{
		"inner: inner, forum (rank 2), a subtype of outer   " + sub + ":9:1",
		"weak     q   " + sub + ":9:26",
		"strong   p, inherited from outer   " + sub + ":3:39",
		"weak     body, inherited from category forum   " + sub + ":2:9",
		"drop     s, inherited from outer   " + sub + ":4:7",
		"paging   n   " + sub + ":10:7",
		"level topic, terminal, inherited from outer   " + sub + ":5:1",
		"follow topic (paging)   " + sub + ":6:1",
		"field created (date, required, dmy)   " + sub + ":7:45",
		"b   match on (.+)",
	} {
		if !strings.Contains(o.out, part+"\n") {
			t.Errorf("the output does not say %q:\n%s", part, o.out)
		}
	}
	o = awarc(t, "", "kb", "show", "--kb", sub, "--format", "json", "inner")
	o.want(t, exitDone)
	var x showJSON
	if err := json.Unmarshal([]byte(o.out), &x); err != nil {
		t.Fatal(err)
	}
	if x.Parent == nil || *x.Parent != "outer" || len(x.Patterns) != 4 || x.Levels[0].From != "outer" ||
		x.Levels[0].Objects[0].Fields[0].Tries[0] != "b   match on (.+)" {
		t.Errorf("%+v", x)
	}
	awarc(t, "", "kb", "show", "nosuch").want(t, exitUsage, "nosuch")
	for _, id := range []string{"phpbb", "vbulletin", "wordpress"} {
		awarc(t, "", "kb", "show", id).want(t, exitDone)
	}
}

func TestExplainedPages(t *testing.T) {
	xml := slipway(t)
	page := filepath.Join(filepath.Dir(xml), "topic.html")
	for _, command := range []string{"detect", "extract"} {
		o := awarc(t, "", command, "--explain", "--format", "json", "--kb", xml, page)
		o.want(t, exitDone)
		var x struct{ Explain explainJSON }
		if err := json.Unmarshal([]byte(o.out), &x); err != nil {
			t.Fatal(err)
		}
		if len(x.Explain.Types) == 0 || x.Explain.Types[0].Patterns[0].Node != "html/head/meta[2]" || len(x.Explain.Types[0].Levels) != 2 ||
			len(x.Explain.Actions) == 0 {
			t.Errorf("%s: %+v", command, x.Explain)
		}
	}
	o := awarc(t, "", "extract", "--explain", "--kb", xml, page)
	o.want(t, exitDone)
	if !strings.Contains(o.out, "> div[@class='msg']: 2 times, first at html/body/div[1]") {
		t.Errorf("%s", o.out)
	}
	if o = awarc(t, "", "detect", "--kb", xml, page); strings.Contains(o.out, "strong") {
		t.Errorf("explained without being asked:\n%s", o.out)
	}
}

func TestPointSaysWhatItCannotFind(t *testing.T) {
	page := filepath.Join(filepath.Dir(slipway(t)), "topic.html")
	o := awarc(t, "", "kb", "point", "--alone", "--kb", slipway(t), "--value", "Ada", page+"=https://boats.example/t/12")
	o.want(t, exitDone)
	if !strings.HasPrefix(o.out, "in sioc:Post") {
		t.Errorf("%s", o.out)
	}
	for _, c := range []struct{ value, field, in, last string }{
		// A post has no title: the expression is for the thread, although the value lies in a post.
		{"The old coat comes off in sheets.", "title", "in sioc:Thread,",
			"none gives one value in sioc:Thread: point at a longer value, or name another --class\n"},
		{"m41", "creator", "in sioc:Post,", `best: <field name="creator">./@id</field>` + "\n"},
		{"Ada", "modified", "in sioc:Post,",
			`add to sioc:Post of the level topic: <field name="modified">p[contains(@class, 'by')]/a[1]</field>` + "\n"},
	} {
		o := awarc(t, "", "kb", "point", "--alone", "--kb", slipway(t), "--value", c.value, "--field", c.field,
			page+"=https://boats.example/t/12")
		o.want(t, exitDone)
		if !strings.HasPrefix(o.out, c.in) || !strings.HasSuffix(o.out, c.last) {
			t.Errorf("%s as %s:\n%s", c.value, c.field, o.out)
		}
	}
	awarc(t, "", "kb", "point", "--alone", "--kb", slipway(t), "--value", "Ada", "--field", "created", page).
		want(t, exitFailed, `no expression gives "Ada" as date in sioc:Post`)
	awarc(t, "", "kb", "point", "--alone", "--kb", slipway(t), "--value", "nobody wrote this", page).
		want(t, exitFailed, "is not on the page "+page)
	awarc(t, "", "kb", "point", "--alone", "--kb", slipway(t), "--value", "Ada", "--class", "sioc:Item", page).
		want(t, exitFailed, "sioc:Item")
	awarc(t, "", "kb", "point", "--crawl", t.TempDir(), "--value", "x", "http://a.example/").want(t, exitUsage, "holds no crawl")
}

// kb urls shows which addresses a type takes for one page.
func TestKBURLs(t *testing.T) {
	t.Parallel()
	file := write(t, "b.xml", `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="b" name="B"><detect><pattern>p[@id='b']</pattern>`+
		`</detect><urls><paging param="from"/><prefer url="t.php?t={t}"><from>{*}-t{t}.html</from></prefer>`+
		`<address level="topic">t.php?t={t}</address></urls><level id="topic" kind="terminal"><detect>`+
		`<pattern>p[@id='t']</pattern></detect></level></type></category></kb>`)
	o := awarc(t, "", "kb", "urls", file, "/f/a-name-t7.html", "/f/t.php?t=7", "/f/t.php?t=7&from=20", "/f/x.php")
	o.want(t, exitDone, "")
	const want = `/f/a-name-t7.html
  key    http://host/f/t.php?t=7
  level  topic
  request http://host/f/a-name-t7.html
/f/t.php?t=7
  key    http://host/f/t.php?t=7
  level  topic
  same page as /f/a-name-t7.html
/f/t.php?t=7&from=20
  key    http://host/f/t.php?from=20&t=7
  level  topic
  request http://host/f/t.php?t=7&from=20
  of     http://host/f/t.php?t=7, page 20
/f/x.php
  key    http://host/f/x.php
  level  unknown from the URL
`
	if o.out != want {
		t.Errorf("it prints\n%s", o.out)
	}
	if o = awarc(t, "", "kb", "urls", "--kb", file, "/f/a-name-t7.html", "/f/t.php?t=7", "/f/t.php?t=7&from=20",
		"/f/x.php"); o.out != want {
		t.Errorf("with --kb it prints\n%s", o.out)
	}
	awarc(t, "", "kb", "urls", file).want(t, exitUsage, "no URL")
	awarc(t, "", "kb", "urls", write(t, "none.xml", `<kb xmlns="urn:awarc:kb:1"/>`), "/x").want(t, exitUsage, "has no type")
}

func TestKBTestListsCosts(t *testing.T) {
	o := awarc(t, "", "kb", "test", "--alone", "--cost", "--type", "slipway", slipway(t))
	o.want(t, exitDone)
	if n := strings.Count(o.out, " steps: "); n < 4 || !strings.Contains(o.out, "slipway.xml:") {
		t.Errorf("%s", o.out)
	}
}
