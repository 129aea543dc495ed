package dates

import (
	"slices"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	at := time.Date(2025, 10, 20, 3, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"Posted by Ada on 2025-10-18 21:05":                                 "2025-10-18T21:05:00",
		"发表于 2025-10-18":                                                    "2025-10-18",
		"发表于2025-10-18 21:05:33":                                            "2025-10-18T21:05:33",
		"昨天 10:00 发表":                                                       "2025-10-19T10:00:00",
		"发表于 3 天前":                                                          "2025-10-17",
		"Posted 5 hours ago by Ada":                                         "2025-10-19T22:00:00",
		"by Ada » Sat May 05, 2012 10:15 am":                                "2012-05-05T10:15:00",
		"#3 2025-10-18":                                                     "2025-10-18",
		"Geschrieben von Ada am 18. Oktober 2025":                           "2025-10-18",
		"Edited 2025-10-18T21:05:00Z by moderator":                          "2025-10-18T21:05:00Z",
		"Il y a 3 jours, par Ada":                                           "2025-10-17",
		"/timeline?from=2025-10-18T21%3A05%3A00%2B02%3A00&precision=second": "2025-10-18T21:05:00+02:00",
		// several, a number too many, part of a word, none
		"Posted 2025-10-18 by Ada, edited 2025-10-19": "",
		"qx2025-10-18":                    "",
		"posted 05/06/2015 by Ada":        "",
		"posted 5, 2025-10-18 by Ada":     "",
		"What the newspaper wrote of May": "",
		"":                                "",
	} {
		if got := NewReader("", at, slices.Values([]string{})).Find(text, Usual{}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestZone(t *testing.T) {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2025, 10, 19, 20, 0, 0, 0, time.UTC) // the 20th there
	for text, want := range map[string]string{
		"2025-10-18 21:05":          "2025-10-18T21:05:00+08:00",
		"昨天 10:00":                  "2025-10-19T10:00:00+08:00",
		"5 hours ago":               "2025-10-19T23:00:00+08:00",
		"2025-10-18":                "2025-10-18",
		"2025-10-18T21:05:00Z":      "2025-10-18T21:05:00Z",
		"18 Oct 2025 21:05 GMT":     "2025-10-18T21:05:00Z",
		"yesterday":                 "2025-10-19",
		"2025-10-18 21:05:00 +0200": "2025-10-18T21:05:00+02:00",
	} {
		if got := NewReader("zh", at, slices.Values([]string{})).Read(text, Usual{Zone: shanghai}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
