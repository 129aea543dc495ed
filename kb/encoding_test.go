package kb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// encodings are those of XML that the reader takes, with the name of the declaration and the byte order mark.
var encodings = []struct {
	name, bom string
	enc       encoding.Encoding
}{
	{"UTF-8", "", encoding.Nop}, {"utf-8", "\xef\xbb\xbf", encoding.Nop}, {"utf8", "", encoding.Nop},
	{"ISO-8859-1", "", charmap.Windows1252}, {"latin1", "", charmap.Windows1252}, {"windows-1252", "", charmap.Windows1252},
	{"iso-8859-15", "", charmap.ISO8859_15}, {"Shift_JIS", "", japanese.ShiftJIS}, {"EUC-JP", "", japanese.EUCJP},
	{"UTF-16", "\xfe\xff", utf16BE}, {"UTF-16", "\xff\xfe", utf16LE}, {"UTF-16BE", "", utf16BE}, {"utf-16le", "", utf16LE},
	{"", "\xff\xfe", utf16LE}, {"", "", utf16BE}, {"utf-8", "\xff\xfe", utf16LE}, // saved again by an editor
	{"ISO-10646-UCS-4", "\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"UTF-32LE", "", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"IBM037", "", charmap.CodePage037},
}

func encodedXML(t *testing.T, name, bom string, enc encoding.Encoding, body string) []byte {
	t.Helper()
	if name != "" {
		body = `<?xml version="1.0" encoding="` + name + `"?>` + body
	}
	data, err := enc.NewEncoder().Bytes([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(bom), data...)
}

// Each encoding of XML is read, with the letters that it has, and what is learned is written in it.
func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range encodings {
		word := "Grüße"
		switch {
		case c.enc == japanese.ShiftJIS || c.enc == japanese.EUCJP:
			word = "掲示板"
		}
		what := fmt.Sprintf("%q with the mark %q", c.name, c.bom)
		body := `<kb xmlns="` + Namespace + `">` + "\n" +
			`<category id="forum"><type id="one" name="` + word + `"><detect><pattern>//p[. = '` +
			word + `']</pattern></detect><level id="topic" kind="terminal"><detect><pattern>//b</pattern></detect>` +
			`<object class="sioc:Post" id="{url}"><field name="title">//h1</field></object></level></type></category></kb>`
		file := filepath.Join(t.TempDir(), "a.xml")
		if err := os.WriteFile(file, encodedXML(t, c.name, c.bom, c.enc, body), 0o600); err != nil {
			t.Fatal(err)
		}
		s := Store{Paths: []string{file}}
		base, err := s.Load()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got := base.Type("one"); got.Name != word || got.Detect[0].Expr.String() != "p[.='"+word+"']" {
			t.Errorf("%s: type %q, pattern %s", what, got.Name, got.Detect[0].Expr)
		}
		e := Entry{Place: Place{Type: "one", Level: "topic", Part: "sioc:Post title"}, Expr: "//h2[. = 'ж" + word + "']",
			Provenance: Provenance{From: "//h1", Learned: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Pages: 2, Confidence: 1}}
		if _, err := s.Learn(base, e); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		start := encodedXML(t, c.name, c.bom, c.enc, "<kb")
		if _, again, wrong := decode(Source{Data: data}); wrong != nil || again.bom != c.bom || !bytes.HasPrefix(data, start) {
			t.Errorf("%s: the file has another encoding after learning: %v", what, wrong)
		}
		if base, err = s.Load(); err != nil || len(base.Entries) != 1 || base.Entries[0].Expr != e.Expr {
			t.Errorf("%s: what was learned is read as %v, %v", what, base, err)
		}
	}
}

// An encoding that is not there, or not true, is an error with its place.
func TestWrongEncodings(t *testing.T) {
	t.Parallel()
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte("<kb>\n"))
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		`<?xml version="1.0" encoding="x-none"?><kb/>`:                 `a.xml:1:1: encoding="x-none" is not an encoding`,
		`<?xml version='1.0' encoding=''?><kb/>`:                       `a.xml:1:1: encoding="" is not an encoding`,
		`<?xml version="1.0" encoding="UTF-16"?><kb/>`:                 `a.xml:1:1: encoding="UTF-16", but the file is in single bytes`,
		`<?xml version="1.0" encoding="IBM037"?><kb/>`:                 `a.xml:1:1: encoding="IBM037", but the declaration is not in it`,
		`<?xml version="1.0" encoding="UTF-8"?>` + "\n<kb>Gr\xfc\xdfe": `a.xml:2:7: not well-formed XML: the byte 0xfc is not UTF-8; save`,
		"\n<kb>Gr\xfc\xdfe":                                            `a.xml:2:7: not well-formed XML: the byte 0xfc`,
		`<?xml version="1.0" encoding="Shift_JIS"?>` + "\n\n<kb>\xff":  `a.xml:3:5: not well-formed XML: not valid in its encoding`,
		string(utf16) + "<":                                            `a.xml:2:1: not well-formed XML: not valid in its encoding`,
		ebcdic + "\x93":                                                `a.xml:1:1: EBCDIC without a code page`,
	} {
		_, err := Load(Source{Name: "a.xml", Data: []byte(data)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", data, err, want)
		}
	}
}

// An editor sees a text, and the file keeps its encoding.
func TestSaveKeepsEncoding(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.xml")
	data := encodedXML(t, "UTF-16", "\xff\xfe", utf16LE, kbXML("body", "one"))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Store{Paths: []string{dir}}
	text := string(SourceText(data))
	edited := strings.ReplaceAll(text, "one", "two")
	if err := s.Save(file, Digest(data), []byte(edited)); err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(now, []byte("\xff\xfe<\x00")) || string(SourceText(now)) != edited ||
		Digest(now) != Digest([]byte(edited)) {
		t.Errorf("saved %q, %v", now, err)
	}
}

// Whatever the bytes, decoding ends, and what it gives can be encoded again.
func FuzzEncoding(f *testing.F) {
	for _, c := range encodings {
		if data, err := c.enc.NewEncoder().Bytes([]byte(`<?xml version="1.0" encoding="` + c.name + `"?><kb/>`)); err == nil {
			f.Add(append([]byte(c.bom), data...))
		}
	}
	f.Add([]byte("<?xml version='1.0' encoding=''?>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, c, wrong := decode(Source{Data: data})
		if wrong != nil {
			return
		}
		again, err := c.encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if back, _, wrong := decode(Source{Data: again}); wrong == nil && !bytes.Equal(back, text) {
			t.Errorf("%q becomes %q", text, back)
		}
		if _, err := Load(Source{Data: data}); err == nil && len(text) == 0 {
			t.Error("an empty source loads")
		}
	})
}
