package testsites

import "strings"

// language is a vocabulary from which sentences are put together. The sentences mean little, but they have the letters,
// the word lengths and the direction of the real language.
type language struct {
	code     string
	space    string // between words
	stop     string // after a sentence
	openers  []string
	subjects []string
	verbs    []string
	tails    []string
	titles   []string // with one %: the subject of the text
	things   []string
}

// languages in the order of their weight: most texts are in the first.
func languages() []language {
	return []language{
		{"en", " ", ".",
			[]string{"", "", "Yesterday", "In my view", "All the same,", "By the way,", "Before breakfast", "Strictly speaking,",
				"Years later"},
			[]string{"the old pump", "our ferryman", "a borrowed ladder", "the second draft", "my aunt", "the mill wheel",
				"this map of the fens", "the night shift", "a box of slides", "the weather station", "nobody here", "the committee",
				"every third tile", "the tram"},
			[]string{"came apart", "needs a new gasket", "was painted twice", "refused to start", "won a small prize", "went missing",
				"looked better from afar", "takes 12 volts & no more", "made sense at last", "cost less than expected",
				"shrank in the wash", "is still < 3 mm too short"},
			[]string{"after the flood", "on the north side", "without a manual", "for the third time", "in front of the neighbours",
				"while the kettle boiled", "as the \"expert\" had said", "under the stairs", "somewhere near Leeds", "at low tide",
				"during the 1987 season"},
			[]string{"Question about the %", "A % for beginners", "What became of the %?", "The % & how it works", "Looking for a %",
				"Notes on the %", "Last year's %", "How (not) to mend a %", "Photos: the %", "% <solved>"},
			[]string{"lathe", "greenhouse", "ferry", "sourdough", "telescope", "canal lock", "accordion", "weather vane", "model railway",
				"beehive", "letterpress", "kayak"}},
		{"de", " ", ".",
			[]string{"", "Gestern", "Übrigens", "Meiner Meinung nach", "Später"},
			[]string{"lief die alte Mühle", "fuhr der Zug nach Görlitz", "blühte der Flieder", "hielt die Brücke", "schwieg der Vorstand",
				"passte der Schlüssel", "klang die Orgel"},
			[]string{"besser als gedacht", "ohne jede Störung", "nur bis Mitternacht", "trotz des Regens", "zum ersten Mal",
				"überhaupt nicht"},
			[]string{"im Frühjahr", "hinter dem Haus", "nach der Prüfung", "für zwölf Groschen", "am Fluß", "vor allen Leuten"},
			[]string{"Frage zum Thema %", "Größe von %", "Wer kennt %?", "% im Überblick"},
			[]string{"Fräse", "Gewächshaus", "Fähre", "Sauerteig", "Wetterfahne", "Kanalschleuse"}},
		{"fr", " ", ".",
			[]string{"", "Hier,", "À mon avis,", "D'ailleurs,", "Plus tard,"},
			[]string{"la vieille pompe", "notre voisin", "le deuxième brouillon", "l'échelle", "la gare de triage", "ce drôle d'engin"},
			[]string{"a cédé", "n'a rien coûté", "s'est arrêté", "fut repeint", "a gagné un prix", "reste introuvable"},
			[]string{"après l'orage", "près du canal", "sans mode d'emploi", "à marée basse", "pendant l'été 1987", "devant le café"},
			[]string{"Question sur : %", "% pour débutants", "Où trouver : % ?", "Mes essais — %"},
			[]string{"serre", "écluse", "télescope", "pâte à crêpes", "girouette", "ruche"}},
		{"ru", " ", ".",
			[]string{"", "Вчера", "По-моему,", "Кстати,", "Потом"},
			[]string{"старый насос", "наш паромщик", "вторая глава",
				"ночной поезд", "метеостанция", "сосед с дачи"},
			[]string{"сломался снова", "работает без шума", "пропал из виду",
				"обошёлся дешевле", "получил приз", "ждёт ремонта"},
			[]string{"после дождя", "у северных ворот", "без инструкции",
				"в третий раз", "за рекой", "летом 1987 года"},
			[]string{"Вопрос: %", "% для начинающих", "Кто видел: %?", "Заметки — %"},
			[]string{"теплица", "телескоп", "гармонь", "закваска", "шлюз", "улей"}},
		{"el", " ", ".",
			[]string{"", "Χθες", "Κατά τη γνώμη μου", "Αργότερα"},
			[]string{"η παλιά αντλία", "ο γείτονας", "το δεύτερο σχέδιο",
				"το νυχτερινό τρένο", "ο ναυτικός χάρτης"},
			[]string{"σταμάτησε πάλι", "βγήκε φθηνότερο",
				"κέρδισε βραβείο", "χάθηκε", "δουλεύει καλά"},
			[]string{"μετά τη βροχή", "κοντά στο λιμάνι",
				"χωρίς οδηγίες", "για τρίτη φορά", "το 1987"},
			[]string{"Ερώτηση για: %", "% για αρχάριους", "Σημειώσεις: %"},
			[]string{"θερμοκήπιο", "τηλεσκόπιο", "κυψέλη", "προζύμι", "καΐκι"}},
		{"ja", "", "。",
			[]string{"", "昨日、", "ところで、", "個人的には、"},
			[]string{"古いポンプは", "隣の渡し守は", "二番目の原稿は", "夜行列車は", "観測所は", "祖父の地図は"},
			[]string{"雨のあとで", "説明書なしで", "三度目に", "港の近くで", "朝早くから", "一九八七年の夏に"},
			[]string{"また止まった", "静かに動いた", "賞をもらった",
				"見つからない", "思ったより安かった", "直された"},
			[]string{"%について質問", "初めての%", "%の記録", "%を探しています"},
			[]string{"望遠鏡", "温室", "水門", "天然酵母", "風見鶏", "蜂の巣"}},
		{"ar", " ", ".",
			[]string{"", "أمس", "برأيي", "وبعد ذلك"},
			[]string{"المضخة القديمة", "جارنا البحار",
				"المسودة الثانية", "قطار الليل", "محطة الطقس"},
			[]string{"توقفت من جديد", "عملت بهدوء", "فازت بجائزة", "اختفت", "كانت أرخص"},
			[]string{"بعد المطر", "قرب الميناء", "بلا دليل", "للمرة الثالثة", "في صيف 1987"},
			[]string{"سؤال عن %", "% للمبتدئين", "ملاحظات حول %"},
			[]string{"التلسكوب", "البيت الزجاجي", "خلية النحل", "القارب"}},
	}
}

// pickLanguage weighs: about two texts of three are English, the rest share.
func pickLanguage(r *random, all []language) int {
	if r.percent(66) {
		return 0
	}
	return 1 + r.n(len(all)-1)
}

func (l *language) sentence(r *random) string {
	parts := []string{r.pick(l.openers), r.pick(l.subjects), r.pick(l.verbs)}
	if r.percent(80) {
		parts = append(parts, r.pick(l.tails))
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	s := []rune(strings.Join(parts, l.space))
	return strings.ToUpper(string(s[:1])) + string(s[1:]) + l.stop
}

// paragraph joins n sentences.
func (l *language) paragraph(r *random, n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = l.sentence(r)
	}
	return strings.Join(s, l.space)
}

func (l *language) title(r *random) string {
	t := strings.Replace(r.pick(l.titles), "%", r.pick(l.things), 1)
	if r.percent(60) {
		return t
	}
	return t + l.space + "(" + r.pick(l.things) + ")"
}

// names of people who write; some need escaping, some are not Latin.
func userNames() []string {
	return []string{"edda", "Bram", "piet_k", "O'Malley", "Tom & Jo", "ludmila", "Мария", "山田太郎", "jörg", "Zoë", "xX_reed_Xx",
		"the miller", "Σταύρος", "nadia", "quill<3", "harbour_master", "سمير", "olek", "fenwalker", "Ingrid", "k.t.", "sparrow77"}
}

// userName gives user i (from 0) a name of its own.
func userName(i int) string {
	names := userNames()
	if i < len(names) {
		return names[i]
	}
	return names[i%len(names)] + " " + itoa(i/len(names)+1)
}

// guestName is what a visitor without an account put in.
func guestName(r *random) string {
	return r.pick([]string{"Guest", "Anonymous", "passer-by", "Гость", "Rolf (visiting)"})
}
