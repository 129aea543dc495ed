package main

// hostileShortfalls are the misdeeds that are not dealt with as the table of the hostile site says, each with the
// reason; "memory" stands for the bound of the whole crawl. TestHostileSite fails when one of them is right.
var hostileShortfalls = map[string]string{}

// dangerous are those among them that would end the crawl or the machine: they are not served.
func dangerous() []string {
	return []string{
		"wait-year", "wait-absurd", "wait-infinite", "wait-date-far", // stop their hosts for a day
		"fonts", "fonts-and-paragraphs", "anchors-open", "tables-fostered", "nested-svg", // take gigabytes
		"nested-million", "templates", "bomb-elements", "elements-3000000", "nested-20000", "nested-tables", "size-50m", "links-millions", "forms", "options",
		"attributes-100000", "bomb-gzip", "bomb-deflate", "bomb-nested", "endless-tag", "endless-nesting", "endless-body", "endless-chunks", "endless-comment",
		"pages-doubling",                                                                                    // has no end
		"fin-at-once", "reset-in-status", "reset-in-header", "fin-in-header", "fin-after-100", "reset-once", // stop their host for half an hour
	}
}
