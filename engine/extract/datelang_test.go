package extract

import (
	"slices"
	"strings"
	"testing"
	"time"

	dateparser "github.com/markusmobius/go-dateparser"

	"github.com/awarc/awarc/kb"
)

// monthNames are those of languages in Latin letters, as dates have them.
var monthNames = map[string]string{
	"en": "January February March April May June July August September October November December Sept",
	"de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jänner Mrz Okt Dez",
	"fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre janv févr juil déc",
	"es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre ene setiembre dic",
	"pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro fev out dez",
	"it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre gen mag giu lug ago set ott dic",
	"nl": "januari februari maart april mei juni juli augustus september oktober november december mrt okt",
	"pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia sty lut kwi cze lip sie wrz paź lis gru",
	"tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık Oca Şub Nis Haz Tem Ağu Eyl Eki Kas Ara",
	"cs": "ledna února března dubna května června července srpna září října listopadu prosince leden únor červen prosinec",
	"hu": "január február március április május június július augusztus szeptember október november december",
	"sv": "januari februari mars april maj juni juli augusti september oktober november december",
	"ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
	"da": "januar februar marts april maj juni juli august september oktober november december",
	"fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
	"sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
	"hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
	"nb": "januar februar mars april mai juni juli august september oktober november desember",
	"ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
	"id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
	"et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
	"sl": "januar februar marec april maj junij julij avgust september oktober november december",
	"sq": "janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor",
	"ms": "Januari Februari Mac April Mei Jun Julai Ogos September Oktober November Disember",
}

// readInAny reads a date in every language that the parser has, as [dates.read] would
// if it asked all of them about every text.
func readInAny(d *dates, s, usual string) string {
	if isoForm.MatchString(s) || unixForm.MatchString(s) {
		return d.read(s, usual)
	}
	s = d.plain(s)
	cfg := &dateparser.Configuration{CurrentTime: d.captured, DefaultTimezone: noZone, ReturnTimeAsPeriod: true, PreferredDateSource: dateparser.Past}
	if m := numericForm.FindStringSubmatch(s); m != nil {
		if cfg.DateOrder = d.numericOrder(m, usual); cfg.DateOrder == nil {
			return ""
		}
	}
	p := dateparser.Parser{ParserTypes: []dateparser.ParserType{dateparser.AbsoluteTime}}
	for _, cfg.RequiredParts = range [][]string{{"day", "month", "year"}, {"month", "year"}} {
		if len(cfg.RequiredParts) == 2 && !yearForm.MatchString(s) {
			break
		}
		for i, languages := range [][]string{d.lang, nil} {
			if cfg.Languages = languages; i == 0 && languages == nil {
				continue
			}
			if got, err := p.Parse(cfg, s); err == nil {
				return format(got)
			}
		}
	}
	if d.captured.IsZero() || !hasWord(s) {
		return ""
	}
	cfg.RequiredParts, cfg.Languages = nil, nil
	p.ParserTypes = []dateparser.ParserType{dateparser.RelativeTime, dateparser.AbsoluteTime}
	if got, err := p.Parse(cfg, s); err == nil {
		return format(got)
	}
	return ""
}

// TestLanguagesOfDates: what keeps texts and languages from the parser of dates keeps
// no date from it.
func TestLanguagesOfDates(t *testing.T) {
	check := func(text, lang string, at time.Time) {
		d := newDates(document(t, "<html lang="+lang+">", nil), at)
		if got, want := d.read(text, ""), readInAny(d, text, ""); got != want {
			t.Errorf("%q (%s, captured %v): got %q, in any language %q", text, lang, !at.IsZero(), got, want)
		}
	}
	for _, c := range slices.Concat(worldDates, relativeDates) {
		check(c.text, c.lang, time.Time{})
		check(c.text, c.lang, captured)
	}
	for lang, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			check("12 "+name+" 2015, 10:15", lang, time.Time{})
			check(strings.ToUpper(name)+" 2015", "", time.Time{})
		}
	}
}

// TestNoDatesAlike: a text that is no date for its words costs the parser once, however
// its numbers change; a date of the same words is read after one that has no such day.
func TestNoDatesAlike(t *testing.T) {
	d := newDates(document(t, "<html lang=de>", nil), time.Time{})
	work := kb.NewWork(maxWork)
	cost := func(text, want string) int {
		before := work.Left()
		if got := d.parse(text, "", work); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		return before - work.Left()
	}
	if first, second := cost("14.04.2012 - 22:43 Titel:", ""), cost("15.05.2011 - 21:12 Titel:", ""); first < 20*second {
		t.Errorf("the first took %d steps, the second %d", first, second)
	}
	for _, none := range []string{"Antworten: 1215", "10:15", "Willkommen in unserem Forum"} {
		if n := cost(none, ""); n > stepsOfText {
			t.Errorf("%q took %d steps, want at most %d", none, n, stepsOfText)
		}
	}
	for _, c := range [][2]string{{"31. Februar 2015", ""}, {"28. Februar 2015", "2015-02-28"}} {
		cost(c[0], c[1])
	}
}

// BenchmarkNoDate reads texts that are no dates as the pages of forums have them.
func BenchmarkNoDate(b *testing.B) {
	texts := []string{"Posts: 1215", "10:15", "Joined: 12 May 2015", "14.04.2012 - 22:43 Titel:", "Version 3.0.12", "Re: May", "127.0.0.1"}
	for name, read := range map[string]func(d *dates, s, usual string) string{"asked": (*dates).read, "all": readInAny} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				for _, s := range texts {
					read(newDates(document(b, "<html lang=en>", nil), captured), s, "")
				}
			}
		})
	}
}
