package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/detect"
	"github.com/awarc/awarc/kb"
)

// tutorial loads the worked example of kb/README.md, changed by pairs of old
// and new text.
func tutorial(t *testing.T, changes ...string) *detect.Detector {
	t.Helper()
	const dir = "../kb/testdata/tutorial"
	file := filepath.Join(dir, "slipway.xml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i+1 < len(changes); i += 2 {
		if !strings.Contains(text, changes[i]) {
			t.Fatalf("the example holds no %s", changes[i])
		}
		text = strings.ReplaceAll(text, changes[i], changes[i+1])
	}
	base, err := kb.Load(append(kb.Builtin(), kb.Source{Name: file, Data: []byte(text)})...)
	if err != nil {
		t.Fatal(err)
	}
	return detect.New(base)
}

func runTutorial(t *testing.T, d *detect.Detector) (failures []string, results []engine.ExampleResult) {
	t.Helper()
	typ := d.Base().Type("slipway")
	for i := range typ.Examples {
		r, err := engine.RunExample(d, typ, &typ.Examples[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Failures {
			failures = append(failures, f.Msg)
		}
		results = append(results, r)
	}
	return failures, results
}

// Whatever an example states and the page does not hold is told.
func TestExamplesFail(t *testing.T) {
	if raceDetector {
		t.Skip("skipped with the race detector: make plain runs it without")
	}
	for _, c := range []struct {
		name    string
		changes []string
		want    []string // the beginning of each failure
	}{
		{"nothing", nil, nil},
		{"type", []string{"'Slipway')", "'Slipper')", "'/slipway/'", "'/slipper/'"},
			[]string{"the page has no known type", "the page has no known type"}},
		{"another type", []string{`id="slipway" name`, `id="other" name`, `</category>`,
			`<type id="slipway"><detect><pattern>x</pattern></detect><example page="topic.html"/></type></category>`},
			[]string{"the page has the type other; expected slipway"}},
		{"no level", []string{"slip-list']", "slip-index']"}, []string{"no level matches the page; expected forum"}},
		{"level", []string{`level="forum" objects`, `level="topic" objects`}, []string{"the page has the level forum; expected topic"}},
		{"variant", []string{`level="forum" objects`, `level="forum" variant="b" objects`, `<level id="forum"`,
			`<level id="forum" variant="b" kind="terminal"><detect><pattern>xx</pattern></detect></level><level id="forum"`},
			[]string{"forum matched; expected the variant b"}},
		{"objects", []string{`objects="3"`, `objects="4"`}, []string{"3 objects; expected 4"}},
		{"links", []string{`links="3"`, `links="4"`}, []string{"links to 3 pages; expected 4"}},
		{"too many links", []string{`links="3"`, `links="2"`},
			[]string{"links to 3 pages; expected 2; unexpected: forum https://boats.example/"}},
		{"a link", []string{`url="/t/11"`, `url="/t/10"`}, []string{"no link to topic /t/10"}},
		{"a link to another level", []string{`<link to="forum" url="/"/>`, `<link to="topic" url="/"/>`}, []string{"no link to topic /"}},
		{"a value", []string{`n="1" name="creator">Ada`, `n="1" name="creator">Bo`},
			[]string{`creator of sioc:Post number 1 is "Ada"; expected "Bo"`}},
		{"a value of any", []string{`n="1" name="creator">Ada`, `name="creator">Bo`},
			[]string{`creator of sioc:Post is "Ada", "visitor"; expected "Bo"`}},
		{"a beginning", []string{`sheets. Hard`, `sheets…<!--`, `antifouling?</field>`, `--></field>`}, nil},
		{"a wrong beginning", []string{`The old coat comes off in sheets. Hard or soft antifouling?`, `The new coat…`},
			[]string{`content of sioc:Post number 1 is "The old`}},
		{"a field that is not there", []string{`name="created">2024`, `name="modified">2024`},
			[]string{`sioc:Post number 2 has no modified; expected "2024`}},
		{"what an object belongs to, and its id", []string{`n="1" name="creator">Ada`,
			`n="1" name="has_container">/t/12</field><field of="sioc:Post" ` +
				`n="2" name="id">https://boats.example/t/12#m42`}, nil},
		{"what it replies to", []string{`id="{url}#{@id}"`, `id="{url}#{@id}" rel="reply_of"`, `n="1" name="creator">Ada`,
			`n="1" name="reply_of">/t/12</field><field of="sioc:Post" n="2" name="reply_of">/t/13`},
			[]string{`reply_of of sioc:Post number 2 is "https://boats.example/t/12"; expected "/t/13"`}},
		{"what it does not reply to", []string{`n="1" name="creator">Ada`, `n="1" name="reply_of">/t/12`},
			[]string{`sioc:Post number 1 has no reply_of; expected "/t/12"`}},
		{"a required field", []string{`time/@datetime`, `time/@date`, `n="2" name="created">2024-05-05T07:15:00Z`,
			`n="2" name="creator">visitor`}, []string{"sioc:Post https://boats.example/t/12#m41 lacks the required field created",
			"sioc:Post https://boats.example/t/12#m42 lacks the required field created"}},
	} {
		got, _ := runTutorial(t, tutorial(t, c.changes...))
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Pages are looked for beside the file, then in the folder above; what is not
// there is an error that names the place.
func TestExamplePages(t *testing.T) {
	pages := fstest.MapFS{"a/x/one.html": {Data: []byte("1")}, "a/two.html": {Data: []byte("2")}, "three.html": {Data: []byte("3")}}
	dir := t.TempDir()
	for name, f := range pages {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := []byte(`<kb xmlns="urn:awarc:kb:1"><category id="c"><type id="t"><detect><pattern>p</pattern></detect><example ` +
		`page="one.html"/><example page="two.html"/><example page="three.html"/></type></category></kb>`)
	for _, src := range []kb.Source{{Name: "a/x/f.xml", Data: text, Pages: pages}, {Name: filepath.Join(dir, "a/x/f.xml"), Data: text}} {
		base, err := kb.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"1", "2", ""} {
			got, err := base.Type("t").Examples[i].Read()
			if string(got) != want || (err == nil) != (want != "") {
				t.Errorf("%s: page %d is %q, %v", src.Name, i+1, got, err)
			}
			if err != nil && !strings.Contains(err.Error(), "three.html") {
				t.Errorf("%s: the error names no page: %v", src.Name, err)
			}
		}
	}
}

func TestCoverage(t *testing.T) {
	problems := func(changes ...string) (out []string) {
		d := tutorial(t, changes...)
		_, results := runTutorial(t, d)
		var c engine.Coverage
		for i := range results {
			c.Add(&results[i])
		}
		for _, p := range c.Problems(d.Base()) {
			if strings.Contains(p.Where, "slipway") {
				out = append(out, p.Rule+" "+p.Where)
			}
		}
		return out
	}
	for _, c := range []struct {
		name    string
		changes []string
		want    []string
	}{
		{"everything", nil, nil},
		{"a level", []string{`</urls>`, `</urls><level id="index" kind="intermediate"><detect><pattern>x</pattern></detect><follow ` +
			`to="forum">a</follow></level>`}, []string{"level-untested type[slipway]/level[index]"}},
		{"a follow action", []string{`<follow to="forum">`, `<follow to="topic">x</follow><follow to="forum">`},
			[]string{"action-untested type[slipway]/level[topic]/follow[topic]"}},
		{"a field", []string{`">h1</field>`, `">h1</field><field name="topic">h7</field>`},
			[]string{"action-untested type[slipway]/level[topic]/object[sioc:Thread]/field[topic]"}},
		{"an object", []string{`</total>`, `</total><object class="sioct:Comment" at="x" id="{url}"><field name="title">b</field>` +
			`</object>`}, []string{"action-untested type[slipway]/level[topic]/object[sioct:Comment]"}},
		{"a total", []string{`messages">p`, `messages">u`},
			[]string{"action-untested type[slipway]/level[topic]/object[sioc:Thread]/total[sioc:Post]"}},
		{"rules for some paths", []string{`<drop param="seen"/>`, `<drop param="seen" path="/12"/><drop param="x" path="/11"/>` +
			`<drop param="y" path="/12?"/><default param="z" value="1" path="/best"/>`},
			[]string{"path-untested type[slipway]/urls/drop[y]", "path-untested type[slipway]/urls/default[z]"}},
	} {
		if got := problems(c.changes...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// An explanation tells of what fired and where, of what failed, and of each try
// of each action, used or not.
func TestExplain(t *testing.T) {
	d := tutorial(t, `">h1</field>`, `"><try>h1</try><try>title</try><try>h7</try></field>`)
	_, results := runTutorial(t, d)
	p := results[0].Page
	x := engine.Explain(d, p, time.Time{}, p.Finding.Type, d.Base().Type("phpbb"))
	var types []string
	for _, e := range x.Types {
		types = append(types, string(e.Type.ID))
		if e.Type.ID == "phpbb" && (e.Accepted || slices.ContainsFunc(e.Levels,
			func(l detect.LevelEvidence) bool { return len(l.Patterns) == 0 })) {
			t.Errorf("phpbb is accepted, or a level has no patterns: %+v", e)
		}
	}
	if types[0] != "slipway" || !slices.Contains(types, "phpbb") {
		t.Fatalf("types %v", types)
	}
	first := x.Types[0]
	if !first.Accepted || first.Patterns[0].Count != 1 || first.Patterns[0].Path != "html/head/meta[2]" || !first.Levels[0].Fired ||
		first.Levels[1].Fired || first.Levels[1].Patterns[0].Count != 0 {
		t.Errorf("evidence %+v", first)
	}
	actions := map[string]string{}
	for _, a := range x.Actions {
		s := ""
		if a.Name == "title of sioc:Thread" &&
			(a.Trials[2].Why != "there is no h7" || len(a.Trials[0].Found) != 1 || a.Trials[0].Why != "") {
			t.Errorf("why a try gives nothing, or what it selects: %+v", a.Trials)
		}
		for _, try := range a.Trials {
			switch {
			case try.Used:
				s += ">"
			case try.Count > 0:
				s += "+"
			default:
				s += "-"
			}
		}
		actions[a.Kind+" "+a.Name] = s
	}
	for name, want := range map[string]string{"follow topic paging": ">", "object sioc:Post": ">", "field title of sioc:Thread": ">+-",
		"field content of sioc:Post": ">", "total sioc:Post of sioc:Thread": ">"} {
		if actions[name] != want {
			t.Errorf("%s: tries %q, want %q", name, actions[name], want)
		}
	}
}

// TestObjectsOfOneID: two objects of a page with one id would be taken for one, which an example must not hold.
func TestObjectsOfOneID(t *testing.T) {
	failures, results := runTutorial(t, tutorial(t, "{url}#{@id}", "{url}"))
	if len(failures) == 0 || !strings.Contains(failures[0], "two sioc:Post have the id https://boats.example/t/12") {
		t.Errorf("%q", failures)
	}
	if n := len(results[0].Page.Harvest.SameID()); n != 1 {
		t.Errorf("%d objects have the id of another; want 1", n)
	}
}

// TestExamplesWithScriptsAreNotRun: without a browser such an example neither passes nor fails.
func TestExamplesWithScriptsAreNotRun(t *testing.T) {
	base, err := kb.Load(kb.Source{Name: "kiln.xml", Data: []byte(`<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="kiln"><detect>
<pattern>body[@id='kiln']</pattern></detect><level id="topic" kind="terminal"><detect><pattern>ul</pattern></detect></level>
<example page="topic.html" url="https://kiln.example/t/7" level="topic" scripts="yes"/></type></category></kb>`)})
	if err != nil {
		t.Fatal(err)
	}
	typ := base.Type("kiln")
	if r, err := engine.RunExample(detect.New(base), typ, &typ.Examples[0]); err != nil || !r.NotRun {
		t.Errorf("run: %t, %v", !r.NotRun, err)
	}
}
