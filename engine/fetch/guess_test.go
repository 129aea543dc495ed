package fetch

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// sentences are what people write on boards, one for each encoding that is guessed.
var sentences = []struct{ charset, text string }{
	{"shift_jis", "昨日、新しい舟の板を蒸してみました。思ったよりうまく曲がりました。"},
	{"euc-jp", "昨日、新しい舟の板を蒸してみました。思ったよりうまく曲がりました。"},
	{"iso-2022-jp", "昨日、新しい舟の板を蒸してみました。思ったよりうまく曲がりました。"},
	{"gbk", "昨天我们试着用蒸汽弯木板,结果比想象的好,大家可以看照片。"},
	{"gb18030", "昨天我们试着用蒸汽弯木板,结果比想象的好,大家可以看照片。㐀"},
	{"big5", "昨天我們試著用蒸氣彎木板,結果比想像的好,大家可以看照片。"},
	{"euc-kr", "어제 우리는 새 배의 판자를 쪄서 구부려 보았습니다. 생각보다 잘 되었어요."},
	{"windows-1251", "Вчера мы пробовали гнуть доски паром, и вышло лучше, чем думали."},
	{"koi8-r", "Вчера мы пробовали гнуть доски паром, и вышло лучше, чем думали."},
	{"koi8-u",
		"Вчора ми пробували гнути дошки парою, і вийшло ліпше, ніж здавалося, їй-бо."},
	{"ibm866", "Вчера мы пробовали гнуть доски паром, и вышло лучше, чем думали."},
	{"windows-1250", "Wczoraj próbowaliśmy giąć deski parą i wyszło lepiej, niż myśleliśmy. Świetnie!"},
	{"iso-8859-2", "Wczoraj próbowaliśmy giąć deski parą i wyszło lepiej, niż myśleliśmy. Świetnie!"},
	{"windows-1252", "Gestern haben wir Planken über Dampf gebogen; das war schöner, als wir dachten."},
	{"windows-1252", "Hier nous avons plié des planches à la vapeur : c’était très beau, même réussi."},
	{"windows-1253",
		"Χθες δοκιμάσαμε να λυγίσουμε τις σανίδες με ατμό και βγήκε καλύτερα."},
	{"windows-1254", "Dün tahtaları buharla eğmeyi denedik, düşündüğümüzden daha iyi çıktı, şaşırdık."},
	{"windows-1255", "אתמול ניסינו לכופף את הקרשים באדים, והתוצאה טובה ממה שחשבנו."},
	{"windows-1256", "جربنا أمس ثني الألواح بالبخار وكانت النتيجة أفضل مما توقعنا."},
	{"windows-1257", "Vakar bandėme lenkti lentas garais ir išėjo geriau, nei manėme, žinoma."},
	{"windows-874",
		"เมื่อวานเราลองดัดไม้ด้วยไอน้ำ" +
			" ผลออกมาดีกว่าที่คิด"},
	{"utf-8", "Вчера мы пробовали гнуть доски паром, и вышло лучше, чем думали."},
	{"utf-16le", "Gestern haben wir Planken über Dampf gebogen; das war schöner, als wir dachten."},
	{"utf-16be", "Вчера мы пробовали гнуть доски паром, и вышло лучше, чем думали."},
}

func TestGuessCharset(t *testing.T) {
	t.Parallel()
	for _, s := range sentences {
		body := []byte(encode(t, s.charset, "<html><title>A page</title><p>"+s.text+"</p>"))
		got := DecodeHTML(body, "text/html")
		if got.Charset != s.charset || !got.Guessed || !strings.Contains(string(got.HTML), s.text) {
			t.Errorf("%s was taken for %s: %s", s.charset, got.Charset, got.HTML)
		}
	}
	broken := DecodeHTML([]byte(strings.Repeat("Вчера мы пробовали ", 10)+"\xe4"), "")
	if broken.Charset != "utf-8" {
		t.Errorf("UTF-8 with one byte that is not was taken for %s", broken.Charset)
	}
}

// corpora are public texts by which guesses are measured: the saved pages of real sites,
// and translations of a book that Debian's package debian-handbook installs. Its texts are
// not those that the models were learned from.
var corpora = []string{"../../../shared/pages", "/usr/share/doc/debian-handbook/html"}

// encodedIn are the encodings in which texts of a script or language are written.
var encodedIn = map[string][]string{
	"ja": {"shift_jis", "euc-jp", "iso-2022-jp"}, "zh-cn": {"gbk", "gb18030"}, "zh-tw": {"big5"}, "ko": {"euc-kr"},
	"cyrillic": {"windows-1251", "koi8-r", "utf-8", "utf-16le"},
	"greek":    {"windows-1253"}, "arabic": {"windows-1256"}, "tr": {"windows-1254"}, "pl": {"windows-1250"}, "cs": {"windows-1250"},
	"hr":      {"windows-1250"},
	"western": {"windows-1252", "utf-8", "utf-16be"},
}

var (
	declares = regexp.MustCompile(`(?i)<meta[^>]*charset[^>]*>|<\?xml[^>]*\?>|^\x{feff}`)
	markup   = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<!--.*?-->|<[^>]*>`)
)

// TestGuessRates prints how many texts are guessed right, whole and cut short, in
// percent. A guess is right where the text comes back.
func TestGuessRates(t *testing.T) {
	if os.Getenv("RATES") == "" {
		t.Skip("skipped: a measurement; RATES=1 runs it on " + strings.Join(corpora, " and "))
	}
	lengths := []int{0, 400, 100, 30} // characters; 0: the whole page with its markup
	type rate struct{ right, all [4]int }
	rates := map[string]*rate{}
	for _, dir := range corpora {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".html") && !strings.HasSuffix(path, ".htm") {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			page := declares.ReplaceAllString(string(DecodeHTML(data, "").HTML), "")
			script := scriptOf(path, page)
			for i, n := range lengths {
				text := page
				if n > 0 {
					plain := []rune(strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(page, " "))), " "))
					plain = plain[len(plain)/3:]
					text = string(plain[:min(len(plain), n)])
				}
				if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
					continue
				}
				for _, name := range encodedIn[script] {
					key := fmt.Sprintf("%-12s %-9s %s", name, script, filepath.Base(dir))
					if rates[key] == nil {
						rates[key] = &rate{}
					}
					enc, _ := charset.Lookup(name)
					body, err := encoding.ReplaceUnsupported(enc.NewEncoder()).Bytes([]byte(text))
					if err != nil {
						return err
					}
					if 10*bytes.Count(body, []byte("\x1a")) > len([]rune(text))-asciiOf(text) {
						continue // another language, which the encoding does not have
					}
					want, _ := enc.NewDecoder().Bytes(body)
					rates[key].all[i]++
					if bytes.Equal(DecodeHTML(body, "").HTML, want) {
						rates[key].right[i]++
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for key, r := range rates {
		line := fmt.Sprintf("%-34s", key)
		for i := range lengths {
			line += fmt.Sprintf(" %4d of %-4d", r.right[i], r.all[i])
		}
		t.Log(line)
	}
}

func asciiOf(s string) (n int) {
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// scriptOf names the script or language of a page, "" for what is in ASCII mostly: by
// the folder of a translation, else by its letters.
func scriptOf(path, page string) string {
	folder, _, _ := strings.Cut(strings.ToLower(filepath.Base(filepath.Dir(path))), "-")
	has := map[string]int{}
	for _, r := range page {
		for name, table := range map[string]*unicode.RangeTable{"ja": unicode.Hiragana, "ko": unicode.Hangul, "han": unicode.Han,
			"cyrillic": unicode.Cyrillic, "greek": unicode.Greek, "arabic": unicode.Arabic} {
			if r >= utf8.RuneSelf && unicode.Is(table, r) {
				has[name]++
			}
		}
	}
	for _, name := range []string{"ja", "ko", "cyrillic", "greek", "arabic", "han"} {
		if has[name] < 50 {
			continue
		}
		if name == "han" && (strings.Count(page, "這")+strings.Count(page, "時") > strings.Count(page, "这")+strings.Count(page, "时")) {
			return "zh-tw"
		} else if name == "han" {
			return "zh-cn"
		}
		return name
	}
	switch folder {
	case "tr", "pl", "cs", "hr":
		return folder
	case "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb":
		return "western"
	}
	if strings.Contains(path, "handbook") {
		return ""
	}
	if strings.ContainsAny(page, "äöüßéèêàñ") && !strings.ContainsAny(page, "ąęłğışřů") {
		return "western"
	}
	return ""
}
