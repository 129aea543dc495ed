package cockpit

// formGroups are the fields of a new crawl.
var formGroups = []group{
	{Title: "Scope", Open: true, Fields: []field{
		{Flag: "scope-type", Label: "Scope", Kind: "choice", Help: "Follow links within this distance of the seeds.", Choices: []choice{
			{"host", "The hosts of the seeds"}, {"prefix", "The folders of the seeds"}, {"page", "Only the seeds"},
			{"domain", "The domains of the seeds"}, {"any", "Anywhere"}}},
		{Flag: "max-hops", Label: "Links from a seed, at most", Kind: "number", Help: "Empty: no limit."},
		{Flag: "include", Label: "Only URLs that match", Kind: "lines", Help: "Regular expressions, one a line."},
		{Flag: "exclude", Label: "Skip URLs that match", Kind: "lines", Help: "Regular expressions, one a line."},
		{Flag: "requisites", Label: "Fetch images, styles and scripts that replay needs", Kind: "check", Value: "on"},
		{Flag: "optional", Label: "Also follow optional links, such as profiles", Kind: "check"},
		{Flag: "sitemaps", Label: "Also try /sitemap.xml on each host", Kind: "check"},
		{Flag: "blind", Label: "Follow every link, without the knowledge base", Kind: "check"},
	}},
	{Title: "Politeness", Open: true, Fields: []field{
		{Flag: "delay", Label: "Delay between requests", Kind: "text", Value: "1s",
			Help: "For each host, address and domain: 500ms, 1s, 1m."},
		{Flag: "contact", Label: "Contact", Kind: "text", Help: "URL or mail address for site owners; sent with each request."},
		{Flag: "nofollow", Label: "nofollow on pages and links", Kind: "choice",
			Choices: []choice{{"obey", "Obey"}, {"ignore", "Ignore"}}},
	}},
	{Title: "Limits", Open: true, Fields: []field{
		{Flag: "limit", Label: "Pages", Kind: "number"},
		{Flag: "time-limit", Label: "Time", Kind: "text", Help: "Such as 30m or 12h."},
		{Flag: "size-limit", Label: "Bytes received", Kind: "text", Help: "Such as 500M or 2G."},
		{Flag: "min-space", Label: "Keep free on the disk", Kind: "text", Value: "100M"},
	}},
	{Title: "Results", Fields: []field{
		{Flag: "index", Label: "Update the search index during the crawl", Kind: "check"},
		{Flag: "page-records", Label: "Also archive the text of each page", Kind: "check"},
	}},
}

// The fields of files that are beside the crawls.
const groupTopic = "Topic and plugins"

var (
	fieldTopic = field{Flag: "topic", Label: "Topic", Kind: "choice", Choices: []choice{{"", "None"}},
		Help: "Files (.yaml) in the folder topics, next to the crawls."}
	// fieldPlugin may name several.
	fieldPlugin = field{Flag: "plugin", Label: "Plugins", Kind: "choices", Help: "Files (.wasm) in the folder plugins, next to the crawls."}
)
