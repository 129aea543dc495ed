package dates

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// captured is the time of the pages below, a Wednesday.
var captured = time.Date(2015, 9, 23, 12, 30, 45, 0, time.UTC)

// read reads a date on a page of a language that shows some texts.
func read(lang, text, order string, at time.Time, texts ...string) string {
	return NewReader(lang, at, slices.Values(texts)).Read(text, Usual{Order: order})
}

// worldDates are dates as pages of real software show them, and what is none. The
// page of a case says nothing about dates but its language.
var worldDates = []struct{ text, lang, want string }{
	// As attributes have them.
	{"2015-05-12", "", "2015-05-12"},
	{"2015-05-12T10:15", "", "2015-05-12T10:15:00"},
	{"2015-05-12 10:15:20", "", "2015-05-12T10:15:20"},
	{"2015-05-12T10:15:20Z", "", "2015-05-12T10:15:20Z"},
	{"2015-05-12 10:15:20 UTC", "", "2015-05-12T10:15:20Z"},
	{"2015-05-12T10:15:20+02:00", "", "2015-05-12T10:15:20+02:00"},
	{"2015-05-12T10:15:20-0500", "", "2015-05-12T10:15:20-05:00"},
	{"2015-05-12T10:15:20.123+00:00", "", "2015-05-12T10:15:20Z"},
	{"1431425720", "", "2015-05-12T10:15:20Z"},
	{"Tue, 12 May 2015 10:15:20 +0200", "", "2015-05-12T10:15:20+02:00"},
	{"Tue, 12 May 2015 10:15:20 GMT", "", "2015-05-12T10:15:20Z"},
	{"2015-13-12", "", ""},
	{"2015-02-30T10:15:20Z", "", ""},
	// phpBB.
	{"Tue May 12, 2015 10:15 am", "en", "2015-05-12T10:15:00"},
	{"Tue May 12, 2015 10:15 pm", "", "2015-05-12T22:15:00"},
	{"12 May 2015 12:05 am", "en", "2015-05-12T00:05:00"},
	{"12 May 2015 12:05 pm", "en", "2015-05-12T12:05:00"},
	{"Di 12. Mai 2015, 10:15", "de", "2015-05-12T10:15:00"},
	{"Dienstag 12. März 2013, 10:15", "de", "2013-03-12T10:15:00"},
	{"Mar 07 Juil 2015, 11:12", "fr", "2015-07-07T11:12:00"},
	{"Mar 07 Juil 2015, 11:12", "", "2015-07-07T11:12:00"},
	{"mardi 12 mai 2015 à 10:15", "fr", "2015-05-12T10:15:00"},
	{"Sam 1 Août 2015 09:05", "fr", "2015-08-01T09:05:00"},
	{"Mar May 12, 2015 10:15 am", "es", "2015-05-12T10:15:00"},
	{"12 de mayo de 2015, 10:15", "es", "2015-05-12T10:15:00"},
	{"mar mag 12, 2015 10:15 am", "it", "2015-05-12T10:15:00"},
	{"12 maggio 2015, 22:15", "it", "2015-05-12T22:15:00"},
	{"12 май 2015, 10:15", "ru", "2015-05-12T10:15:00"},
	{"12 мая 2015 г., 10:15", "ru", "2015-05-12T10:15:00"},
	{"Вт май 12, 2015 10:15", "ru", "2015-05-12T10:15:00"},
	{"12 maja 2015, 10:15", "pl", "2015-05-12T10:15:00"},
	{"di 12 mei 2015, 10:15", "nl", "2015-05-12T10:15:00"},
	{"12 de maio de 2015 10:15", "pt", "2015-05-12T10:15:00"},
	{"12 Mayıs 2015, 10:15", "tr", "2015-05-12T10:15:00"},
	{"12. května 2015 10:15", "cs", "2015-05-12T10:15:00"},
	{"12 Μαΐου 2015, 10:15", "el", "2015-05-12T10:15:00"},
	// vBulletin and WordPress.
	{"May 12th, 2015, 10:15 PM", "en", "2015-05-12T22:15:00"},
	{"12th May 2015, 22:15", "en", "2015-05-12T22:15:00"},
	{"May 12, 2015 at 10:15 am", "en", "2015-05-12T10:15:00"},
	{"May 12, 2015", "", "2015-05-12"},
	{"Tuesday, May 12, 2015", "", "2015-05-12"},
	{"12 May, 2015", "", "2015-05-12"},
	{"12-May-2015", "en", "2015-05-12"},
	{"Sept. 3, 2015", "en", "2015-09-03"},
	// East Asia and others.
	{"2015年5月12日 10:15", "zh", "2015-05-12T10:15:00"},
	{"2015年5月12日", "ja", "2015-05-12"},
	{"2015-5-12 10:15", "zh", "2015-05-12T10:15:00"},
	{"2015/05/12 10:15", "", "2015-05-12T10:15:00"},
	{"2015.05.12", "", "2015-05-12"},
	{"2015년 5월 12일", "ko", "2015-05-12"},
	{"12 tháng 5 2015", "vi", "2015-05-12"},
	{"12 Tháng Năm, 2015", "vi", "2015-05-12"},
	{"12 مايو 2015", "ar", "2015-05-12"},
	{"12 Mei 2015 10:15", "id", "2015-05-12T10:15:00"},
	// Numbers whose order only one reading allows.
	{"25.05.2015, 10:15", "", "2015-05-25T10:15:00"},
	{"25/05/2015", "en", "2015-05-25"},
	{"05/25/2015 10:15 PM", "", "2015-05-25T22:15:00"},
	{"25-05-15", "", "2015-05-25"},
	{"12.05.2015", "", "2015-05-12"},
	{"05/05/2015", "", "2015-05-05"},
	{"05/12/2015", "", ""},
	// As much as there is.
	{"May 2015", "en", "2015-05"},
	{"mai 2015", "de", "2015-05"},
	// Other calendars.
	{"۲۲ اردیبهشت ۱۳۹۴", "fa", "2015-05-12"},
	{"1394/02/22", "fa", "2015-05-12"},
	{"1394/02/22", "ar", ""},
	{"۱۳۹۴/۰۲/۲۲، ۱۰:۱۵ ب.ظ", "fa", "2015-05-12T22:15:00"},
	{"۳۱ مهر ۱۳۹۴", "fa", ""},
	{"12 พฤษภาคม 2558", "th", "2015-05-12"},
	{"12 พฤษภาคม พ.ศ. 2558, 10:15 น.", "", "2015-05-12T10:15:00"},
	{"平成27年5月12日", "ja", "2015-05-12"},
	{"令和元年5月12日(日)", "ja", "2019-05-12"},
	{"民國104年5月12日", "zh", "2015-05-12"},
	// The Islamic one is at least not read wrongly.
	{"23 رجب 1436", "ar", ""},
	// Halves of the day where they stand.
	{"2015年5月12日 下午10:15", "zh", "2015-05-12T22:15:00"},
	{"2015. 5. 12. 오후 10:15", "ko", "2015-05-12T22:15:00"},
	{"2015년 5월 12일 (화) 오전 9:15", "ko", "2015-05-12T09:15:00"},
	{"2015/05/12 火曜日 午前 9:15", "ja", "2015-05-12T09:15:00"},
	{"12 Μαΐου 2015, 10:15 μμ", "el", "2015-05-12T22:15:00"},
	{"Τρί 12 Μάιος 2015 10:15 π.μ.", "el", "2015-05-12T10:15:00"},
	{"May 12, 2015 PM 10:15", "en", "2015-05-12T22:15:00"},
	// Languages that dateparser does not read, or not well.
	{"Tháng Năm 12, 2015", "vi", "2015-05-12"},
	{"Tháng Mười Hai 12, 2014", "vi", "2014-12-12"},
	{"Thứ ba, ngày 12 tháng 5 năm 2015 lúc 10:15", "vi", "2015-05-12T10:15:00"},
	{"otrdiena, 2015. gada 12. maijs, 10:15", "lv", "2015-05-12T10:15:00"},
	{"2015 m. gegužės 12 d., antradienis", "lt", "2015-05-12"},
	{"2015(e)ko maiatzaren 12(a), asteartea, 10:15", "eu", "2015-05-12T10:15:00"},
	{"12 մայիսի, 2015 թ.", "hy", "2015-05-12"},
	{"martes, 12 de xuño de 2015", "gl", "2015-06-12"},
	{"יום שלישי, 12 באוק׳ 2015", "he", "2015-10-12"},
	{"12 במאי 2015, 10:15", "", "2015-05-12T10:15:00"},
	// Half-translated templates.
	{"Desember 30, 2015 at 4:36 am", "id", "2015-12-30T04:36:00"},
	{"On 12. Dezember 2022", "de", "2022-12-12"},
	{"Freitag, November 22, 2019", "de", "2019-11-22"},
	// What stands behind, before or between.
	{"Fri Sep 23 2016 10:34:51 GMT+0800 (CST)", "", "2016-09-23T10:34:51+08:00"},
	{"19:56, 20 July 2012 (PDT)", "en", "2012-07-20T19:56:00-07:00"},
	{"Mon, 25 Jun 2018 10:37:47 +0530", "", "2018-06-25T10:37:47+05:30"},
	{"10:25 PM - 13 April, 2019", "", "2019-04-13T22:25:00"},
	{"Feb-17-01 12:54 PM", "", "2001-02-17T12:54:00"},
	{"2016年6月29", "zh", "2016-06-29"},
	{"2016年9月14日晚8:00", "zh", "2016-09-14T20:00:00"},
	{"le 12 mai 2015 à 10h15", "fr", "2015-05-12T10:15:00"},
	{"12. Mai 2015 10.15 Uhr", "de", "2015-05-12T10:15:00"},
	{"12. 5. 2015 v 10:15", "cs", "2015-05-12T10:15:00"},
	{"12 awst 2015", "cy", "2015-08-12"},
	{"12 lis 2015", "hr", "2015-10-12"},
	{"12 lis 2015", "pl", "2015-11-12"},
	{"19.11.2019 - 2:30pm", "", "2019-11-19T14:30:00"},
	{"12 Mai 2015, 3pm", "de", "2015-05-12T15:00:00"},
	// No dates.
	{"", "", ""},
	{"March 17 - 20, 2016", "en", ""},
	{"Apr. 28-29", "en", ""},
	{"1 year 2 months", "en", ""},
	{"12 years 2 months", "en", ""},
	{"15年5月12日", "ja", "2015-05-12"},
	{"12 May 2015 yesterday", "en", ""},
	{"12 May 2015 10:15 11:15", "en", ""},
	{"12 May 2015 by Ada", "en", ""},
	{"19.02.2007 - 11:06 Titel: CPU", "de", ""},
	{"1.18.2", "fr", ""},
	{"31.06.2015", "", ""},
	{"Administrator", "", ""},
	{"12", "", ""},
	{"2015", "", ""},
	{"10:15", "", ""},
	{"10:15:20", "", ""},
	{"Posts: 1215", "", ""},
	{"Re: May", "", ""},
	{"Version 3.0.12", "", ""},
	{"127.0.0.1", "", ""},
	{"555-12-2015", "", ""},
	{"32 May 2015", "", ""},
	{"00/00/0000", "", ""},
	{"0000-00-00 00:00:00", "", ""},
	{"January 1, 1970", "", "1970-01-01"},
	{strings.Repeat("12 May 2015 ", 20), "", ""},
	// Relative ones without the time of capture.
	{"yesterday", "en", ""},
	{"Today, 10:15", "en", ""},
	{"3 hours ago", "en", ""},
	{"May 12", "en", ""},
}

func TestDates(t *testing.T) {
	for _, c := range worldDates {
		if got := read(c.lang, c.text, "", time.Time{}); got != c.want {
			t.Errorf("%q (%s): got %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestPersianCalendar: days as the tables of the calendar have them, the last days
// of years of 366 days among them.
func TestPersianCalendar(t *testing.T) {
	for _, c := range []struct {
		year, month, day int
		want             string
	}{
		{1244, 1, 1, "1865-03-21"},
		{1300, 1, 1, "1921-03-21"},
		{1343, 1, 1, "1964-03-21"},
		{1370, 6, 31, "1991-09-22"},
		{1375, 12, 30, "1997-03-20"},
		{1376, 12, 30, ""},
		{1387, 12, 30, "2009-03-20"},
		{1391, 12, 30, "2013-03-20"},
		{1394, 2, 22, "2015-05-12"},
		{1394, 7, 31, ""},
		{1399, 12, 30, "2021-03-20"},
		{1403, 12, 30, "2025-03-20"},
		{1408, 12, 30, "2030-03-20"},
		{1471, 12, 29, "2093-03-19"},
		{1472, 1, 1, ""},
		{1394, 0, 1, ""},
		{1394, 1, 0, ""},
	} {
		got := ""
		if at, ok := persianDay(c.year, c.month, c.day); ok {
			got = at.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%d-%d-%d: got %q, want %q", c.year, c.month, c.day, got, c.want)
		}
	}
}

// relativeDates are read at the time of captured.
var relativeDates = []struct{ text, lang, want string }{
	{"today", "en", "2015-09-23"},
	{"yesterday", "en", "2015-09-22"},
	{"Today, 10:15", "en", "2015-09-23T10:15:00"},
	{"Yesterday at 10:15 PM", "en", "2015-09-22T22:15:00"},
	{"Gestern 10:15", "de", "2015-09-22T10:15:00"},
	{"Hier, 10:15", "fr", "2015-09-22T10:15:00"},
	{"Вчера, 10:15", "ru", "2015-09-22T10:15:00"},
	{"vor 2 Tagen", "de", "2015-09-21"},
	{"3 days ago", "en", "2015-09-20"},
	{"May 12, 2015", "en", "2015-05-12"},
	{"May 12", "en", "2015-05-12"},
	{"December 24", "en", "2014-12-24"},
	{"an hour ago", "en", "2015-09-23T11:30:45"},
	{"14 years, 6 months ago", "en", "2001-03"},
	{"2 days ago, 10:15", "en", "2015-09-21T10:15:00"},
	{"vor 2 Stunden", "de", "2015-09-23T10:30:45"},
	{"il y a 3 heures", "fr", "2015-09-23T09:30:45"},
	{"hace 3 días", "es", "2015-09-20"},
	{"for 12 måneder siden", "nb", "2014-09"},
	{"4 tahun lalu", "id", "2011"},
	{"1 jam, 55 menit yang lalu", "id", "2015-09-23T10:35:45"},
	{"2 недель(и) назад", "ru", "2015-09-09"},
	{"3 時間前", "ja", "2015-09-23T09:30:45"},
	{"昨日 10:15", "ja", "2015-09-22T10:15:00"},
	{"3일 전", "ko", "2015-09-20"},
	{"2 giờ trước", "vi", "2015-09-23T10:30:45"},
	{"منذ 3 ساعات", "ar", "2015-09-23T09:30:45"},
	{"לפני שעתיים", "he", "2015-09-23T10:30:45"},
	{"Tuesday at 10:15", "en", "2015-09-22T10:15:00"},
	{"Wednesday", "en", "2015-09-16"},
	{"February 29", "en", "2012-02-29"},
	{"December 31 23:59", "en", "2014-12-31T23:59:00"},
	{"September 23, 12:00", "en", "2015-09-23T12:00:00"},
	{"September 23, 13:00", "en", "2014-09-23T13:00:00"},
	{"February 30", "en", ""},
	{"last month", "en", "2015-08"},
	{"30 Tage", "de", ""},
	{"12:06 PM", "en", ""},
	{"v1", "de", ""},
	{"11k", "en", ""},
	{"9:00-12:30 Uhr", "de", ""},
	{"12", "", ""},
	{"2015", "", ""},
	{"10:15", "", ""},
	{"10:15:20", "", ""},
	{"Administrator", "", ""},
	{"Posts: 12", "en", ""},
	{"Re: May", "en", ""},
	{"昨天 10:15", "zh", "2015-09-22T10:15:00"},
	{"3 小时前", "zh", "2015-09-23T09:30:45"},
	{"אתמול", "he", "2015-09-22"},
	{"1436/05/12", "fa", ""},
}

func TestRelativeDates(t *testing.T) {
	if got := read("", "Feb 29", "", time.Date(2016, 1, 10, 0, 0, 0, 0, time.UTC)); got != "2012-02-29" {
		t.Errorf("29 February, which this year is still to come: got %q", got)
	}
	if got := read("", "last month", "", time.Date(2015, 3, 31, 0, 0, 0, 0, time.UTC)); got != "2015-02" {
		t.Errorf("the month before 31 March: got %q", got)
	}
	for _, c := range relativeDates {
		if got := read(c.lang, c.text, "", captured); got != c.want {
			t.Errorf("%q (%s): got %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestNumericOrder: what the date itself allows, then what the page proves,
// then what is usual for the software, then the separator.
func TestNumericOrder(t *testing.T) {
	const dmy, mdy = "25/05/2015 ", "05/25/2015 "
	for _, c := range []struct{ name, page, text, usual, want string }{
		{"the page proves day first", dmy, "05/06/2015", "", "2015-06-05"},
		{"the page proves month first", mdy, "05/06/2015", "", "2015-05-06"},
		{"the page against the usual order", dmy, "05/06/2015", "mdy", "2015-06-05"},
		{"another separator proves nothing", dmy, "05-06-2015", "mdy", "2015-05-06"},
		{"the usual order", "", "05/06/2015", "dmy", "2015-06-05"},
		{"contradiction proves nothing", dmy + mdy, "05/06/2015", "", ""},
		{"nor decides against the usual order", dmy + mdy, "05/06/2015", "mdy", "2015-05-06"},
		{"one quoted date among many", strings.Repeat(dmy, 4) + mdy, "05/06/2015", "", "2015-06-05"},
		{"mixed separators prove nothing", "25/05-2015", "05/06/2015", "", ""},
		{"two-digit years", "25/05/15", "05/06/15", "", "2015-06-05"},
		{"two-digit years first", "", "15/06/05", "ymd", "2015-06-05"},
		{"a day that only fits one reading", mdy, "25/06/2015", "mdy", "2015-06-25"},
		{"the day's number is no proof of time", "10:15:30", "05/06/2015", "", ""},
	} {
		if got := read("", c.text, c.usual, time.Time{}, strings.Fields(c.page)...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
