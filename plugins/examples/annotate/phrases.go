package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/awarc/awarc/plugins/sdk/names"
)

// phrases are those that a page is about, the best first: RAKE (rapid automatic keyword extraction). Candidates are runs of words between
// stop words and signs. A word is worth the number of words that it stands with, by how often it is there; a phrase what its words are.
type phrases struct{ all [][]string }

// Bounds of phrases.
const (
	longestPhrase = 3 // words
	mostPhrases   = 40
	leastTimes    = 2 // on the page
)

func newPhrases(lang string, texts []text) phrases {
	stop := stopWords(lang, texts)
	if stop == nil {
		return phrases{}
	}
	times := map[string]int{}
	frequency, degree := map[string]int{}, map[string]int{}
	for _, t := range texts {
		for _, run := range runs(t.words, stop) {
			times[strings.Join(run, " ")]++
			for _, w := range run {
				frequency[w]++
				degree[w] += len(run)
			}
		}
	}
	type scored struct {
		phrase string
		score  float64
	}
	var best []scored
	for _, phrase := range slices.Sorted(maps.Keys(times)) {
		if times[phrase] < leastTimes {
			continue
		}
		score := 0.0
		for w := range strings.FieldsSeq(phrase) {
			score += float64(degree[w]) / float64(frequency[w])
		}
		best = append(best, scored{phrase, score})
	}
	slices.SortStableFunc(best, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var p phrases
	for _, s := range best[:min(len(best), mostPhrases)] {
		p.all = append(p.all, strings.Fields(s.phrase))
	}
	return p
}

// runs are the candidates of a text.
func runs(words []names.Word, stop map[string]bool) (all [][]string) {
	var run []string
	end := func() {
		if n := len(run); n > 0 && n <= longestPhrase {
			all = append(all, run)
		}
		run = nil
	}
	for _, w := range words {
		if !w.Behind {
			end()
		}
		if stop[w.Folded] || len(w.Folded) < 3 || strings.Trim(w.Folded, "0123456789") == "" {
			end()
			continue
		}
		run = append(run, w.Folded)
	}
	end()
	return all
}

// in gives the phrases that a text has, at most so many.
func (p phrases) in(t text, most int) (has []string) {
	for _, phrase := range p.all {
		if len(has) == most {
			break
		}
		for i := 0; i+len(phrase) <= len(t.words); i++ {
			j := 0
			for j < len(phrase) && t.words[i+j].Folded == phrase[j] && (j == 0 || t.words[i+j].Behind) {
				j++
			}
			if j == len(phrase) {
				has = append(has, strings.Join(phrase, " "))
				break
			}
		}
	}
	return has
}

// stopWords are those of the language of most of the page's texts, or else of the one that the page says; nil where there are none.
func stopWords(lang string, texts []text) map[string]bool {
	times, most := map[string]int{}, 0
	for _, t := range texts {
		if times[t.language]++; t.language != "" && times[t.language] > most {
			most, lang = times[t.language], t.language
		}
	}
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	list, ok := stopLists[lang]
	if !ok {
		return nil
	}
	stop := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		stop[names.Fold(w)] = true
	}
	return stop
}

// stopLists are words that say nothing by themselves.
var stopLists = map[string]string{
	"en": `a about above after again against all almost also always am an and any are as at away be because been before being below
		between both but by can cannot could did do does doing done down during each either else ever every few for from further get gets
		go goes going gone got had has have having he her here hers herself him himself his how however i if in into is isn it its itself
		just least less let like ll made make many may me might mine more most much must my myself never no nor not nothing now of off
		often on once one only or other others our ours out over own perhaps quite rather re really said same say says see seen she
		should since so some something still such than that the their theirs them themselves then there these they thing this those
		though through thus to too two under until up upon us use used very was way we well were what when where whether which while who
		whole whom whose why will with within without would yes yet you your yours yourself don doesn didn won wasn aren ve`,
	"de": `ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei dadurch dafür
		damit dann darf das dass dein dem den denn der des deshalb dessen die dies diese diesem diesen dieser dieses dir doch dort du durch
		ein eine einem einen einer eines einige einmal er es etwas euch für ganz gar gegen gibt habe haben hat hatte hatten hier hin
		hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine
		keinen können konnte machen man manche mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon
		sehr sein seine seinem seinen seiner seit sich sie sind so soll sollte sondern sonst über um und uns unser unter viel vom von vor
		war waren warum was weil weiter welche wenn wer werde werden wie wieder will wir wird wo wurde wurden würde zu zum zur zwar
		zwischen`,
	"fr": `à ai aie ainsi alors après as au aucun aussi autre autres aux avait avant avec avez avoir avons c ça car ce ceci cela celle
		celui ces cet cette ceux chaque chez ci comme comment d dans de depuis des deux devant dire dit doit donc dont du elle elles en
		encore entre est et étaient était été être eu eux fait faire faut fois font hors ici il ils j je jusque l la là le les leur
		leurs lui m ma mais me même mes moi moins mon n ne ni non nos notre nous on ont ou où par parce pas pendant peu peut plus pour
		pourquoi quand que quel quelle quelques qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute
		toutes très trop tu un une va vers voici vos votre vous y`,
	"es": `a al algo algunos ante antes aquí así aunque bien cada casi como con contra cosa cual cuando de del desde donde dos durante
		e el él ella ellas ellos en entre era eran es esa ese eso esta está están estar este esto estos fue fueron ha había hace hacer
		han hasta hay he hoy la las le les lo los más me mi mientras mis mucho muy nada ni no nos nosotros nuestro o otra otro para pero
		poco por porque pues que qué quien se ser si sí sido siempre sin sobre solo son su sus también tan tanto te tener tiene tienen
		todo todos tu tus un una uno unos usted va vez y ya yo`,
	"it": `a ad al alla alle allo anche ancora avere aveva che chi ci come con contro cosa così cui da dal dalla dalle degli dei del
		della delle dello di dopo dove due e è ed era erano essere fa fare fino fra già gli ha hanno ho i il in io l la le lei li lo loro
		lui ma me mi mia mio molto ne negli nei nel nella nelle noi non nostro o ogni oggi oltre per perché più poco poi prima può quale
		quando quanto quella quello questa queste questi questo qui se sei senza si sia siamo sono sopra sotto sta stato su sua sue sul
		sulla suo suoi tra tu tutti tutto un una uno va vi voi`,
	"pt": `a ainda além algo ao aos apenas após aquele as assim até bem cada com como contra coisa da das de dela dele deles depois desde
		dessa deste do dois dos e é ela elas ele eles em entre era eram essa esse esta está estão este eu faz fazer foi foram há isso isto
		já lá lhe mais mas me mesmo meu minha muito muitos na não nas nem no nos nós nosso num numa o onde os ou outra outro para pela
		pelo pode por porque pouco qual quando que quem se seja sem sempre ser seu seus só sobre sua suas também tão tem têm tempo ter
		teu toda todo todos tu tudo um uma uns vai você`,
	"nl": `aan achter af al alle alles als altijd andere ben bij bijna daar dan dat de der deze die dit doch doen door dus een eens en er
		ergens etc ge geen gewoon haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jullie kan kon kunnen
		maar maken me meer meest men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen ten ter
		tot u uit uw van veel voor want waren was wat we wel werd wie wij wil worden wordt ze zelf zich zij zijn zo zonder zou`,
}
