package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// documents are those with commands that readers copy.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, glob := range []string{"../../README.md", "../../docs/*.md", "../../kb/README.md", "../../plugins/README.md"} {
		names, err := filepath.Glob(glob)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v, %v", glob, names, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(name, "../../")] = string(data)
		}
	}
	return texts
}

// writtenCommand is a command as a document has it: in a line of its own, or in the text.
var writtenCommand = regexp.MustCompile("(?m)^(?:    (?:\\$ )?|\\$ )(awarc .*)$|`(awarc [^`]*)`")

// described are what stands behind a command.
var described = []*regexp.Regexp{regexp.MustCompile(`\s+#\s.*$`), regexp.MustCompile(`\s{2,}\S.*$`), regexp.MustCompile(`\s+&?\s*$`)}

// commandsOf lists the commands of a document, those of its blocks first.
func commandsOf(text string) (blocks, inline []string) {
	for _, m := range writtenCommand.FindAllStringSubmatch(text, -1) {
		command := m[1] + m[2]
		for _, end := range described {
			command = end.ReplaceAllString(command, "")
		}
		command, _, _ = strings.Cut(command, " > ")
		if m[1] != "" {
			blocks = append(blocks, command)
		} else {
			inline = append(inline, command)
		}
	}
	return blocks, inline
}

// words splits a command as a shell does.
func words(command string) (args []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`).FindAllStringSubmatch(command, -1) {
		args = append(args, m[1]+m[2]+m[3])
	}
	return args[1:]
}

// TestDocumentedCommandsExist: each command and flag that a document names is one.
func TestDocumentedCommandsExist(t *testing.T) {
	var c commands
	parser, err := kong.New(&c, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, text := range documents(t) {
		blocks, inline := commandsOf(text)
		for _, command := range slices.Concat(blocks, inline) {
			n++
			node := parser.Model.Node
			for _, word := range words(command) {
				if flag, isFlag := strings.CutPrefix(word, "--"); isFlag {
					flag, _, _ = strings.Cut(strings.Trim(flag, "[],;:."), "=")
					if !hasFlag(node, flag) {
						t.Errorf("%s: %q: there is no flag --%s", name, command, flag)
					}
					continue
				}
				at := slices.IndexFunc(node.Children, func(k *kong.Node) bool { return k.Name == strings.Trim(word, ",;:.") })
				switch {
				case at >= 0:
					node = node.Children[at]
				case node == parser.Model.Node && word == strings.ToLower(word):
					t.Errorf("%s: %q: there is no such command", name, command)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d commands were found", n)
	}
}

// TestDocumentedFlagsExist: a code span that begins with a flag names one that some command has.
func TestDocumentedFlagsExist(t *testing.T) {
	var c commands
	parser, err := kong.New(&c, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("`--([a-z][a-z-]*)[^`]*`").FindAllStringSubmatch(text, -1) {
			n++
			if !hasFlag(parser.Model.Node, m[1]) {
				t.Errorf("%s: no command has the flag --%s", name, m[1])
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d flags were found", n)
	}
}

func hasFlag(node *kong.Node, name string) bool {
	for n := node; n != nil; n = n.Parent {
		if slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == name }) {
			return true
		}
	}
	return len(node.Children) > 0 && slices.ContainsFunc(node.Children, func(k *kong.Node) bool { return hasFlag(k, name) })
}

// cannotRun are the commands of blocks that TestDocumentedCommandsRun leaves out, by how they begin, each with the reason.
var cannotRun = map[string]string{
	"awarc crawl --frontier":                 "needs Redis, as the tests of nodes have it",
	"awarc join":                             "needs Redis",
	"awarc nodes":                            "needs Redis",
	"awarc report DIR1":                      "needs Redis",
	"awarc pack -o FILE.wacz DIR1":           "needs the folders of nodes",
	"awarc query --crawl DIR1":               "has a placeholder for SPARQL",
	"awarc explain --node":                   "needs Redis",
	"awarc eval":                             "takes minutes, and needs saved pages",
	"awarc graph push":                       "needs a SPARQL server, as its tests have it",
	"awarc crawl --api-sources":              "needs a site with an API, as its tests have it",
	"awarc crawl --topic":                    "has files of the reader's",
	"awarc crawl --plugin":                   "has files of the reader's",
	"awarc extract --crawl mycrawl --plugin": "has files of the reader's",
	"awarc kb accept":                        "has the id of what a crawl learned",
	"awarc kb reject":                        "has the id of what a crawl learned",
	"awarc crawl --kb mycrawl/kb/learned":    "goes on with what a crawl learned",
	"awarc api run":                          "has a campaign of the reader's, as its tests have it",
	"awarc jobs":                             "has a file of the reader's, as its tests have it",
	"awarc crawl --browser":                  "renders each page, as the tests of scripts do",
	"awarc crawl --login":                    "needs a site with a form, as its tests have it",
	"awarc plugin list":                      "needs a crawl with plugins",
	"awarc kb new my-type":                   "needs pages with more posts than the tutorial's, as its tests have them",
	"awarc kb":                               "TestTutorial runs those of kb/README.md, in its folder",
	"awarc detect":                           "likewise",
	"awarc extract --kb slipway.xml":         "likewise",
}

// endless are commands that run until they are interrupted.
var endless = []string{"serve", "testsite", "watch"}

// TestDocumentedCommandsRun: what documents tell readers to type works, on a crawl of a test site and files that are named as theirs.
func TestDocumentedCommandsRun(t *testing.T) {
	base := serve(t, board(t, 40))
	tutorialFolder, err := filepath.Abs(tutorial)
	if err != nil {
		t.Fatal(err)
	}
	crawled, o := runCrawl(t, base+"/")
	o.want(t, exitDone)
	texts := documents(t)
	ran, left := 0, map[string]bool{}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			prepare(t, tutorialFolder, crawled, base)
			blocks, _ := commandsOf(text)
			for _, command := range blocks {
				if why := reasonAgainst(name, command); why != "" {
					left[why] = true
					continue
				}
				ran++
				runDocumented(t, command, base)
			}
		})
	}
	t.Logf("%d commands ran", ran)
	if ran < 40 {
		t.Errorf("only %d commands ran", ran)
	}
	for _, why := range cannotRun {
		if !left[why] {
			t.Errorf("nothing was left out for the reason %q", why)
		}
	}
}

// reasonAgainst tells why a command is left out: by the longest beginning in the list.
func reasonAgainst(name, command string) (why string) {
	longest := 0
	for start, reason := range cannotRun {
		if strings.HasPrefix(command, start) && len(start) > longest &&
			(reason != cannotRun["awarc kb"] && reason != "likewise" || name == "kb/README.md") {
			why, longest = reason, len(start)
		}
	}
	return why
}

// prepare puts what commands name into the working folder.
func prepare(t *testing.T, tutorialFolder, crawled, base string) {
	t.Helper()
	for _, dir := range []string{"mycrawl", "mycrawl-1", "mycrawl-2"} {
		if err := os.CopyFS(dir, os.DirFS(crawled)); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{"my.xml", "mine.xml", "my-board.xml", "my-kb/slipway.xml", "my-kb/topic.html", "my-kb/list.html",
		"topic.html", "list.html", "saved-page.html", "saved-pages/topic.html"} {
		from := filepath.Base(to)
		if strings.HasSuffix(to, ".xml") {
			from = "slipway.xml"
		}
		if strings.Contains(to, "saved") {
			from = "topic.html"
		}
		data, err := os.ReadFile(filepath.Join(tutorialFolder, from))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"robots.txt":   "User-agent: *\nDisallow:\n",
		"thread.yaml":  "- exclude: {hops: over 0}\n",
		"domains.yaml": "example.org: {budget: 500}\n",
		"seeds.txt":    base + "/\n",
		"cookies.txt":  "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tabc\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runDocumented runs a command with what its placeholders stand for.
func runDocumented(t *testing.T, command, base string) {
	t.Helper()
	address := regexp.MustCompile(`https?://(?:forum\.|blog\.)?example\.org/\S*|http://127\.0\.0\.1:8080/\S*`)
	warcs, err := filepath.Glob("mycrawl/archive/*.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	stand := map[string][]string{"DIR": {"mycrawl"}, "URL": {base + "/"}, "SEED...": {base + "/"}, "[flags]": nil, "FILE...": warcs,
		"FILE-or-URL...": {"saved-page.html"}, "FILE": {"robots.txt"}, "NAME": {"awarc"},
		"PAGE=URL":    {"topic.html=https://boats.example/t/12"},
		"PAGE=URL...": {"topic.html=https://boats.example/t/12", "list.html=https://boats.example/"}, "ADDRESS...": {"/t/12"}}
	var args []string
	for _, word := range words(address.ReplaceAllString(command, base+"/")) {
		if for_, ok := stand[word]; ok {
			args = append(args, for_...)
		} else {
			args = append(args, word)
		}
	}
	switch {
	case args[0] == "crawl":
		if i := slices.Index(args, "--out"); i >= 0 {
			if err := os.RemoveAll(args[i+1]); err != nil {
				t.Fatal(err)
			}
		} else {
			args = append(args, "--out", filepath.Join(t.TempDir(), "crawl"))
		}
		args = append(args, "--delay", "0")
	case args[0] == "serve":
		args = append(args, "--listen", "127.0.0.1:0")
	case args[0] == "testsite":
		if i := slices.Index(args, "--listen"); i >= 0 {
			args[i+1] = "127.0.0.1:0"
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if slices.ContainsFunc(args[:min(2, len(args))], func(a string) bool { return slices.Contains(endless, a) }) {
		time.AfterFunc(time.Second, cancel)
	}
	var out, errs strings.Builder
	status := run(ctx, args, streams{strings.NewReader(""), &out, &errs})
	limited := status == exitLimit && (slices.Contains(args, "--limit") || slices.Contains(args, "--rank-mass"))
	if status != exitDone && !limited && ctx.Err() == nil {
		t.Errorf("%s\n  (awarc %s)\nends with %d\n%s", command, strings.Join(args, " "), status, errs.String())
	}
}
