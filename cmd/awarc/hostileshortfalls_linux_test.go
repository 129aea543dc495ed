package main

// hostileShortfalls are the misdeeds that are not dealt with as the table of the hostile site says, each with the
// reason; "memory" stands for the bound of the whole crawl, "astray" for what nobody may be asked for. TestHostileSite
// fails when one of them is right.
var hostileShortfalls = map[string]string{
	"memory": "pages and decoded bodies of many workers are in memory at once",

	"utf-8-coding": "an unknown Content-Encoding makes a page unreadable; browsers take it for none",

	"charset-shift_jis-undeclared":    undeclared,
	"charset-euc-jp-undeclared":       undeclared,
	"charset-gbk-undeclared":          undeclared,
	"charset-big5-undeclared":         undeclared,
	"charset-euc-kr-undeclared":       undeclared,
	"charset-windows-1251-undeclared": undeclared,
	"charset-koi8-r-undeclared":       undeclared,

	"type-xml":             "XHTML that is called XML is not read",
	"type-application-xml": "XHTML that is called XML is not read",
	"base-in-body":         "a base in the body is not heeded",

	"refresh-comma":         "only the commonest form of a refresh is read",
	"refresh-bare":          "only the commonest form of a refresh is read",
	"refresh-noscript":      "only the commonest form of a refresh is read",
	"refresh-header":        "Refresh headers are not read",
	"refresh-header-quoted": "Refresh headers are not read",

	"nested-600":       nesting,
	"nested-lists-300": nesting,
}

const (
	undeclared = "an encoding that is declared nowhere is taken for windows-1252"
	nesting    = "a page with more than 512 open elements is not read"
)

// leftOut are misdeeds that the crawl of the test is not shown, each with the reason.
func leftOut() map[string]string {
	const (
		waits    = "its host waits for so long: what a crawl makes of it is not seen in a test"
		gigabyte = "takes gigabytes"
		down     = "a few addresses in a row that break off without an answer stop their host for half an hour: it is taken to be down"
	)
	return map[string]string{
		"wait-year": waits, "wait-absurd": waits, "wait-infinite": waits, "wait-date-far": waits,

		"fonts": gigabyte, "fonts-and-paragraphs": gigabyte, "anchors-open": gigabyte, "tables-fostered": gigabyte, "nested-svg": gigabyte,
		"nested-million": gigabyte, "nested-20000": gigabyte, "nested-tables": gigabyte, "templates": gigabyte, "bomb-elements": gigabyte,
		"elements-3000000": gigabyte, "size-50m": gigabyte, "links-millions": gigabyte, "forms": gigabyte, "options": gigabyte,
		"attributes-100000": gigabyte, "bomb-gzip": gigabyte, "bomb-deflate": gigabyte, "bomb-nested": gigabyte,
		"endless-tag": gigabyte, "endless-nesting": gigabyte, "endless-body": gigabyte, "endless-chunks": gigabyte, "endless-comment": gigabyte,

		"pages-doubling": "is followed into a million pages: that each page leads to two new ones is not seen as a place without end",

		"chunks-lf": "archived with the digest of chunks that end in LF, which awarc warc verify takes for damage",

		"fin-at-once": down, "reset-in-status": down, "reset-in-header": down, "fin-in-header": down, "fin-after-100": down, "reset-once": down,
	}
}
