// Package library holds what package dates reads against other people's tables and their parser of
// dates. It is a module of its own, so that users of awarc have neither.
package library

import (
	"strings"
	"testing"
	"time"

	"github.com/go-playground/locales"

	"github.com/go-playground/locales/af"
	"github.com/go-playground/locales/am"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/as"
	"github.com/go-playground/locales/ast"
	"github.com/go-playground/locales/az"
	"github.com/go-playground/locales/be"
	"github.com/go-playground/locales/bg"
	"github.com/go-playground/locales/bn"
	"github.com/go-playground/locales/br"
	"github.com/go-playground/locales/brx"
	"github.com/go-playground/locales/bs"
	"github.com/go-playground/locales/ca"
	"github.com/go-playground/locales/ce"
	"github.com/go-playground/locales/ckb"
	"github.com/go-playground/locales/cs"
	"github.com/go-playground/locales/cy"
	"github.com/go-playground/locales/da"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/el"
	"github.com/go-playground/locales/en"
	"github.com/go-playground/locales/eo"
	"github.com/go-playground/locales/es"
	"github.com/go-playground/locales/et"
	"github.com/go-playground/locales/eu"
	"github.com/go-playground/locales/fa"
	"github.com/go-playground/locales/fi"
	"github.com/go-playground/locales/fil"
	"github.com/go-playground/locales/fo"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/fy"
	"github.com/go-playground/locales/ga"
	"github.com/go-playground/locales/gd"
	"github.com/go-playground/locales/gl"
	"github.com/go-playground/locales/gu"
	"github.com/go-playground/locales/he"
	"github.com/go-playground/locales/hi"
	"github.com/go-playground/locales/hr"
	"github.com/go-playground/locales/hu"
	"github.com/go-playground/locales/hy"
	"github.com/go-playground/locales/id"
	"github.com/go-playground/locales/is"
	"github.com/go-playground/locales/it"
	"github.com/go-playground/locales/ja"
	"github.com/go-playground/locales/ka"
	"github.com/go-playground/locales/kk"
	"github.com/go-playground/locales/km"
	"github.com/go-playground/locales/kn"
	"github.com/go-playground/locales/ko"
	"github.com/go-playground/locales/kok"
	"github.com/go-playground/locales/ks"
	"github.com/go-playground/locales/ky"
	"github.com/go-playground/locales/lb"
	"github.com/go-playground/locales/lo"
	"github.com/go-playground/locales/lrc"
	"github.com/go-playground/locales/lt"
	"github.com/go-playground/locales/lv"
	"github.com/go-playground/locales/mk"
	"github.com/go-playground/locales/ml"
	"github.com/go-playground/locales/mn"
	"github.com/go-playground/locales/mr"
	"github.com/go-playground/locales/ms"
	"github.com/go-playground/locales/mt"
	"github.com/go-playground/locales/my"
	"github.com/go-playground/locales/mzn"
	"github.com/go-playground/locales/nb"
	"github.com/go-playground/locales/ne"
	"github.com/go-playground/locales/nl"
	"github.com/go-playground/locales/nn"
	"github.com/go-playground/locales/or"
	"github.com/go-playground/locales/os"
	"github.com/go-playground/locales/pa"
	"github.com/go-playground/locales/pl"
	"github.com/go-playground/locales/ps"
	"github.com/go-playground/locales/pt"
	"github.com/go-playground/locales/ro"
	"github.com/go-playground/locales/ru"
	"github.com/go-playground/locales/sah"
	"github.com/go-playground/locales/si"
	"github.com/go-playground/locales/sk"
	"github.com/go-playground/locales/sl"
	"github.com/go-playground/locales/sq"
	"github.com/go-playground/locales/sr"
	"github.com/go-playground/locales/sv"
	"github.com/go-playground/locales/sw"
	"github.com/go-playground/locales/ta"
	"github.com/go-playground/locales/te"
	"github.com/go-playground/locales/th"
	"github.com/go-playground/locales/ti"
	"github.com/go-playground/locales/tr"
	"github.com/go-playground/locales/ug"
	"github.com/go-playground/locales/uk"
	"github.com/go-playground/locales/ur"
	"github.com/go-playground/locales/uz"
	"github.com/go-playground/locales/vi"
	"github.com/go-playground/locales/yi"
	"github.com/go-playground/locales/zh"

	"github.com/awarc/awarc/engine/dates"
)

// languages are those of words.txt, in its order.
var languages = map[string]locales.Translator{
	"en":  en.New(),
	"es":  es.New(),
	"de":  de.New(),
	"fr":  fr.New(),
	"pt":  pt.New(),
	"it":  it.New(),
	"nl":  nl.New(),
	"pl":  pl.New(),
	"tr":  tr.New(),
	"vi":  vi.New(),
	"id":  id.New(),
	"cs":  cs.New(),
	"hu":  hu.New(),
	"sv":  sv.New(),
	"ro":  ro.New(),
	"da":  da.New(),
	"fi":  fi.New(),
	"sk":  sk.New(),
	"hr":  hr.New(),
	"nb":  nb.New(),
	"ca":  ca.New(),
	"ru":  ru.New(),
	"uk":  uk.New(),
	"bg":  bg.New(),
	"sr":  sr.New(),
	"be":  be.New(),
	"mk":  mk.New(),
	"kk":  kk.New(),
	"ky":  ky.New(),
	"mn":  mn.New(),
	"bs":  bs.New(),
	"uz":  uz.New(),
	"az":  az.New(),
	"os":  os.New(),
	"ce":  ce.New(),
	"sah": sah.New(),
	"zh":  zh.New(),
	"ja":  ja.New(),
	"ko":  ko.New(),
	"el":  el.New(),
	"ar":  ar.New(),
	"fa":  fa.New(),
	"ur":  ur.New(),
	"ps":  ps.New(),
	"ckb": ckb.New(),
	"ug":  ug.New(),
	"he":  he.New(),
	"yi":  yi.New(),
	"th":  th.New(),
	"lo":  lo.New(),
	"hi":  hi.New(),
	"mr":  mr.New(),
	"ne":  ne.New(),
	"kok": kok.New(),
	"brx": brx.New(),
	"bn":  bn.New(),
	"as":  as.New(),
	"pa":  pa.New(),
	"gu":  gu.New(),
	"or":  or.New(),
	"ta":  ta.New(),
	"te":  te.New(),
	"kn":  kn.New(),
	"ml":  ml.New(),
	"si":  si.New(),
	"my":  my.New(),
	"km":  km.New(),
	"ka":  ka.New(),
	"hy":  hy.New(),
	"am":  am.New(),
	"ti":  ti.New(),
	"lt":  lt.New(),
	"sl":  sl.New(),
	"et":  et.New(),
	"lv":  lv.New(),
	"sw":  sw.New(),
	"fil": fil.New(),
	"ms":  ms.New(),
	"af":  af.New(),
	"sq":  sq.New(),
	"gl":  gl.New(),
	"nn":  nn.New(),
	"ga":  ga.New(),
	"eu":  eu.New(),
	"fy":  fy.New(),
	"ast": ast.New(),
	"br":  br.New(),
	"cy":  cy.New(),
	"mt":  mt.New(),
	"lb":  lb.New(),
	"is":  is.New(),
	"fo":  fo.New(),
	"gd":  gd.New(),
	"eo":  eo.New(),
	"mzn": mzn.New(),
	"lrc": lrc.New(),
	"ks":  ks.New(),
}

// TestNamesOfCLDR: what CLDR calls the months of a language is read in it, with the days of the week before them.
func TestNamesOfCLDR(t *testing.T) {
	for lang, l := range languages {
		r := dates.NewReader(lang, time.Time{}, func(func(string) bool) {})
		for month := time.January; month <= time.December; month++ {
			at := time.Date(2015, month, 12, 0, 0, 0, 0, time.UTC)
			weekday := ""
			if len(l.WeekdaysWide()) > 0 {
				weekday = l.WeekdayWide(at.Weekday()) + ", "
			}
			for _, names := range [][]string{l.MonthsWide(), l.MonthsAbbreviated()} {
				if len(names) == 0 {
					continue
				}
				name := names[month-1]
				for _, text := range []string{"12 " + name + " 2015", weekday + "12 " + name + " 2015"} {
					if got, want := r.Read(text, ""), at.Format(time.DateOnly); got != want && !nameless(name) {
						t.Errorf("%s: %q: got %q, want %s", lang, text, got, want)
					}
				}
			}
		}
	}
}

// nameless reports whether a month has a number for its name, which no text has between two others.
func nameless(name string) bool { return name == "" || strings.ContainsAny(name, "0123456789") }
