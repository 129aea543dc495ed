package cockpit

// formGroups are the fields of a new crawl.
var formGroups = []group{
	{Title: "How far", Open: true, Fields: []field{
		{Flag: "scope-type", Label: "Scope", Kind: "choice", Help: "How far from the seeds links are followed.", Choices: []choice{
			{"host", "The hosts of the seeds"}, {"prefix", "The folders of the seeds"}, {"page", "The seeds alone"},
			{"domain", "The domains of the seeds"}, {"any", "Anywhere"}}},
		{Flag: "max-hops", Label: "Most links from a seed", Kind: "number", Help: "Empty: any number."},
		{Flag: "include", Label: "Only addresses that match", Kind: "lines", Help: "Regular expressions, one a line."},
		{Flag: "exclude", Label: "No addresses that match", Kind: "lines", Help: "Regular expressions, one a line."},
		{Flag: "requisites", Label: "Fetch images, styles and scripts, so that pages can be replayed", Kind: "check", Value: "on"},
		{Flag: "optional", Label: "Follow optional actions too, such as profiles", Kind: "check"},
		{Flag: "sitemaps", Label: "Ask each host for its sitemap", Kind: "check"},
		{Flag: "blind", Label: "Use no knowledge base: follow every link", Kind: "check"},
	}},
	{Title: "Politeness", Open: true, Fields: []field{
		{Flag: "delay", Label: "Wait between two requests", Kind: "text", Value: "1s",
			Help: "To one host, address and domain: 500ms, 1s, 1m."},
		{Flag: "contact", Label: "Contact", Kind: "text", Help: "Address or mail that site owners can ask; sent with each request."},
		{Flag: "nofollow", Label: "Pages that ask to leave their links alone", Kind: "choice",
			Choices: []choice{{"obey", "Obey"}, {"ignore", "Ignore"}}},
	}},
	{Title: "Limits", Open: true, Fields: []field{
		{Flag: "limit", Label: "Pages", Kind: "number"},
		{Flag: "time-limit", Label: "Time", Kind: "text", Help: "Such as 30m or 12h."},
		{Flag: "size-limit", Label: "Bytes received", Kind: "text", Help: "Such as 500M or 2G."},
		{Flag: "min-space", Label: "Least free space on the disk", Kind: "text", Value: "100M"},
	}},
	{Title: "Results", Fields: []field{
		{Flag: "index", Label: "Keep the index for searches up to date", Kind: "check"},
		{Flag: "page-records", Label: "Archive the text of each page, too", Kind: "check"},
	}},
}

// The fields of files that are beside the crawls.
const groupTopic = "Topic and plugins"

var (
	fieldTopic = field{Flag: "topic", Label: "Topic", Kind: "choice", Choices: []choice{{"", "None"}},
		Help: "Files in the folder topics beside the crawls (.yaml)."}
	// fieldPlugin may name several.
	fieldPlugin = field{Flag: "plugin", Label: "Plugins", Kind: "choices", Help: "Files in the folder plugins beside the crawls (.wasm)."}
)
