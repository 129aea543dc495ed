package hostile

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"
)

// charsets is about the encoding of pages.
func charsets() []Misdeed {
	all := []Misdeed{
		text("utf-8-bom", "a byte order mark, and another charset in the header", "utf-8", "text/html; charset=iso-8859-1",
			func(v *visit) string {
				return "\xef\xbb\xbf" + v.inLanguage("russian", "")
			}),
		text("utf-16le-bom", "UTF-16LE with a byte order mark", "utf-16le", "text/html",
			func(v *visit) string { return utf16Bytes("\ufeff"+v.inLanguage("russian", ""), false) }),
		text("utf-16be-bom", "UTF-16BE with a byte order mark", "utf-16be", "text/html; charset=utf-8", func(v *visit) string {
			return utf16Bytes("\ufeff"+v.inLanguage("japanese", ""), true)
		}),
		text("utf-16le-declared", "UTF-16LE without a mark, declared", "utf-16le", "text/html; charset=utf-16le", func(v *visit) string {
			return utf16Bytes(v.inLanguage("russian", ""), false)
		}),
		text("utf-16be-declared", "UTF-16BE without a mark, declared", "utf-16be", "text/html; charset=utf-16be", func(v *visit) string {
			return utf16Bytes(v.inLanguage("french", ""), true)
		}),
		text("utf-16-in-meta", "UTF-8 that says in its head it were UTF-16", "utf-8", "text/html", func(v *visit) string {
			return v.inLanguage("korean", `<meta charset="utf-16">`)
		}),
		text("latin1-header", "UTF-8 called ISO-8859-1", "utf-8", "text/html; charset=ISO-8859-1",
			func(v *visit) string { return v.inLanguage("russian", "") }),
		text("latin1-meta", "UTF-8 that calls itself ISO-8859-1", "utf-8", "text/html", func(v *visit) string {
			return v.inLanguage("chinese", `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">`)
		}),
		text("header-and-meta", "windows-1251 by the header, UTF-8 by the page", "windows-1251", "text/html; charset=windows-1251",
			func(v *visit) string {
				return v.inEncoding("windows-1251", `<meta charset="utf-8">`)
			}),
		text("utf-8-claimed", "windows-1251 called UTF-8 in the header", "windows-1251", "text/html; charset=utf-8", func(v *visit) string {
			return v.inEncoding("windows-1251", `<meta charset="windows-1251">`)
		}),
		text("charset-unknown", "a charset that does not exist", "utf-8", "text/html; charset=x-klingon",
			func(v *visit) string { return v.inLanguage("russian", "") }),
		text("charset-quoted", "a charset in single quotes", "koi8-r", "text/html; charset='koi8-r'",
			func(v *visit) string { return v.inEncoding("koi8-r", "") }),
		text("charset-twice", "two charsets in the header", "", "text/html; charset=utf-8; charset=koi8-r",
			func(v *visit) string { return v.inLanguage("russian", "") }),
		text("charset-utf-7", "UTF-7", "", "text/html; charset=utf-7", func(v *visit) string { return v.document() + "+ADw-script+AD4-" }),
		text("meta-late", "the charset after 3,000 bytes of head", "windows-1251", "text/html", func(v *visit) string {
			return v.inEncoding("windows-1251", "<!-- "+strings.Repeat("- ", 1500)+`--><meta charset="windows-1251">`)
		}),
		text("meta-in-comment", "a charset in a comment", "utf-8", "text/html", func(v *visit) string {
			return v.inLanguage("russian",
				`<!-- <meta charset="koi8-r"> -->`)
		}),
		text("utf-8-cut", "UTF-8 that ends within a character", "utf-8", "text/html; charset=utf-8",
			func(v *visit) string { return v.inLanguage("russian", "") + "\xd0" }),
		text("utf-8-broken", "UTF-8 with bytes that are none", "utf-8", "text/html; charset=utf-8", func(v *visit) string {
			return v.inLanguage("chinese", "") + "\xff\xfe\xc0\xaf\xed\xa0\x80"
		}),
		text("utf-8-nul", "UTF-8 with NUL bytes in words and tags", "utf-8", "text/html; charset=utf-8",
			func(v *visit) string { return v.document() + "<p\x00>a\x00b</p\x00>" }),
	}
	declared, undeclared := map[string]string{"gbk": "gbk", "gb18030": "gb18030"}, map[string]bool{
		"shift_jis": true, "euc-jp": true, "gbk": true, "big5": true, "euc-kr": true, "windows-1251": true, "koi8-r": true,
		"windows-1252": true}
	for _, e := range encoded() {
		name, want := e[0], e[0]
		if to := declared[name]; to != "" {
			want = to
		}
		all = append(all,
			text(name+"-header", name+", declared in the header", want, "text/html; charset="+name,
				func(v *visit) string { return v.inEncoding(name, "") }),
			text(name+"-meta", name+", declared in the page", want, "text/html", func(v *visit) string {
				return v.inEncoding(name,
					`<meta charset="`+name+`">`)
			}))
		if undeclared[name] {
			all = append(all, text(name+"-undeclared", name+", declared nowhere", want, "text/html",
				func(v *visit) string { return v.inEncoding(name, "") }))
		}
	}
	return all
}

func text(name, does, charset, contentType string, page func(*visit) string) Misdeed {
	return Misdeed{Name: "charset-" + strings.TrimPrefix(name, "charset-"), Does: does, Want: Whole, Status: 200, Most: 1, Leads: true,
		Charset: charset, answer: func(v *visit) {
			v.send("200 OK", contentType, page(v), true)
		}}
}

// inLanguage is a page of the misdeed in UTF-8.
func (v *visit) inLanguage(language, head string) string { return v.foreign(texts()[language], head) }

// foreign is a page that says text, which may be in any encoding that has ASCII in it.
func (v *visit) foreign(text, head string) string {
	return "<!DOCTYPE html>\n<html><head>" + head + "<title>" + v.m.Name + "</title></head>\n<body>\n<p>" + text + "</p>\n" +
		v.body() + "\n</body></html>\n"
}

func (v *visit) inEncoding(name, head string) string {
	for _, e := range encoded() {
		if e[0] != name {
			continue
		}
		bytes, err := base64.StdEncoding.DecodeString(e[2])
		if err != nil {
			panic(err) // the table is part of the program
		}
		return v.foreign(string(bytes), head)
	}
	panic("hostile: no text in " + name)
}

func utf16Bytes(s string, bigEndian bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		high, low := byte(u>>8), byte(u)
		if bigEndian {
			b.WriteByte(high)
			b.WriteByte(low)
			continue
		}
		b.WriteByte(low)
		b.WriteByte(high)
	}
	return b.String()
}
