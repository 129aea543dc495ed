package score_test

import (
	"bytes"
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/awarc/awarc/engine/score"
)

func link(t *testing.T, address, anchor, context string) score.Link {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return score.Link{URL: u, Anchor: anchor, Context: context, Known: score.None}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestTermsAreStemmedByLanguage(t *testing.T) {
	for _, c := range []struct {
		lang score.Lang
		a, b string
	}{
		{"en", "The markets were crashing", "a market crashes"},
		{"de", "Die Häuser und die Katzen", "ein Haus, eine Katze"},
		{"fr", "les marchés financiers", "le marché financier"},
		{"ru", "банковские кризисы", "банковский кризис"},
		{"es", "las crisis económicas", "crisis económica"},
		{"sv", "bilarna och hundarna", "bilen, hunden"},
	} {
		if got := score.Cosine(score.Terms(c.a, c.lang), score.Terms(c.b, c.lang)); !near(got, 1) {
			t.Errorf("%s: %q and %q: cosine %.3f, want 1: %v %v", c.lang, c.a, c.b, got, score.Terms(c.a, c.lang).Terms(),
				score.Terms(c.b, c.lang).Terms())
		}
	}
}

func TestTermsOfScriptsWithoutSpaces(t *testing.T) {
	a, b := score.Terms("金融危機について", "ja"), score.Terms("欧州の金融危機", "ja")
	if got := score.Cosine(a, b); got < 0.3 {
		t.Errorf("two texts about one thing: cosine %.3f; terms %v and %v", got, a.Terms(), b.Terms())
	}
	if got := score.Cosine(a, score.Terms("料理の作り方", "ja")); got > 0.1 {
		t.Errorf("texts about different things: cosine %.3f", got)
	}
}

func TestTermsLeaveOutWhatSaysNothing(t *testing.T) {
	v := score.Terms("It was the 17 of May 2011 when x and 123456 "+strings.Repeat("z", 80)+" came; that's all", "en")
	for _, term := range v.Terms() {
		switch term.Text {
		case "may", "2011", "came":
		default:
			t.Errorf("term %q", term.Text)
		}
	}
	if v.Len() != 3 {
		t.Errorf("terms %v, want may, 2011 and came", v.Terms())
	}
}

func TestCosine(t *testing.T) {
	v := func(pairs ...any) score.Vector {
		m := map[string]float64{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = float64(pairs[i+1].(int))
		}
		return score.NewVector(m)
	}
	for _, c := range []struct {
		a, b score.Vector
		want float64
	}{
		{v("a", 1), v("a", 5), 1},
		{v("a", 1), v("b", 1), 0},
		{v("a", 3, "b", 4), v("a", 1), 0.6},
		{v("a", 3, "b", 4), v("b", 2, "c", 0), 0.8},
		{v(), v("a", 1), 0},
		{v("a", -1), v("a", 1), -1},
	} {
		if got := score.Cosine(c.a, c.b); !near(got, c.want) {
			t.Errorf("Cosine(%v, %v) = %g, want %g", c.a.Terms(), c.b.Terms(), got, c.want)
		}
		if score.Cosine(c.a, c.b) != score.Cosine(c.b, c.a) {
			t.Errorf("Cosine(%v, %v) is not symmetric", c.a.Terms(), c.b.Terms())
		}
	}
}

// FuzzCosine compares the merge of sorted terms with the sum over a map.
func FuzzCosine(f *testing.F) {
	f.Add("the euro crisis and the banks", "banks in a crisis")
	f.Add("", "a")
	f.Add("金融危機 мир", "\xff\x00 мир")
	f.Fuzz(func(t *testing.T, a, b string) {
		va, vb := score.Terms(a, "en"), score.Terms(b, "en")
		weights := map[string]float64{}
		for _, x := range vb.Terms() {
			weights[x.Text] = x.Weight
		}
		dot, na, nb := 0.0, 0.0, 0.0
		for _, x := range va.Terms() {
			dot += x.Weight * weights[x.Text]
			na += x.Weight * x.Weight
		}
		for _, x := range vb.Terms() {
			nb += x.Weight * x.Weight
		}
		want := 0.0
		if na > 0 && nb > 0 {
			want = dot / math.Sqrt(na) / math.Sqrt(nb)
		}
		if got := score.Cosine(va, vb); math.Abs(got-want) > 1e-9 {
			t.Errorf("Cosine = %g, the sum over a map gives %g", got, want)
		}
	})
}

const crisis = `The European debt crisis is a multi-year debt crisis that took place in the European Union. Several eurozone member states
were unable
to repay or refinance their government debt or to bail out over-indebted banks without the assistance of third parties such as the European
Central Bank.
Austerity measures were adopted by the governments, and protests followed.`

func TestTopicRanksTexts(t *testing.T) {
	topic := score.NewTopic(score.TopicSpec{
		Keywords: []score.Term{{Text: "austerity"}, {Text: "bailout", Weight: 2}, {Text: "football", Weight: -2}},
		Entities: []score.Term{{Text: "Antonis Samaras"}},
		Texts:    []string{crisis},
	})
	ranked := []string{
		crisis,
		"Antonis Samaras defends austerity and the bailout of Greek banks",
		"The central bank and the government disagree over the crisis of the banks",
		"The government opened a museum",
		"A recipe for apple pie with cinnamon",
	}
	last := 1.1
	for _, text := range ranked {
		s := topic.Similarity(text, "en")
		if s > last {
			t.Errorf("%.60q has %.3f, more than the text before it with %.3f", text, s, last)
		}
		if s < 0 || s > 1 {
			t.Errorf("%.60q has %.3f", text, s)
		}
		last = s
	}
	if a, b := topic.Similarity("A football player of the bank", "en"), topic.Similarity("A player of the bank", "en"); a >= b {
		t.Errorf("a keyword of negative weight takes the score from %.3f to %.3f", b, a)
	}
	if with, without := topic.Similarity("samaras spoke to antonis", "en"),
		topic.Similarity("Antonis  Samaras spoke", "en"); with >= without {
		t.Errorf("the whole name has %.3f, its words apart %.3f", without, with)
	}
}

func TestTopicOfSeveralLanguages(t *testing.T) {
	topic := score.NewTopic(score.TopicSpec{Langs: []score.Lang{"en", "de"}, Keywords: []score.Term{{Text: "Märkte"}, {Text: "banks"}}})
	if s := topic.Similarity("der Markt", "de"); s == 0 {
		t.Error("a German keyword is not found in a German text")
	}
	if s := topic.Similarity("the bank", "en"); s == 0 {
		t.Error("an English keyword is not found in an English text")
	}
}

func TestReferencesExtendATopic(t *testing.T) {
	topic := score.NewTopic(score.TopicSpec{Keywords: []score.Term{{Text: "austerity"}}})
	text := "Banks of the eurozone could not repay their debt"
	if s := topic.Similarity(text, "en"); s != 0 {
		t.Fatalf("the keyword alone gives %.3f", s)
	}
	if s := topic.Extend(crisis).Similarity(text, "en"); s < 0.2 {
		t.Errorf("with a reference page it is %.3f", s)
	}
	if s := topic.Similarity(text, "en"); s != 0 {
		t.Error("Extend changed the topic itself")
	}
}

func TestThreeGranularities(t *testing.T) {
	topic := score.NewTopic(score.TopicSpec{Keywords: []score.Term{{Text: "austerity"}, {Text: "bank"}}})
	p := &score.Page{Parts: []string{"Austerity and banks in the news, and a cake"}, Lang: "en"}
	p.Links = []score.Link{
		link(t, "http://a.example/1", "banks", "read about banks and austerity"),
		link(t, "http://a.example/2", "click here", "read about banks and austerity"),
		link(t, "http://a.example/3", "cake", "a recipe"),
		link(t, "http://a.example/4", "", ""),
	}
	a, _ := score.NewAggregator(nil)
	v := a.Of(p, []score.Module{score.Text{Topic: topic}})
	for i := range 2 {
		if v.Links[i].Value <= v.Links[i+1].Value {
			t.Errorf("link %d has %s, link %d %s", i+1, v.Links[i], i+2, v.Links[i+1])
		}
	}
	if got := v.Links[3]; len(got.Parts) != 1 || got.Parts[0].Module != score.ModuleDocument || !got.Parts[0].FromDocument {
		t.Errorf("a link without any text has %s, want the page's score alone", got)
	}
	if v.Doc.Value != v.Links[3].Value {
		t.Errorf("the page has %s, a link that inherits %s", v.Doc, v.Links[3])
	}
}

func TestAggregationIsAWeightedAverage(t *testing.T) {
	p := &score.Page{Links: []score.Link{link(t, "http://a.example/", "", ""), link(t, "http://b.example/", "", "")}}
	opinions := []score.Opinion{
		{Module: "links", Doc: score.None, Links: []float64{0.2, score.None}},
		{Module: "doc", Doc: 0.8},
		{Module: "both", Doc: 1, Links: []float64{0.5, 0.5}},
		{Module: "off", Doc: 0, Links: []float64{0, 0}},
		{Module: "list", Doc: score.None, Links: []float64{score.None, score.None}, Blacklisted: []bool{false, true}},
		{Module: "wrong", Doc: score.None, Links: []float64{1}},
	}
	a, err := score.NewAggregator(score.Weights{"links": 3, "off": 0})
	if err != nil {
		t.Fatal(err)
	}
	v := a.Combine(p, opinions)
	if want := (3*0.2 + 0.8 + 0.5) / 5; !near(v.Links[0].Value, want) {
		t.Errorf("link 1: %s, want %.3f", v.Links[0], want)
	}
	if want := (0.8 + 0.5) / 2; !near(v.Links[1].Value, want) {
		t.Errorf("link 2: %g, want %.3f", v.Links[1].Value, want)
	}
	if want := (0.8 + 1) / 2; !near(v.Doc.Value, want) {
		t.Errorf("page: %s, want %.3f", v.Doc, want)
	}
	if v.Links[0].BlacklistedBy != "" || v.Links[1].BlacklistedBy != "list" {
		t.Errorf("blacklisted by %q and %q", v.Links[0].BlacklistedBy, v.Links[1].BlacklistedBy)
	}
	if empty := a.Combine(p, nil); score.Given(empty.Doc.Value) || score.Given(empty.Links[0].Value) {
		t.Errorf("without opinions there is a score: %s", empty.Doc)
	}
	if _, err := score.NewAggregator(score.Weights{"x": -1}); err == nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("a negative weight gives %v", err)
	}
	if _, err := score.NewAggregator(score.Weights{"x": score.None}); err == nil {
		t.Error("a weight that is no number is accepted")
	}
}

func TestBlacklistHoldsHostsBelow(t *testing.T) {
	list := score.Blacklist{"spam.example"}
	for address, want := range map[string]bool{
		"http://spam.example/": true, "https://WWW.Spam.Example.:8080/x": true, "http://notspam.example/": false,
		"http://spam.example.org/": false,
	} {
		if got := list.Contains(link(t, address, "", "").URL); got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}

func TestPageIsInALanguage(t *testing.T) {
	german := &score.Page{Parts: []string{strings.Repeat("Die Regierung hat gestern beschlossen, dass die Banken gerettet werden sollen. ",
		5)}, Lang: "en"}
	a, _ := score.NewAggregator(nil)
	if v := a.Of(german, []score.Module{score.Languages{"en"}}); v.Doc.Value != 0 {
		t.Errorf("a German page that claims to be English has %s", v.Doc)
	}
	if v := a.Of(german, []score.Module{score.Languages{"de", "fr"}}); v.Doc.Value != 1 {
		t.Errorf("a German page has %s", v.Doc)
	}
	if v := a.Of(&score.Page{Lang: "en"}, []score.Module{score.Languages{"en"}}); v.Doc.Value != 1 {
		t.Errorf("a short page that says it is English has %s", v.Doc)
	}
}

// TestLearnerFindsTheModuleThatKnows has three modules: one that knows, one that
// says the same of all, one that is wrong.
func TestLearnerFindsTheModuleThatKnows(t *testing.T) {
	a, _ := score.NewAggregator(score.Weights{"knows": 2})
	l := score.NewLearner(a)
	for i := range 200 {
		worth := float64(i*7%10) / 10
		changed := l.Harvest([]score.Part{{Module: "knows", Score: worth*0.8 + 0.1}, {Module: "click here", Score: 0.3},
			{Module: "wrong", Score: 1 - worth}}, worth)
		if changed != (i >= 49 && (i+1)%10 == 0) {
			t.Fatalf("page %d: changed %v", i+1, changed)
		}
	}
	w := a.Weights()
	if w["knows"] <= 2 || w["click here"] >= 0.2 || w["wrong"] >= 0.2 || w["wrong"] <= 0 {
		t.Errorf("weights %v", w)
	}
	if len(l.Lessons()) != 3 || l.Lessons()[1].Module != "knows" || l.Lessons()[1].Before != 2 || l.Lessons()[1].Now != w["knows"] {
		t.Errorf("lessons %+v", l.Lessons())
	}
}

const definition = `name: The euro crisis
seeds: [https://blog.example.org/]
scope: {type: host, exclude: ['/sport/'], max_hops: 5}
languages: [en, el]
keywords:
  - austerity
  - {term: bailout, weight: 2}
entities:
  - Eurogroup
  - {name: Antonis Samaras, aliases: [Samaras]}
references: [texts/greece.html]
urls: [{match: '/\d{4}/\d{2}/', score: 0.8}]
blacklist: [spam.example]
weights: {text.anchor: 2, org.example.birds: 0.5}
priority: {update: avg, batch: 100, per_turn: 5, learn: true}
budget: {domain: 200, per_link: 20, links: 50}
`

func TestDefinition(t *testing.T) {
	d, err := score.ReadDefinition("euro.yaml", strings.NewReader(definition))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(d.Name, d.Seeds, d.Scope.Type, d.Scope.Exclude, *d.Scope.MaxHops, d.Languages, d.Keywords, d.Entities, d.References,
		d.URLs, d.Blacklist, d.Weights, d.Priority, d.Budget)
	want := "The euro crisis [https://blog.example.org/] host [/sport/] 5 [en el] [{austerity 1} {bailout 2}] [{Eurogroup   [] 1} " +
		"{Antonis Samaras   [Samaras] 1}] " +
		`[texts/greece.html] [{/\d{4}/\d{2}/ 0.8}] [spam.example] map[org.example.birds:0.5 text.anchor:2] {avg 100 5 false true} {200 ` +
		`20 50}` + "\n"
	if got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	topic := d.Topic()
	a, _ := score.NewAggregator(d.Weights)
	p := &score.Page{Title: "Samaras", Parts: []string{"Austerity"}, Lang: "en", Links: []score.Link{
		link(t, "http://a.example/2011/05/x", "bailout", ""), link(t, "http://www.spam.example/2011/05/x", "bailout", ""),
	}}
	v := a.Of(p, d.Modules(topic))
	modules := map[string]bool{}
	for _, part := range v.Links[0].Parts {
		modules[part.Module] = true
	}
	for _, want := range []string{score.ModuleDocument, score.ModuleAnchor, score.ModuleURL, score.ModuleLanguage} {
		if !modules[want] {
			t.Errorf("%s has no part in %s", want, v.Links[0])
		}
	}
	if v.Links[1].BlacklistedBy != score.ModuleBlacklist {
		t.Errorf("a link to a host on the blacklist: %s", v.Links[1])
	}
}

func TestDefinitionErrorsSayWhere(t *testing.T) {
	for source, wants := range map[string][]string{
		"seeds: [ftp://x/]\nlanguages: [english]\nurls: [{match: '(', score: 2}]\nblacklist: ['http://x']\nweights: {a: -1}\npriority: " +
			"{update: best}\nkeywords: ['']\nentities: [{aliases: [a]}]": {
			"x.yaml", "seeds", "ftp://x/", "languages", "english", "regular expression", "score 2", "blacklist", "weights", "update",
			"keywords: number 1", "entities: number 1"},
		"nane: x":                 {"x.yaml", "nane", "1:1"},
		"name: x\nkeywords: 5":    {"x.yaml", "2:"},
		"name: [":                 {"x.yaml", "1:"},
		"keywords: [{trem: a}]":   {"x.yaml", "trem"},
		"name: &a x\nseeds: [*a]": {"x.yaml", "1:7", "anchor"},
	} {
		_, err := score.ReadDefinition("x.yaml", strings.NewReader(source))
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v; want it to say %q", source, err, want)
			}
		}
	}
	if _, err := score.ReadDefinition("big.yaml", bytes.NewReader(bytes.Repeat([]byte("#"), 5<<20))); err == nil {
		t.Error("a definition of 5 MB is accepted")
	}
	for _, source := range []string{strings.Repeat("[", 1<<17), strings.Repeat("a: {", 1<<15), strings.Repeat("- ", 1<<16),
		strings.Repeat("? ", 1<<16)} {
		if _, err := score.ReadDefinition("deep.yaml", strings.NewReader(source)); err == nil || !strings.Contains(err.Error(), "nested") {
			t.Errorf("%.8q...: error %.100v; want it to say that it is nested too deep", source, err)
		}
	}
	if d, err := score.ReadDefinition("empty.yaml", strings.NewReader("")); err != nil || d.Name != "" {
		t.Errorf("an empty definition: %v", err)
	}
}

func FuzzDefinition(f *testing.F) {
	f.Add(definition)
	f.Add("keywords: [{term: a, weight: .nan}]\nweights: {a: .inf}")
	f.Add("a: &a [*a, *a]\nkeywords: *a")
	f.Fuzz(func(t *testing.T, source string) {
		d, err := score.ReadDefinition("x.yaml", strings.NewReader(source))
		if err == nil {
			d.Modules(d.Topic("some text"))
		}
	})
}

func TestLanguageIsWhatAPageStatesUnlessItsTextIsPlainlyAnother(t *testing.T) {
	const (
		german = "Der Garten hinter dem Haus war seit Jahren verwildert, und niemand wusste mehr, wo die alten Wege verliefen. Im " +
			"Herbst begannen wir, die Hecken zu schneiden, und fanden dabei eine Bank aus Stein, auf der noch der Name des Besitzers stand."
		danish = "Haven bag huset havde været vildtvoksende i årevis, og ingen vidste længere, hvor de gamle stier gik. Om efteråret " +
			"begyndte vi at klippe hækkene og fandt en bænk af sten, hvor " +
			"navnet på den tidligere ejer stadig kunne læses tydeligt af os alle."
	)
	for _, c := range []struct{ stated, text, want string }{
		{"", "", ""}, {"", german, "de"}, {"de-AT", german, "de-AT"}, {"en", german, "de"}, {"en", "Kurz.", "en"}, {"", "Kurz.", ""},
		{"en-gb", "Короткий ответ: насос снова сломался, и мы его починили.", "ru"}, {"en-gb", "Спасибо!", "und-Cyrl"},
		{"en-gb", "Ты где?", "ru"}, {"en-gb", "Дякую, її вже полагодили.", "uk"}, {"bg", "Благодаря!", "bg"}, {"ru", "Спасибо!", "ru"},
		{"en-gb", "謝謝", "zh"}, {"zh-TW", "謝謝", "zh-TW"}, {"ja", "東京都", "ja"}, {"en-gb", "古いポンプはまた止まった。", "ja"},
		{"en-gb", "감사합니다", "ko"}, {"en-gb", "Thanks, 谢谢你的回答 from Beijing", "zh"}, {"en", "The sign says 北京 in red letters", "en"},
		{"en-gb", "Merci, la pompe de la maison est encore en panne et nous avons tout essayé.", "fr"},
		{"en-gb", "Danke, die Pumpe ist wieder kaputt und wir haben alles versucht.", "de"},
		{"en-gb", "Thanks, the pump is broken again.", "en-GB"}, {"en_gb", "Merci!", "en-GB"}, {"x y", "Merci!", ""},
		{"iw", "תודה", "he"}, {"en", "תודה", "he"}, {"yi", "א דאנק", "yi"}, {"EN-us", "", "en-US"}, {"sr-Latn", "Hvala lepo", "sr-Latn"},
		{"", "Merci, la pompe de la maison est encore en panne et nous avons tout essayé.", "fr"},
		{"en-gb", "مضخة قديمة", "und-Arab"}, {"ar", "مضخة قديمة", "ar"}, {"en-gb", "پمپ چطور کار می\u200cکند؟", "fa"},
		{"da", danish, "da"}, {"nb", danish, "nb"}, {"en", strings.Repeat("1 2 3 ", 100), "en"}, {"", strings.Repeat("1 2 3 ", 100), ""},
	} {
		if got := score.Language(c.stated, c.text); got != c.want {
			t.Errorf("stated %q, %.20q: %q, want %q", c.stated, c.text, got, c.want)
		}
	}
}
