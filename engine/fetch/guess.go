package fetch

import (
	"bytes"
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// A page that declares no encoding is taken to be in the one in which its bytes are
// most likely: each encoding decodes a sample, and the models of the languages that
// are written in it say how many bits the text takes. Letters of alphabets are weighed
// by the letter before them, characters of East Asia alone; ASCII beside ASCII says
// nothing. The fewest bits win.

// letters has the models; testdata/charsets makes it.
//
//go:embed letters.txt
var letters string

// What no model has, in bits.
const (
	rareLetter  = 17
	rareChar    = 16
	noLetter    = 13 // a symbol
	commonSign  = 6  // one of commonSigns
	undecodable = 40
	mixedCase   = 5 // a capital after a small letter
	inWord      = 8 // a sign between two letters that is no apostrophe
)

// commonSigns are what is no letter but stands in texts of all languages.
const commonSigns = "\u00a0«»“”„‘’‚–—…·•°©®№§™€"

// encodings are the encodings that are tried, with the languages that are written in
// them and how much less likely, in bits, each is beforehand than windows-1252, the
// default of the web. Of two that are equally likely the first wins.
var encodings = []struct {
	charset, languages string
	prior              int
}{
	{"windows-1252", "de es fr it pt nl da nb sv fi vi", 0},
	{"windows-1251", "ru uk bg", 2},
	{"shift_jis", "ja", 2},
	{"gbk", "zh-cn", 2},
	{"euc-jp", "ja", 2},
	{"big5", "zh-tw", 2},
	{"euc-kr", "ko", 2},
	{"windows-1253", "el", 4},
	{"windows-1256", "ar", 4},
	{"koi8-r", "ru", 4},
	{"windows-1250", "pl cs sk hu hr sl ro", 8},
	{"windows-1254", "tr", 8},
	{"windows-1255", "he", 8},
	{"windows-874", "th", 8},
	{"gb18030", "zh-cn", 8},
	{"iso-8859-2", "pl cs sk hu hr sl ro", 12},
	{"windows-1257", "lt lv et", 12},
	{"iso-8859-7", "el", 12},
	{"koi8-u", "uk", 16},
	{"iso-8859-5", "ru", 16},
	{"ibm866", "ru", 16},
}

// model is how many bits a letter takes after another one, or a character of East Asia
// alone, after 0.
type model map[[2]rune]uint8

var models = sync.OnceValue(func() map[string]model {
	all := map[string]model{}
	var m model
	eastern := false
	for line := range strings.Lines(letters) {
		what, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch bits, err := strconv.Atoi(what); {
		case what == "language":
			m, eastern = model{}, strings.Contains("ja ko zh-cn zh-tw", text)
			all[text] = m
		case err == nil:
			last := rune(0)
			for _, r := range text {
				if !eastern && last == 0 {
					last = r
					continue
				}
				m[[2]rune{last, r}] = uint8(bits)
				last = 0
			}
		}
	}
	return all
})

// guessCharset names the encoding in which a body that declares none is most likely.
func guessCharset(body []byte) string {
	if name := wideCharset(body); name != "" {
		return name
	}
	if isJapaneseMail(body) {
		return "iso-2022-jp"
	}
	_, foreign, broken := census(body)
	if foreign >= 10*broken {
		return "utf-8"
	}
	sample := sampleOf(body)
	best, least := "windows-1252", undecodable*len(sample)
	for _, c := range encodings {
		enc, _ := charset.Lookup(c.charset)
		if bits := c.prior + bitsOf(decodeSample(enc, sample), strings.Fields(c.languages)); bits < least {
			best, least = c.charset, bits
		}
	}
	return best
}

// wideCharset recognises UTF-16 by the zero bytes of its markup and line breaks, which
// are all in the same half; "" where there are none.
func wideCharset(body []byte) string {
	body = body[:min(len(body), 4<<10)&^1]
	var zero [2]int
	for i, c := range body {
		if c == 0 {
			zero[i&1]++
		}
	}
	const most = 16 // of those that may be noise
	switch {
	case len(body) < 4:
	case zero[1]*most >= len(body)/2 && zero[0]*most < zero[1]:
		return "utf-16le"
	case zero[0]*most >= len(body)/2 && zero[1]*most < zero[0]:
		return "utf-16be"
	}
	return ""
}

// isJapaneseMail reports whether a body is ISO-2022-JP: ASCII, with the escapes that
// change to Japanese.
func isJapaneseMail(body []byte) bool {
	if !bytes.Contains(body, []byte("\x1b$B")) && !bytes.Contains(body, []byte("\x1b$@")) {
		return false
	}
	return bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 }) < 0
}

// bitsOf is how many bits a sample takes, each part of it by the language that suits it
// best: pages name other languages.
func bitsOf(sample string, languages []string) int {
	sum := 0
	for part := range strings.Lines(sample) {
		least := models()[languages[0]].bits(part)
		for _, lang := range languages[1:] {
			least = min(least, models()[lang].bits(part))
		}
		sum += least
	}
	return sum
}

func decodeSample(enc encoding.Encoding, sample []byte) string {
	text, err := enc.NewDecoder().Bytes(sample)
	if err != nil {
		return string(utf8.RuneError)
	}
	return string(text)
}

// What is looked at of a page.
const (
	maxSample = 4 << 10 // bytes
	beside    = 4       // of ASCII before and after what is not: the context, and second bytes of characters
)

// sampleOf gives the parts of a body that are not ASCII, with what stands beside them.
func sampleOf(body []byte) []byte {
	var sample []byte
	for end := 0; end < len(body) && len(sample) < maxSample; {
		i := bytes.IndexFunc(body[end:], func(r rune) bool { return r >= utf8.RuneSelf })
		if i < 0 {
			break
		}
		start := max(end, end+i-beside)
		last := end + i // the last byte of the part that is not ASCII
		for at := last; at < len(body) && at <= last+beside && at-start < maxSample; at++ {
			if body[at] >= utf8.RuneSelf {
				last = at
			}
		}
		end = min(len(body), last+1+beside)
		sample = append(append(sample, '\n'), body[start:end]...)
	}
	return sample
}

// bits is how many bits a text takes by the model.
func (m model) bits(text string) int {
	sum := 0
	last, lower := '_', false
	afterLetter := false // the last character is a sign, and there is a letter before it
	for _, r := range text {
		switch {
		case r == utf8.RuneError || r >= 0x80 && r < 0xa0 || r >= 0xe000 && r < 0xf900:
			sum += undecodable
			last, lower = '_', false
		case r >= 0x2e80:
			sum += m.char(r)
			last, lower = '_', false
		case r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r):
			if strings.ContainsRune(commonSigns, r) {
				sum += commonSign
			} else {
				sum += noLetter
			}
			afterLetter = last != '_' && r != '’'
			last, lower = '_', false
			continue
		default:
			small := unicode.ToLower(r)
			if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
				small = '_'
			}
			if last >= utf8.RuneSelf || small >= utf8.RuneSelf {
				sum += m.pair(last, small)
				if lower && small != r {
					sum += mixedCase
				}
			}
			if afterLetter && small != '_' {
				sum += inWord
			}
			lower = unicode.IsLower(r)
			last = small
		}
		afterLetter = false
	}
	return sum
}

func (m model) pair(a, b rune) int {
	if bits, ok := m[[2]rune{a, b}]; ok {
		return int(bits)
	}
	return rareLetter
}

func (m model) char(r rune) int {
	if bits, ok := m[[2]rune{0, r}]; ok {
		return int(bits)
	}
	if r >= 0xff61 && r <= 0xffdc { // half width, which bytes of other encodings become
		return undecodable
	}
	return rareChar
}
