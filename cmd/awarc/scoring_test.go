package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/crawl"
	"github.com/awarc/awarc/engine/graph"
	"github.com/awarc/awarc/plugins/module"
	m "github.com/awarc/awarc/plugins/module/moduletest"
)

// topicalSite has a front page with links, one of which is about storms, and a page for each
// of them; it remembers the order in which it was asked.
type topicalSite struct {
	mu     sync.Mutex
	asked  []string
	links  []string // "path anchor"
	onward int      // further pages that each page but the front page leads to
}

func (s *topicalSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><title>Page %s</title><p>Some words that say nothing, about weather or otherwise.</p>",
		r.URL.Path)
	if r.URL.Path == "/" {
		for _, l := range s.links {
			path, anchor, _ := strings.Cut(l, " ")
			fmt.Fprintf(w, "<p>Read about <a href=%s>%s</a> here.</p>", path, anchor)
		}
		return
	}
	fmt.Fprint(w, "<p>Rain and a tropical storm over the coast, with a flood.</p>")
	for i := range s.onward {
		fmt.Fprintf(w, "<a href=%s/%d>%d</a> ", strings.TrimSuffix(r.URL.Path, "/"), i, i)
	}
}

func (s *topicalSite) order() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

const stormTopic = `name: Storms
seeds: [SEED]
keywords: [storm, {term: tropical storm, weight: 2}, flood]
scope: {exclude: [never]}
urls: [{match: /shop, score: 0}]
blacklist: [blocked.example]
weights: {url: 0.5}
priority: {update: avg}
`

func storms(t *testing.T) (*topicalSite, string, string) {
	t.Helper()
	site := &topicalSite{links: []string{"/cats cats and dogs", "/shop umbrellas", "/storm the tropical storm", "/never a storm",
		"/flood the flood"}}
	root := serve(t, site)
	return site, root, write(t, "topic.yaml", strings.Replace(stormTopic, "SEED", root+"/", 1))
}

func explained(t *testing.T, dir, url string) crawl.Explanation {
	t.Helper()
	o := awarc(t, "", "explain", "--format", "json", dir, url)
	o.want(t, exitDone)
	var x crawl.Explanation
	if err := json.Unmarshal([]byte(o.out), &x); err != nil {
		t.Fatal(err)
	}
	return x
}

// The topic's file gives seeds, scope and scores; what is about the topic comes first, and each
// part of its score can be told, after an interruption too.
func TestATopicOrdersACrawl(t *testing.T) {
	t.Parallel()
	site, root, topic := storms(t)
	dir, o := runCrawl(t, "--topic", topic, "--limit", "2", "--workers", "1")
	o.want(t, exitLimit)
	if err := os.Remove(topic); err != nil { // the crawl has its own
		t.Fatal(err)
	}
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	if got := strings.Join(site.order(), " "); got != "/ /storm /flood /cats /shop" {
		t.Errorf("asked for %s", got)
	}
	x := explained(t, dir, root+"/storm")
	if x.Score == nil || x.Priority != int(x.Score.Value*1000+0.5) || x.Score.Update != "avg" || x.Score.Page == nil {
		t.Fatalf("%+v", x)
	}
	var parts []string
	sum, weights := 0.0, 0.0
	for _, p := range x.Score.Parts {
		parts = append(parts, fmt.Sprintf("%s x%g %v", p.Module, p.Weight, p.FromDocument))
		sum, weights = sum+p.Score*p.Weight, weights+p.Weight
	}
	if want := []string{"text.document x1 true", "text.paragraph x1 false", "text.anchor x1 false"}; !slices.Equal(parts, want) ||
		sum/weights != x.Score.Value {
		t.Errorf("parts %v of %g", parts, x.Score.Value)
	}
	shop := explained(t, dir, root+"/shop").Score
	if last := shop.Parts[len(shop.Parts)-1]; last.Module != "url" || last.Score != 0 || last.Weight != 0.5 {
		t.Errorf("the pattern of addresses says %+v", last)
	}
	text := awarc(t, "", "explain", dir, root+"/storm").out
	for _, part := range []string{"text.paragraph", "(from the page)", "x1", fmt.Sprintf("priority  %d", x.Priority)} {
		if !strings.Contains(text, part) {
			t.Errorf("the explanation does not say %q:\n%s", part, text)
		}
	}
}

// Without a topic or a plugin links come in the order of the knowledge base, and nothing is
// stored with them.
func TestNothingIsScoredUnasked(t *testing.T) {
	t.Parallel()
	site, root, _ := storms(t)
	dir, o := runCrawl(t, "--workers", "1", "--exclude", "never", root+"/")
	o.want(t, exitDone)
	if got := strings.Join(site.order(), " "); got != "/ /cats /shop /storm /flood" {
		t.Errorf("asked for %s", got)
	}
	if x := explained(t, dir, root+"/storm"); x.Score != nil || x.Priority != 99 {
		t.Errorf("%+v", x)
	}
}

func TestFlagsOfAFile(t *testing.T) {
	t.Parallel()
	site, root, topic := storms(t)
	folder := filepath.Dir(topic)
	config := filepath.Join(folder, "crawl.yaml")
	text := "topic: topic.yaml\nworkers: 1\nmax_hops: 0\nexclude: ['flood$', never]\nweights: {text.anchor: 3}\nbatch: 7\n" +
		"domain_budget: 9\ndelay: 0s\nbest-first: true\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, o := runCrawl(t, "--config", config, "--max-hops", "1")
	o.want(t, exitDone)
	if got := strings.Join(site.order(), " "); got != "/ /storm /cats /shop" {
		t.Errorf("asked for %s: the command line has precedence, then the file, then the topic", got)
	}
	var set crawl.Settings
	data, err := os.ReadFile(filepath.Join(dir, crawl.SettingsFile))
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	if f := set.Flags; err != nil || f.MaxHops != 1 || f.Batch != 7 || f.DomainBudget != 9 || f.Update != "avg" || !f.BestFirst ||
		f.Weights["text.anchor"] != 3 || f.Topic != topic {
		t.Errorf("%+v, %v", f, err)
	}
	for _, p := range explained(t, dir, root+"/storm").Score.Parts {
		if p.Module == "text.anchor" && p.Weight != 3 {
			t.Errorf("%+v", p)
		}
	}

	for text, says := range map[string]string{
		"fly: true":                    `"fly" is not a flag`,
		"config: x":                    `"config" is not a flag`,
		"a: &a [*a]":                   "anchor",
		"workers: many":                "many",
		"weights: {birds: 1}":          "birds",
		"plugin: none.wasm":            "none.wasm",
		"update: best":                 "best",
		"topic: none.yaml":             "none.yaml",
		"scope_type: everything":       "scope-type",
		"weights: {text.anchor: -1}":   "text.anchor",
		"plugin_config: {no: {a: 1}}":  "not a plugin",
		"max_hops: [1, 2]":             "max",
		"topic: topic.yaml\nbatch: -1": "batch",
		"domain_budget_links: 5":       "--domain-budget",
	} {
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		awarc(t, "", "crawl", "--dry-run", "--learn", "--config", config, root+"/").want(t, exitUsage, says)
	}
}

// References describe a topic that has no keywords: a page, a text, and what an earlier crawl extracted.
func TestReferencesDescribeATopic(t *testing.T) {
	t.Parallel()
	article := strings.Repeat("<p>The tropical storm brought rain and a flood to the coast, and the harbour was closed until the "+
		"morning after.</p>", 12)
	reference := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><title>A storm</title><meta property=og:type content=article><article><h1>A storm</h1>"+article+
			"</article>")
	}))
	earlier, o := runCrawl(t, reference+"/2024/storm")
	o.want(t, exitDone)
	for _, ref := range []string{earlier, write(t, "storm.html", "<!DOCTYPE html><title>A storm</title>"+article),
		write(t, "storm.txt", "tropical storm, flood, rain, coast")} {
		site, root, _ := storms(t)
		topic := write(t, "topic.yaml", "references: ["+ref+"]\nscope: {exclude: [never]}\n")
		dir, o := runCrawl(t, "--topic", topic, "--workers", "1", root+"/")
		o.want(t, exitDone)
		if got := site.order(); len(got) != 5 || !slices.Contains(got[1:3], "/storm") || !slices.Contains(got[1:3], "/flood") {
			t.Errorf("with %s: asked for %v", ref, got)
		}
		if x := explained(t, dir, root+"/storm"); x.Score == nil || x.Score.Value == 0 {
			t.Errorf("with %s: %+v", ref, x.Score)
		}
	}
	bad := write(t, "topic.yaml", "references: [nothing.html]\n")
	awarc(t, "", "crawl", "--dry-run", "--topic", bad, reference+"/").want(t, exitUsage, "nothing.html")
}

// Where nothing else describes the topic, the pages of the seeds do.
func TestSeedsDescribeATopic(t *testing.T) {
	t.Parallel()
	site, root, _ := storms(t)
	topic := write(t, "topic.yaml", "name: what the seeds are about\nscope: {exclude: [never]}\n")
	_, o := runCrawl(t, "--topic", topic, "--workers", "1", root+"/flood", root+"/")
	o.want(t, exitDone)
	if got := strings.Join(site.order(), " "); got != "/flood / /storm /cats /shop" {
		t.Errorf("asked for %s", got)
	}
}

// A module that says the same of good and bad links loses weight to one that knows, and a resumed
// crawl remembers.
func TestLearnedWeights(t *testing.T) {
	t.Parallel()
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><html lang=en><title>A page</title>")
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/p/%d", &n); err == nil && n%2 == 0 {
			fmt.Fprint(w, "<p>Rain and a tropical storm over the coast, with a flood and another storm.</p>")
		}
		if r.URL.Path == "/" {
			for i := range 80 {
				context := []string{"The storm, the flood", "The cats, the dogs"}[i%2]
				anchor := []string{"click here", "storm"}[i/2%2] // says nothing of the page
				fmt.Fprintf(w, "<p>%s: <a href=/p/%d>%s</a></p>", context, i, anchor)
			}
		}
	})
	root := serve(t, site)
	topic := write(t, "topic.yaml", "keywords: [storm, flood]\npriority: {learn: true}\n")
	dir, o := runCrawl(t, "--topic", topic, "--limit", "61", root+"/")
	o.want(t, exitLimit)
	lesson := func(r *engine.Report, module string) (weight float64, pages int) {
		if r.Learned != nil {
			for _, l := range r.Learned.Modules {
				if l.Module == module {
					return l.Now, l.Pages
				}
			}
		}
		t.Fatalf("nothing was learned of %s: %+v", module, r.Learned)
		return 0, 0
	}
	r := readReport(t, dir)
	anchor, _ := lesson(r, "text.anchor")
	paragraph, pages := lesson(r, "text.paragraph")
	if anchor >= 1 || paragraph <= 1 || pages < 40 {
		t.Errorf("the weights are %.2f of the anchor, %.2f of the paragraph after %d pages", anchor, paragraph, pages)
	}
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	if _, more := lesson(readReport(t, dir), "text.paragraph"); more <= pages {
		t.Errorf("%d pages are remembered, %d were before", more, pages)
	}
}

// plugin writes a plugin that runs the code for pages whose request is longer than limit
// bytes, and has no opinion of others.
func plugin(t *testing.T, manifest string, limit int, answer []byte, code ...any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plugin.wasm")
	writePlugin(t, file, manifest, limit, answer, code...)
	return file
}

func writePlugin(t *testing.T, file, manifest string, limit int, answer []byte, code ...any) {
	t.Helper()
	small := m.Code(m.Call(m.InputLen), m.I32Const(limit), 0x49, m.If(m.Void, m.I32Const(1), m.Return))
	if len(code) == 0 {
		code = []any{m.I32Const(1024), m.I32Const(len(answer)), m.Call(m.OutputWrite), m.Drop}
	}
	p := m.Plugin(m.Module{Manifest: manifest, Data: []m.Data{{At: 1024, Bytes: answer}}}, m.Code(small, m.Code(code...), m.I32Const(0)))
	if strings.Contains(manifest, `"extractor"`) {
		p.Funcs[0].Export = "awarc_extract"
	}
	tmp := file + ".new"
	if err := os.WriteFile(tmp, p.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, file); err != nil {
		t.Fatal(err)
	}
}

func manifest(name, version, kind, more string) string {
	return fmt.Sprintf(`{"awarc_plugin":1,"abi":"1.0","name":%q,"version":%q,"kind":[%q]%s}`, name, version, kind, more)
}

// scores is an answer for the five links of the front page.
func scores(doc float32, links []float32, flags []byte) []byte {
	b := m.Field(1, doc)
	var packed []byte
	for _, l := range links {
		packed = append(packed, m.Field(1, l)[1:]...)
	}
	b = append(b, m.Field(2, packed)...)
	return append(b, m.Field(3, flags)...)
}

// A plugin orders and blacklists links, as far as its capabilities go; a page's own score is passed
// on to its links; and the report counts the calls.
func TestAPluginScores(t *testing.T) {
	t.Parallel()
	const links = `,"needs":["links"],"may":["blacklist_url"]`
	site, root, _ := storms(t)
	knows := plugin(t, manifest("org.example.knows", "1.2.3", "scorer", links), 200,
		scores(0.5, []float32{0.2, 0.9, 0.1, 0.3, 0.4}, []byte{0, 0, 0, 1, 4}))
	dir, o := runCrawl(t, "--plugin", knows, "--workers", "1", root+"/")
	o.want(t, exitDone, "org.example.knows@1.2.3")
	// What the plugin has no opinion of, nobody has: it comes as it would without.
	if got := strings.Join(site.order(), " "); got != "/ /shop /cats /storm /flood" {
		t.Errorf("asked for %s", got)
	}
	if x := explained(t, dir, root+"/never"); x.State != "excluded" ||
		!slices.ContainsFunc(x.Why, func(s string) bool { return strings.HasPrefix(s, "blacklisted by org.example.knows@1.2.3 ") }) {
		t.Errorf("%+v", x)
	}
	x := explained(t, dir, root+"/shop")
	if x.Priority != 900 || len(x.Score.Parts) != 1 || x.Score.Parts[0].Module != "org.example.knows" ||
		!strings.HasPrefix(x.Score.Parts[0].Source, "1.2.3 ") {
		t.Errorf("%+v", x.Score)
	}
	r := readReport(t, dir)
	if p := r.Plugins["org.example.knows"]; p.Calls != 5 || p.Errors != 0 || p.Time <= 0 {
		t.Errorf("%+v", r.Plugins)
	}
	if r.Links.Blacklisted != 1 || r.Links.Followed != 4 || r.Links.Duplicates != 0 {
		t.Errorf("%+v", r.Links)
	}
	if log := readLog(t, dir); !slices.ContainsFunc(log,
		func(e engine.Exchanged) bool { return e.Score != nil && *e.Score == 0.5 && len(e.Plugins) == 1 }) {
		t.Errorf("no line of the log has the page's score: %+v", log)
	}
	if !strings.Contains(warcText(t, dir), "awarc-plugin: org.example.knows@1.2.3 ") {
		t.Error("the plugin is not in the WARC metadata")
	}

	_, root, _ = storms(t)
	page := plugin(t, manifest("org.example.page", "1.0.0", "scorer", `,"needs":["text","links"]`), 300, m.Field(1, float32(0.75)))
	dir, o = runCrawl(t, "--plugin", page, "--limit", "2", root+"/")
	o.want(t, exitLimit)
	if x := explained(t, dir, root+"/cats"); x.Score == nil || x.Priority != 750 || !x.Score.Parts[0].FromDocument {
		t.Errorf("%+v", x.Score)
	}

	// Without the capability the answer is refused, and the links are followed.
	site, root, _ = storms(t)
	greedy := plugin(t, manifest("org.example.greedy", "1.0.0", "scorer", `,"needs":["links"]`), 200,
		scores(0.5, []float32{0, 0, 0, 0, 0}, []byte{1, 1, 1, 1, 1}))
	dir, o = runCrawl(t, "--plugin", greedy, root+"/")
	o.want(t, exitWithFaults, "capability")
	r = readReport(t, dir)
	if p := r.Plugins["org.example.greedy"]; len(site.order()) != 6 || p.Errors != 1 || p.Kinds["bad_output"] != 1 ||
		p.Example != root+"/" || !strings.Contains(p.Error, "capability") {
		t.Errorf("asked for %v; %+v", site.order(), p)
	}
	if r.Verdict.State != engine.VerdictIncomplete || !strings.Contains(o.out, "plugin     org.example.greedy: ") {
		t.Errorf("verdict %+v\n%s", r.Verdict, o.out)
	}
}

// A plugin that would keep most of a site out needs the operator's consent; without, its URLs come
// last.
func TestAPluginThatExcludesNeedsConsent(t *testing.T) {
	t.Parallel()
	censor := plugin(t, manifest("org.example.censor", "1.0.0", "scorer", `,"needs":["links"],"may":["blacklist_url"]`), 200,
		scores(0.5, []float32{0.9, 0.9, 0.9, 0.9, 0.9}, []byte{1, 1, 1, 1, 1}))
	site, root, _ := storms(t)
	dir, o := runCrawl(t, "--plugin", censor, root+"/")
	o.want(t, exitDone, "--plugin-allow org.example.censor=blacklist")
	if p := readReport(t, dir).Plugins["org.example.censor"]; len(site.order()) != 5 || p.Kinds["no_consent"] != 4 {
		t.Errorf("asked for %v; %+v", site.order(), p)
	}
	site, root, _ = storms(t)
	dir, o = runCrawl(t, "--plugin", censor, "--plugin-allow", "org.example.censor=blacklist", root+"/")
	o.want(t, exitDone)
	if r := readReport(t, dir); len(site.order()) != 1 || r.Links.Blacklisted != 5 {
		t.Errorf("asked for %v; %+v", site.order(), r.Links)
	}
}

// A host that a plugin blacklists is not asked again, not for what waits either, and not by a later session, where the operator
// consents. The host of a seed stays, and the operator learns of each that is kept out or is not.
func TestAPluginBlacklistsAHost(t *testing.T) {
	t.Parallel()
	other := new(topicalSite)
	elsewhere := serve(t, other)
	site := &topicalSite{links: []string{"/a one", elsewhere + "/x two", "/b three", "/c four", elsewhere + "/y five"}}
	root := serve(t, site)
	may := `,"needs":["links"],"may":["blacklist_host"]`
	file := plugin(t, manifest("org.example.hosts", "1.0.0", "scorer", may), 200,
		scores(0.5, []float32{0.1, 0.9, 0.1, 0.1, 0.9}, []byte{0, 2, 0, 0, 0}))
	private := []string{"--plugin", file, "--scope-type", "any", "--allow-private", "127.0.0.1"}
	allow := append([]string{"--plugin-allow", "org.example.hosts=blacklist_host"}, private...)
	dir, o := runCrawl(t, append(allow, "--limit", "2", root+"/")...)
	o.want(t, exitLimit, "excluded a host", strings.TrimPrefix(elsewhere, "http://"))
	awarc(t, "", "resume", "--limit", "0", dir).want(t, exitDone)
	if got := other.order(); len(got) > 0 {
		t.Errorf("the host was asked for %v", got)
	}
	if r := readReport(t, dir); r.Links.Blacklisted != 2 {
		t.Errorf("%+v", r.Links)
	}
	for _, args := range [][]string{allow, private} {
		seeds := []string{root + "/"}
		message := "--plugin-allow org.example.hosts=blacklist_host"
		if len(args) == len(allow) {
			seeds, message = append(seeds, elsewhere+"/"), "host of a seed"
		}
		other.asked = nil
		dir, o = runCrawl(t, append(args, seeds...)...)
		o.want(t, exitDone, message)
		if got := other.order(); !slices.Contains(got, "/x") || !slices.Contains(got, "/y") {
			t.Errorf("%v: the host was asked for %v only", args, got)
		}
		if r := readReport(t, dir); r.Links.Blacklisted != 0 {
			t.Errorf("%v: %+v", args, r.Links)
		}
	}
	awarc(t, "", "crawl", "--plugin", file, "--plugin-allow", "org.example.host=blacklist_host", root+"/").
		want(t, exitUsage, "not a plugin")
	awarc(t, "", "crawl", "--plugin", file, "--plugin-allow", "org.example.hosts=all", root+"/").want(t, exitUsage, "blacklist_host")
	taken := plugin(t, manifest("text.document", "1.0.0", "scorer", ""), 0, nil)
	awarc(t, "", "crawl", "--plugin", taken, root+"/").want(t, exitUsage, "built-in module")
}

// A domain without a seed gets its budget, and more for each other domain that links to it.
func TestDomainsHaveBudgets(t *testing.T) {
	t.Parallel()
	farm := &topicalSite{onward: 9}
	there := strings.Replace(serve(t, farm), "127.0.0.1", "localhost", 1)
	site := &topicalSite{links: []string{there + "/x farm", "/a one", "/b two"}}
	root := serve(t, site)
	definition := write(t, "topic.yaml", "budget: {domain: 4}\n")
	for budget, args := range map[int][]string{
		4: {"--topic", definition},
		7: {"--domain-budget", "4", "--domain-budget-per-link", "3", "--domain-budget-links", "5"},
	} {
		farm.asked, site.asked = nil, nil
		_, o := runCrawl(t, append(args, "--scope-type", "any", "--max-hops", "3", "--allow-private", "127.0.0.1", "--allow-private", "::1",
			root+"/")...)
		o.want(t, exitLimit)
		// One more request is for its robots.txt.
		if got := farm.order(); len(got) != budget-1 {
			t.Errorf("%v: the farm was asked for %v", args, got)
		}
		if got := site.order(); len(got) != 3 {
			t.Errorf("%v: the domain of the seed was asked for %v", args, got)
		}
	}
}

// Objects and triples of an extractor are in the graph of the capture, with who found them.
func TestAnExtractorAddsToTheGraph(t *testing.T) {
	t.Parallel()
	_, root, _ := storms(t)
	object := slices.Concat(m.Field(1, "schema:Event"), m.Field(2, "http://example.org/event"), m.Field(4, float32(0.5)),
		m.Field(3, slices.Concat(m.Field(1, "name"), m.Field(2, "A \"storm\"\n"), m.Field(8, "en"))),
		m.Field(3, slices.Concat(m.Field(1, "startDate"), m.Field(7, "2024-05-01T10:00:00Z"))))
	triple := slices.Concat(m.Field(1, "_:here"), m.Field(2, "schema:location"), m.Field(3, "http://example.org/coast"))
	file := plugin(t, manifest("org.example.events", "2.0.0", "extractor", ""), 0, append(m.Field(1, object), m.Field(2, triple)...))
	dir, o := runCrawl(t, "--plugin", file, "--max-hops", "1", root+"/")
	o.want(t, exitDone)
	r := readReport(t, dir)
	if p := r.Plugins["org.example.events"]; r.Objects["schema:Event"] != 1 || p.Calls != r.Pages || p.Errors != 0 ||
		p.Objects != r.Pages || p.Triples < 4*r.Pages {
		t.Errorf("objects %v, %+v, %d pages", r.Objects, p, r.Pages)
	}
	var record string
	for _, e := range readLog(t, dir) {
		if e.URL == root+"/storm" {
			record = e.Record
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "graph", "*.nq.gz"))
	var text strings.Builder
	lines := 0
	for _, f := range files {
		for _, line := range readLines(t, f) {
			text.WriteString(line + "\n")
			lines++
		}
	}
	who := `<urn:awarc:plugin:`
	said := "<" + graph.Said(record, "org.example.events") + "> ."
	for _, want := range []string{
		`<http://example.org/event> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Event> ` + said,
		`<http://example.org/event> <http://schema.org/name> "A \"storm\"\n"@en ` + said,
		`<http://example.org/event> <http://schema.org/startDate> "2024-05-01T10:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ` +
			said,
		`<http://example.org/event> <urn:awarc:ns#extractedBy> ` + who,
		`<` + root + `/storm#org.example.events-node-here> <http://schema.org/location> <http://example.org/coast> ` + said,
		`<` + record + `> <urn:awarc:ns#plugin> ` + who,
		`<http://schema.org/softwareVersion> "2.0.0" <urn:awarc:meta> .`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the graph does not say %s", want)
		}
	}
	if int64(lines) != r.Triples {
		t.Errorf("%d quads, the report counts %d", lines, r.Triples)
	}
}

// A file that changes while a crawl runs is used from the next page on; one that is no plugin
// changes nothing. Each is told once.
func TestAPluginIsReloadedInACrawl(t *testing.T) {
	t.Parallel()
	file := plugin(t, manifest("org.example.swap", "1.0.0", "scorer", ""), 0, m.Field(1, float32(0.25)))
	c := startAPICrawl(t, "--plugin", file)
	until(t, "a page of the first version", func() bool { return len(c.site.paths()) > 3 })
	writePlugin(t, file, manifest("org.example.swap", "1.1.0", "scorer", ""), 0, m.Field(1, float32(0.75)))
	until(t, "the second version", func() bool { return strings.Contains(c.errs.String(), "org.example.swap@1.1.0") })
	if err := os.WriteFile(file, []byte("no plugin"), 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "the refusal", func() bool { return strings.Contains(c.errs.String(), "was refused") })
	n := len(c.site.paths())
	until(t, "further pages", func() bool { return len(c.site.paths()) > n+10 })
	status, text := c.call("GET", "/api/v1/explain?url="+c.root+"/next/3", "")
	if status != http.StatusOK || !strings.Contains(text, `"org.example.swap"`) || !strings.Contains(text, `"source":"1.`) {
		t.Errorf("the API explains: %d %s", status, text)
	}
	c.call("POST", "/api/v1/stop", "")
	if status := <-c.ended; status != exitInterrupted {
		t.Errorf("exit status %d\n%s", status, c.errs.String())
	}
	for part, want := range map[string]int{"org.example.swap@1.0.0": 1, "org.example.swap@1.1.0": 1, "was refused": 1} {
		if got := strings.Count(c.errs.String(), part); got != want {
			t.Errorf("%q is told %d times:\n%s", part, got, c.errs.String())
		}
	}
	seen := map[string]bool{}
	last := ""
	for _, e := range readLog(t, c.dir) {
		if e.Status != 200 || e.Robots {
			continue
		}
		if len(e.Plugins) != 1 || e.Score == nil {
			t.Fatalf("%+v", e)
		}
		seen[e.Plugins[0]+fmt.Sprint(*e.Score)] = true
		last = e.Plugins[0]
	}
	if len(seen) != 2 || !strings.HasPrefix(last, "org.example.swap@1.1.0 ") {
		t.Errorf("versions and their scores: %v", seen)
	}
}

// hostileModules are modules that behave on small pages and show on larger ones what they are.
var hostileModules = map[string][]any{
	"loop":        {m.Forever()},
	"unreachable": {m.Unreachable},
	"memory":      {m.Forever(m.I32Const(1), m.MemoryGrow, m.Drop)},
	"output":      {m.Forever(m.I32Const(0), m.I32Const(1<<16), m.Call(m.OutputWrite), m.Drop)},
	"log":         {m.Forever(m.I32Const(3), m.I32Const(0), m.I32Const(1000), m.Call(m.Log))},
	"recursion":   {m.Call(m.Score(m.Module{})), m.Drop},
	"bad range":   {m.I32Const(-1), m.I32Const(-1), m.Call(m.OutputWrite), m.Drop},
	"status":      {m.I32Const(77), m.Return},
}

// Each hostile module costs its own answers and nothing else: the crawl is that without it.
func TestHostilePluginsDoNotHarmACrawl(t *testing.T) {
	for name, code := range hostileModules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := board(t, 30)
			root := serve(t, site)
			file := plugin(t, manifest("org.example.hostile", "1.0.0", "scorer", `,"needs":["text","links"],"deadline_ms":50`), 400,
				[]byte{0}, code...)
			dir, o := runCrawl(t, "--plugin", file, root+"/")
			o.want(t, exitWithFaults, "failed")
			checkTruth(t, dir, site, root)
			r := readReport(t, dir)
			if p := r.Plugins["org.example.hostile"]; p.Errors < 5 || p.Kinds["disabled"] == 0 || p.Calls+p.Kinds["disabled"] < r.Pages {
				t.Errorf("%d pages, %+v", r.Pages, p)
			}
		})
	}
	// What fails at once is refused before there is a folder.
	always := plugin(t, manifest("org.example.hostile", "1.0.0", "scorer", ""), 0, nil, m.Unreachable)
	dir, o := runCrawl(t, "--plugin", always, "http://localhost:1/")
	o.want(t, exitUsage, "--plugin", "org.example.hostile")
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made")
	}
}

// A crawl with a hostile plugin is killed and resumed, and loses nothing; the plugin is compiled
// by a process of its own.
func TestAHostilePluginAndKills(t *testing.T) {
	t.Parallel()
	site := board(t, 100)
	g := newGate(site, -1)
	base := serve(t, g)
	file := plugin(t, manifest("org.example.hostile", "1.0.0", "scorer", `,"needs":["text","links"],"deadline_ms":50`), 400, []byte{0},
		m.Forever())
	dir := filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", "--delay", "0", "--min-space", "0", "--plugin", file, "--out", dir, base + "/"}
	for range 2 {
		if !g.kill(t, 8, args...) {
			t.Fatal("the crawl ended before it was killed")
		}
		args = []string{"resume", dir}
	}
	last := command(t, args...)
	if out, _ := last.CombinedOutput(); last.ProcessState.ExitCode() != exitWithFaults {
		t.Fatalf("%v\n%s", last.ProcessState, out)
	}
	checkTruth(t, dir, site, base)
	checkArchive(t, dir)
	if p := readReport(t, dir).Plugins["org.example.hostile"]; p.Errors == 0 || p.Errors > p.Calls {
		t.Errorf("%+v", p)
	}
}

// A crawl is given every hostile module at once, each as a plugin of its own that behaves on
// small pages: all of them end as they should on every page until they are left
// alone, the good plugin after them answers each page, and the crawl is that without them.
func TestACrawlWithEveryHostileModule(t *testing.T) {
	t.Parallel()
	site := board(t, 60)
	root := serve(t, site)
	folder := t.TempDir()
	var args []string
	give := func(file string) { args = append(args, "--plugin", file) }
	modules := map[string]m.Hostile{}
	for i, h := range m.Lurking(400) {
		kind := "scorer"
		if h.When == m.OnExtract {
			kind = "extractor"
		}
		name := fmt.Sprintf("org.example.hostile%d", i)
		packed, err := module.Pack(h.File, []byte(manifest(name, "1.0.0", kind, `,"needs":["text","links"],"deadline_ms":20`)))
		if err != nil {
			t.Fatal(h.Name, err)
		}
		file := filepath.Join(folder, name+".wasm")
		if err := os.WriteFile(file, packed, 0o644); err != nil {
			t.Fatal(err)
		}
		modules[name] = h
		give(file)
	}
	give(plugin(t, manifest("org.example.good", "1.0.0", "scorer", ""), 0, m.Field(1, float32(0.5))))
	dir, o := runCrawl(t, append(args, root+"/")...)
	o.want(t, exitWithFaults, "failed")
	checkTruth(t, dir, site, root)
	r := readReport(t, dir)
	good := r.Plugins["org.example.good"]
	if good.Calls < r.Pages || good.Errors > 0 || len(good.Kinds) > 0 {
		t.Errorf("the good plugin on %d pages: %+v", r.Pages, good)
	}
	for name, h := range modules {
		p := r.Plugins[name]
		mayEnd := []string{"none", "disabled", "memory"}
		for _, w := range h.Want {
			mayEnd = append(mayEnd, string(w))
		}
		for kind := range p.Kinds {
			if !slices.Contains(mayEnd, kind) {
				t.Errorf("%s ended with %s: %+v", h.Name, kind, p.Kinds)
			}
		}
		if !slices.Contains(h.Want, m.OK) && (p.Errors < 5 || p.Kinds["disabled"] == 0) {
			t.Errorf("%s did no harm on %d pages: %+v", h.Name, r.Pages, p)
		}
		if p.Calls+p.Kinds["disabled"] < r.Pages {
			t.Errorf("%s was called %d times and left alone %d times on %d pages", h.Name, p.Calls, p.Kinds["disabled"], r.Pages)
		}
	}
}

// A module that cannot be used is refused before there is a folder, with the flag and the
// file that are to blame: all that are not compiled, and every tenth of those that fail when
// they are tried.
func TestACrawlRefusesHostileModules(t *testing.T) {
	for i, h := range m.All() {
		if h.When != m.OnLoad && i%10 != 0 || slices.Contains(h.Want, m.OK) {
			continue
		}
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "hostile.wasm")
			if err := os.WriteFile(file, h.File, 0o644); err != nil {
				t.Fatal(err)
			}
			dir, o := runCrawl(t, "--plugin", file, "http://127.0.0.1:1/")
			o.want(t, exitUsage, "--plugin", file)
			if _, err := os.Stat(dir); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}

// TestContextOfAnEarlierCrawl: a crawl with the examples of an earlier one explains the layer of a
// link. An empty folder is an error that names it.
func TestContextOfAnEarlierCrawl(t *testing.T) {
	t.Parallel()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch part := strings.Split(r.URL.Path, "/"); part[1] {
		case "":
			for i := range 30 {
				fmt.Fprintf(w, `<p><a href="/people/%d">Person</a> <a href="/sport/%[1]d">Sport</a>`, i)
			}
		case "people":
			fmt.Fprintf(w, `<p>Her lecture and seminar on geology. <a href="/paper/%s.pdf">Publication</a>`, part[2])
		case "sport":
			fmt.Fprint(w, "<p>The match ended with a goal.")
		default:
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.4 "+r.URL.Path)
		}
	}))
	earlier, _ := runCrawl(t, "--targets", ".pdf", base+"/")
	empty := t.TempDir()
	_, o := runCrawl(t, "--targets", ".pdf", "--context", empty, base+"/")
	o.want(t, exitUsage, empty+" holds no crawl")
	dir, _ := runCrawl(t, "--targets", ".pdf", "--context", earlier, base+"/")
	if text := awarc(t, "", "explain", dir, base+"/paper/1.pdf").out; !strings.Contains(text, "(layer 1 of 4)") {
		t.Errorf("the explanation of a target does not have the layer of its page:\n%s", text)
	}
}
