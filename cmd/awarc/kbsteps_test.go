package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	chromium "github.com/awarc/awarc/engine/browser"
)

// TestKBTestRunsScripts: an example with scripts shows what they load from the files beside it
// after the steps of its level.
func TestKBTestRunsScripts(t *testing.T) {
	if _, err := chromium.Find(); err != nil {
		t.Skip("skipped: chromium is not installed, see cmd/awarc/testdata/e2e/tools.sh")
	}
	dir := t.TempDir()
	base := `<kb xmlns="urn:awarc:kb:1"><category id="forum"><type id="kiln"><detect><pattern>body[@id='kiln']</pattern></detect>
<level id="topic" kind="terminal"><detect><pattern>ul</pattern></detect><browse><click>button</click></browse>
<object class="sioc:Thread" id="{url}"><object class="sioc:Post" at="li" id="{url}#{@id}"><field name="content">.</field></object></object>
</level>
<example page="topic.html" url="https://kiln.example/t/7" level="topic" objects="3" scripts="yes">
<field of="sioc:Post" n="2" name="content">shown by a click</field></example></type></category></kb>`
	page := `<body id=kiln><ul><li id=p1>a post</ul><button>More</button><script>document.querySelector("button").onclick = async () => {
		document.querySelector("ul").innerHTML += await (await fetch("/api/more?n=2")).text() }</script>`
	for name, text := range map[string]string{"kiln.xml": base, "topic.html": page, "more@n=2": "<li id=p2>shown by a click"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "kiln.xml")
	kb := func(status int, says string, command ...string) {
		t.Helper()
		o := awarc(t, "", append(append([]string{"kb"}, command...), file)...)
		if o.want(t, status); !strings.Contains(o.out, says) {
			t.Errorf("the output does not say %q:\n%s", says, o.out)
		}
	}
	kb(exitDone, "ok   kiln topic topic.html (3 objects, 0 links)", "test", "--alone")
	kb(exitDone, "", "lint", "--strict")
	idle := strings.Replace(base, "<click>button</click>", `<fill at="input"><value>x</value></fill>`, 1)
	if err := os.WriteFile(file, []byte(idle), 0o600); err != nil {
		t.Fatal(err)
	}
	kb(exitFailed, "step-idle", "lint", "--strict")
	kb(exitFailed, "2 objects; expected 3", "test", "--alone")
}
