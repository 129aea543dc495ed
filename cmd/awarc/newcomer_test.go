package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// What people type by custom is understood.
func TestCustomaryWords(t *testing.T) {
	for _, c := range [][2][]string{{{"--version"}, {"version"}}, {{"help"}, {"--help"}}, {{"help", "crawl"}, {"crawl", "--help"}}} {
		got, want := awarc(t, "", c[0]...), awarc(t, "", c[1]...)
		got.want(t, exitDone)
		if got.out != want.out {
			t.Errorf("%v prints\n%s\nand not what %v does", c[0], got.out, c[1])
		}
	}
	for text, want := range map[string]time.Duration{"2": 2 * time.Second, "0.5": 500 * time.Millisecond, "1m": time.Minute, "0": 0} {
		var d wait
		if err := d.UnmarshalText([]byte(text)); err != nil || time.Duration(d) != want {
			t.Errorf("%q is %v, %v", text, time.Duration(d), err)
		}
	}
}

// An API that cannot be served leaves no folder behind.
func TestBusyAPILeavesNoFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	awarc(t, "", "crawl", "--api", l.Addr().String(), "http://127.0.0.1:1/").want(t, exitUsage, "in use")
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// A crawl that archived nothing does not say that it is finished.
func TestFailedCrawlSaysSo(t *testing.T) {
	t.Parallel()
	_, o := runCrawl(t, "--max-tries", "1", "http://127.0.0.1:1/")
	o.want(t, exitFailed, "no seed could be fetched")
	if !strings.HasPrefix(o.out, "failed") || strings.Contains(o.out, "finished") {
		t.Errorf("it says %s", o.out)
	}
}

// A session that goes on takes other settings and keeps them; what was saved is counted once for all sessions.
func TestResumeTakesChanges(t *testing.T) {
	t.Parallel()
	site := board(t, 60)
	base := serve(t, site)
	dir, o := runCrawl(t, "--limit", "5", base+"/")
	o.want(t, exitLimit)
	first := readReport(t, dir)
	saved := first.Saved
	if saved == 0 {
		t.Fatal("nothing was saved")
	}
	awarc(t, "", "resume", "--exclude", "(", dir).want(t, exitUsage)
	awarc(t, "", "resume", "--plugin", "nowhere.wasm", dir).want(t, exitFailed, "nowhere.wasm")
	awarc(t, "", "resume", dir).want(t, exitLimit)
	if r := readReport(t, dir); r.Saved != saved {
		t.Errorf("%d requests saved, %d after a session that asked for nothing", saved, r.Saved)
	}
	awarc(t, "", "resume", "--limit", "0", "--exclude", "viewtopic", "--delay", "0.001", dir).want(t, exitDone)
	r := readReport(t, dir)
	if r.Levels["phpbb/topic"] != first.Levels["phpbb/topic"] || r.Saved < saved {
		t.Errorf("levels %v, %d saved", r.Levels, r.Saved)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "state", "settings.json"))
	if err != nil || !strings.Contains(string(settings), "viewtopic") || !strings.Contains(string(settings), "1000000") {
		t.Errorf("the changes are not kept: %v %s", err, settings)
	}
}

// A dry run tells what would be followed in one order.
func TestDryRunSaysTheSameTwice(t *testing.T) {
	const follows = "; optional links such as profiles; images, styles and scripts\n"
	for range 8 {
		if o := awarc(t, "", "crawl", "--dry-run", "--optional", "--requisites", "http://a.example/"); !strings.Contains(o.out, follows) {
			t.Fatalf("%s%s", o.out, o.err)
		}
	}
}

// The line of progress fits a terminal of 80 columns, whatever is fetched.
func TestProgressFits(t *testing.T) {
	p := newProgress(nil)
	p.terminal = lineWidth
	p.exchanged(engine.Exchanged{URL: "https://example.org/" + strings.Repeat("long/", 40) + "end", Status: 200})
	line := p.line(frontier.Stats{Pending: 1234}, map[string]int64{"pages": 12345, "objects/sioc:Post": 99, "types/phpbb": 3}, 1234, 0)
	if n := len([]rune(line)); n >= lineWidth || !strings.Contains(line, "1234 left (") || !strings.Contains(line, "99 objects") {
		t.Errorf("%d columns: %s", n, line)
	}
	if line = p.line(frontier.Stats{Pending: 4}, map[string]int64{"pages": 5}, 6, 0); !strings.HasSuffix(line, "end") {
		t.Errorf("what was fetched is not shown: %s", line)
	}
}

// The demo says what it does, compares, shows a post and what was not asked for, and ends with commands that work on what it made.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	out, err := command(t, "demo", "--posts", "40", "--out", dir).Output()
	o := outcome{out: string(out)}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, part := range []string{"Serves 2 test sites", dir, "40 of 40 sioc:Post", "requests instead of", "at one request a second",
		"sioc:content ", "similar URLs\n", "skipped: /",
		"(awarc resume):\n  40 of 40 sioc:Post"} {
		if !strings.Contains(o.out, part) {
			t.Errorf("the demo does not say %q:\n%s", part, o.out)
		}
	}
	printed(t, "../../README.md", "The demo prints, among other things:\n", "## Install", o.out)
	commands := 0
	for line := range strings.Lines(o.out) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "awarc ")
		if !ok || !strings.Contains(text, dir) {
			continue
		}
		text, _, _ = strings.Cut(text, " #")
		text, query, quoted := strings.Cut(text, " '")
		args := strings.Fields(strings.ReplaceAll(text, "demo.wacz", filepath.Join(dir, "demo.wacz")))
		if quoted {
			args = append(args, strings.TrimSuffix(strings.TrimSpace(query), "'"))
		}
		awarc(t, "", args...).want(t, exitDone)
		commands++
	}
	if commands != 3 {
		t.Errorf("%d commands to go on with:\n%s", commands, o.out)
	}
}

// numbers are replaced where printed output is compared with a document.
var numbers = regexp.MustCompile(`([0-9]+m)?[0-9]+`)

// printed checks that a document shows a command's output: the block of lines between two texts,
// whatever their numbers, leaves out none but whole lines.
func printed(t *testing.T, document, from, to, output string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), from)
	block, _, _ = strings.Cut(block, to)
	lines := 0
	for line := range strings.Lines(block) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		if !strings.Contains(numbers.ReplaceAllString(output, "N"), numbers.ReplaceAllString(line, "N")) {
			t.Errorf("%s shows %q, which is not printed:\n%s", document, line, output)
		}
	}
	if lines < 3 {
		t.Errorf("%s shows %d lines", document, lines)
	}
}

// The README shows what the first crawl of a board prints.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	site, err := newSite("phpbb", "prosilver", 1, 120)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := filepath.Abs("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, site)
	t.Chdir(t.TempDir())
	o := awarc(t, "", "crawl", "--delay", "0", "--min-space", "0", "--out", "mycrawl", base+"/")
	o.want(t, exitDone)
	printed(t, readme, "--out mycrawl https://forum.example.org/\n", "\n\n",
		strings.ReplaceAll(o.out, base, "https://forum.example.org"))
}

// The README names the applications that are known, and no others.
func TestReadmeNamesWhatIsKnown(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(readme)), " ")
	_, text, _ = strings.Cut(text, "It knows ")
	text, _, _ = strings.Cut(text, ". ## ")
	number, text, _ := strings.Cut(text, " applications: ")
	base, err := kb.Load(kb.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, known := range base.Types {
		if len(known.Levels) > 0 {
			names = append(names, known.Name)
		}
	}
	if number != strconv.Itoa(len(names)) {
		t.Errorf("the README counts %s applications, of %d", number, len(names))
	}
	if want := strings.Join(names, ", "); !strings.EqualFold(text, want) {
		t.Errorf("the README names\n%s\nbut known are\n%s", text, want)
	}
}
