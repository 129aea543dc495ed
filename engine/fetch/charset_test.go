package fetch

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/awarc/awarc/engine/httpmsg"
)

func encode(t testing.TB, name, s string) string {
	t.Helper()
	enc, _ := charset.Lookup(name)
	out, err := enc.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCharset(t *testing.T) {
	t.Parallel()
	const russian, japanese, french = "Привет, мир", "日本語の掲示板", "déjà vu, garçon"
	meta := func(label string) string {
		return "<html><head><title>x</title><meta charset=" + label + "></head><body>"
	}
	for _, c := range []struct {
		name, contentType, body string
		text                    string // contained in the result
		charset                 string
		guessed                 bool
	}{
		{"mark before header", "text/html; charset=windows-1251", "\xef\xbb\xbf" + russian, russian, "utf-8", false},
		{"UTF-16 by mark", "text/html", "\xff\xfe" + encode(t, "utf-16le", russian), russian, "utf-16le", false},
		{"UTF-16 big endian by mark", "text/html", "\xfe\xff" + encode(t, "utf-16be", russian), russian, "utf-16be", false},
		{"UTF-16 by header", "text/html; charset=UTF-16LE", encode(t, "utf-16le", russian), russian, "utf-16le", false},
		{"header", "text/html; charset=\"koi8-r\"", encode(t, "koi8-r", russian), russian, "koi8-r", false},
		{"header before meta", "text/html; charset=windows-1251", encode(t, "windows-1251", meta("koi8-r")+russian), russian,
			"windows-1251", false},
		{"latin1 is windows-1252", "text/html; charset=ISO-8859-1", "\x93" + encode(t, "windows-1252", french) + "\x94", "“" + french + "”",
			"windows-1252", false},
		{"meta", "text/html", encode(t, "shift_jis", meta("Shift_JIS")+japanese), japanese, "shift_jis", false},
		{"meta after a long head", "text/html", encode(t, "shift_jis",
			"<head><style>"+strings.Repeat("a{}", 2000)+"</style>"+meta("Shift_JIS")+japanese), japanese, "shift_jis", false},
		{"meta http-equiv", "text/html", encode(t, "euc-jp",
			`<META content="text/html; charset='euc-jp'" HTTP-EQUIV=Content-Type>`+japanese), japanese, "euc-jp", false},
		{"XML declaration", "application/xhtml+xml",
			encode(t, "windows-1251", `<?xml version="1.0" encoding="windows-1251"?><html>`+russian), russian, "windows-1251", false},
		{"meta in a comment", "text/html", encode(t, "windows-1252", "<!-- "+meta("koi8-r")+" -->"+french), french, "windows-1252", true},
		{"meta in a script", "text/html", "<script>'" + meta("koi8-r") + "'</script>" + japanese, japanese, "utf-8", true},
		{"meta in the body", "text/html", encode(t, "koi8-r", "<body><p>"+meta("koi8-r")+russian), russian, "koi8-r", false},
		{"meta far down in the body", "text/html", "<body>" + strings.Repeat("<p>word", 200) + meta("koi8-r") + japanese, japanese, "utf-8",
			true},
		{"meta of no encoding before another", "text/html", encode(t, "koi8-r", meta("x-none")+meta("koi8-r")+russian), russian, "koi8-r",
			false},
		{"header with what is no parameter", "text/html; charset=koi8-r; x", encode(t, "koi8-r", russian), russian, "koi8-r", false},
		{"label that is wrong by habit", "text/html; charset=utf8", japanese, japanese, "utf-8", false},
		{"gb2312 is GBK", "text/html; charset=gb2312", encode(t, "gbk", "朱镕基"), "朱镕基", "gbk", false},
		{"x-sjis", "text/html; charset=x-sjis", encode(t, "shift_jis", japanese), japanese, "shift_jis", false},
		{"unicode is UTF-16", "text/html; charset=unicode", encode(t, "utf-16le", russian), russian, "utf-16le", false},
		{"meta UTF-16 means UTF-8", "text/html", meta("utf-16") + russian, russian, "utf-8", false},
		{"unknown label", "text/html; charset=none", meta("x-nonsense") + russian, russian, "utf-8", true},
		{"unsafe label", "text/html; charset=iso-2022-kr", meta("hz-gb-2312") + russian, russian, "utf-8", true},
		{"undeclared UTF-8", "text/html", japanese, japanese, "utf-8", true},
		{"undeclared other", "", encode(t, "windows-1252", french), french, "windows-1252", true},
		{"ASCII", "text/html", "plain", "plain", "utf-8", true},
		{"empty", "text/html", "", "", "utf-8", true},
		{"header lies about UTF-8", "text/html; charset=utf-8", encode(t, "windows-1251", meta("windows-1251")+russian), russian,
			"windows-1251", false},
		{"header and meta lie about UTF-8", "text/html; charset=utf-8", encode(t, "windows-1252", meta("utf-8")+french), french,
			"windows-1252", true},
		{"meta lies about latin1", "text/html", meta("iso-8859-1") + russian, russian, "utf-8", true},
		{"header lies about latin1", "text/html; charset=windows-1252", russian, russian, "utf-8", true},
		{"mostly UTF-8", "text/html; charset=utf-8", russian + "\xff" + russian, russian + "\uFFFD" + russian, "utf-8", false},
		{"cut off inside a character", "text/html; charset=utf-8", russian + "\xd0", russian, "utf-8", false},
		{"broken double bytes", "text/html; charset=shift_jis", encode(t, "shift_jis", japanese) + "\x81", japanese, "shift_jis", false},
	} {
		got := DecodeHTML([]byte(c.body), c.contentType)
		if !strings.Contains(string(got.HTML), c.text) || got.Charset != c.charset || got.Guessed != c.guessed {
			t.Errorf("%s: %s, guessed %v: %q", c.name, got.Charset, got.Guessed, got.HTML)
		}
	}
}

func TestXHTML(t *testing.T) {
	t.Parallel()
	const page = `<?xml version="1.0" encoding="koi8-r"?>` +
		`<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js" /><style>b{}</style></head>
<body><a id="top"/><p><![CDATA[a<b & c]]><br/><img alt="/" src="x"/></p><iframe src="f"/>мир</body></html>`
	const want = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title></title><script src="a.js" ></script><style>b{}</style></head>
<body><a id="top"></a><p>a&lt;b &amp; c<br/><img alt="/" src="x"/></p><iframe src="f"></iframe>мир</body></html>`
	for _, declared := range []string{"application/xhtml+xml", "text/xml", "application/xml"} {
		text, err := fake(t, http.Header{"Content-Type": {declared}}, encode(t, "koi8-r", page)).HTML()
		if got := strings.TrimPrefix(string(text.HTML), `<?xml version="1.0" encoding="koi8-r"?>`); err != nil || got != want {
			t.Errorf("%s: %v %s", declared, err, text.HTML)
		}
	}
	text, err := fake(t, http.Header{"Content-Type": {"text/html"}}, encode(t, "koi8-r", page)).HTML()
	if err != nil || !strings.Contains(string(text.HTML), "<title/>") {
		t.Errorf("text/html was changed: %v %s", err, text.HTML)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<meta charset=koi8-r>\xf0"), "text/html; charset=utf-8")
	f.Add([]byte("<?xml encoding='utf-16'?>"), "")
	f.Add([]byte("\xff\xfea"), "text/html; charset=\"")
	f.Add([]byte("<meta http-equiv=content-type content='charset=\u212a = x'>"), ";charset")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		before := bytes.Clone(body)
		text := decodeText(body, contentType)
		if !utf8.Valid(text.HTML) {
			t.Errorf("not UTF-8: %q", text.HTML)
		}
		if _, name := charset.Lookup(text.Charset); name != text.Charset {
			t.Errorf("charset %q is not a standard name", text.Charset)
		}
		if len(text.HTML) > 4*len(body)+3 {
			t.Errorf("%d bytes out of %d", len(text.HTML), len(body))
		}
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
	})
}

// fake is an Exchange as if a server had answered with body.
func fake(t *testing.T, header http.Header, body string) *Exchange {
	t.Helper()
	s := &spool{memMax: 1 << 20}
	if _, err := io.WriteString(s, body); err != nil {
		t.Fatal(err)
	}
	e := &Exchange{Status: 200, Header: header, spool: s, framing: httpmsg.Close}
	e.setBlock(0, int64(len(body)))
	return e
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct{ declared, body, want string }{
		{"text/html; charset=utf-8", "anything", "text/html"},
		{"Text/HTML;;;", "anything", "text/html"},
		{"image/png", "<html>", "image/png"},
		{"", "<!DOCTYPE html><p>", "text/html"},
		{"html", "<!DOCTYPE html><p>", "text/html"},
		{"", png, "image/png"},
		{"", "%PDF-1.7\n", "application/pdf"},
		{"", "words", "text/plain"},
		{"", "", ""},
		{"application/octet-stream", png, "image/png"},
		{"application/octet-stream", "\x00\x01\x02", "application/octet-stream"},
		{"application/octet-stream", "", "application/octet-stream"},
		{"text/plain", "words", "text/plain"},
		{"text/plain", png, "image/png"},
		{"text/plain", "\n <!doctype HTML><p>", "text/html"},
		{"text/plain", "\xef\xbb\xbf<html lang=en>", "text/html"},
		{"text/plain", "<p>about markup", "text/plain"},
		{"text/plain", "\x00\x01\x02", "text/plain"},
		{"application/force-download", "%PDF-1.7\n", "application/pdf"},
		{"application/octet-stream", "<!DOCTYPE html><p>", "text/html"},
		{"unknown/unknown", "\n<html>", "text/html"},
		{"text/xml", "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x.dtd'>\n" +
			"<!-- c --><html lang='en' xmlns='http://www.w3.org/1999/xhtml'>", "application/xhtml+xml"},
		{"application/xml", "<h:html xmlns:h=\"http://www.w3.org/1999/xhtml\">", "application/xhtml+xml"},
		{"application/xml", "<html>", "application/xml"},
		{"text/xml", "<?xml version='1.0'?><rss version='2.0'>", "application/rss+xml"},
		{"text/html", "<?xml version='1.0'?><rss version='2.0'>", "application/rss+xml"},
		{"text/html", "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "text/html"},
		{"application/xml", "<feed xml:lang='en' xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"},
		{"application/xml", "<urlset>", "application/xml"},
		{"text/xml", "", "text/xml"},
	} {
		h := http.Header{}
		if c.declared != "" {
			h.Set("Content-Type", c.declared)
		}
		if got := fake(t, h, c.body).MediaType(); got != c.want {
			t.Errorf("%q with %.20q: %q, want %q", c.declared, c.body, got, c.want)
		}
	}
}

func FuzzXHTML(f *testing.F) {
	f.Add([]byte("<a/><script/><![CDATA[<]]><style x='/>'/><br/>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		once := inHTML(page)
		if len(once) > 8*len(page) {
			t.Errorf("%d bytes out of %d", len(once), len(page))
		}
	})
}
