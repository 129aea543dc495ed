package cockpit

import (
	"github.com/awarc/awarc/engine/adapt"
	"github.com/awarc/awarc/engine/fetch"
	"github.com/awarc/awarc/frontier"
	"github.com/awarc/awarc/kb"
)

// What the cockpit says beside its templates.
const (
	titleCrawls     = "Crawls"
	titleNew        = "New crawl"
	titleLive       = "Live"
	titleWhy        = "Why"
	titleReplay     = "Replay"
	titleResults    = "Results"
	titleAdaptation = "Adaptation"
	titlePlugins    = "Plugins"
	titleLoad       = "Load plugins"
	titleKB         = "Knowledge base"

	textForeignHost   = "The Host of the request is not this machine."
	textNoSecret      = "Expected the header Authorization: Bearer and the token that the server was started with."
	textNoCrawl       = "No crawl has this name."
	textStaleForm     = "This form has expired, or cookies are off. Go back, reload the page and try again."
	textBeginsNone    = "This cockpit shows one crawl and cannot start others."
	textNoSeeds       = "Name at least one seed."
	textPointed       = "Proposals for what was clicked"
	textBack          = "Back to the crawl"
	textNoTime        = "invalid time %q; expected one such as 2026-11-30T03:00"
	textPast          = "that time is past; leave it empty to start now"
	textNotOpen       = "the crawl is not running here"
	textNotArchived   = "this is not in the archive"
	textIndexing      = "The results are being indexed: %d statements so far. This page reloads itself."
	textNoObject      = "the results have no such object"
	textNoFormat      = "Unknown format."
	textNoAPI         = "it was started without --api"
	textNoAnswer      = "%s did not respond in time"
	textOtherToken    = "its --api-token differs from that of this node"
	textOtherNode     = "another node answers at %s: its --api cannot be reached from here"
	textCopying       = "it is still being copied"
	textNoSpace       = "this disk has too little space for a copy: %s are free"
	textElsewhere     = "the node that archived this is not running or has no API"
	textNotRunning    = "Other nodes have more data, and the crawl is not running here: awarc report and awarc query read all folders."
	textNotAll        = "Some data of %s is missing: %v."
	textNoPage        = "This page does not exist."
	textNoType        = "The knowledge base does not have this type."
	textNoFile        = "Unknown file. For a new one, use a name such as mine.xml."
	textNoValue       = "the page does not show that value"
	textGone          = "This page has expired. Reload the page around it."
	textWrongSecret   = "Wrong token."
	textNoPluginFile  = "choose a file, such as birds.wasm"
	textPluginName    = "expected the name of a plugin, of letters, digits, -, _ and dots, such as birds.wasm"
	textPluginLarge   = "the file has more than %d MiB"
	textPluginThere   = "the file exists; tick Replace a file of the same name, or rename your file"
	textPluginFails   = "it failed the checks of awarc plugin test and was not stored"
	textLoadsOne      = "another plugin is being checked; try again in a minute"
	textGivesNone     = "the plugins of this crawl cannot be changed here"
	textNoPlugin      = "neither the crawl nor the folder plugins has this plugin"
	textBlacklistURL  = "never fetch it"
	textBlacklistHost = "never fetch from its host, if permitted"
	textNoOpinion     = "no opinion"
	textManyGuesses   = "Too many wrong tokens. Wait a minute and try again."
)

// Captions of charts and tables.
const (
	textRates        = "Requests over time"
	textTime         = "Time (UTC)"
	textRequests     = "Requests"
	textSaved        = "Requests, compared with a crawl that follows all links"
	textWho          = "Crawl"
	textThisCrawl    = "this one"
	textBlindCrawl   = "without the knowledge base, at least"
	textPagesOf      = "Pages by type and level"
	textLevel        = "Level"
	textPages        = "Pages"
	textObjects      = "Objects"
	textClass        = "Class"
	textSteps        = "Time by step of a visit, all workers together"
	textStep         = "Step"
	textTrend        = "Dates of the results"
	textWritten      = "Written"
	textMilliseconds = "ms"
)

// waitTexts say why a host waits.
var waitTexts = map[frontier.Wait]string{
	frontier.WaitNone: "next", frontier.WaitAsked: "request in flight", frontier.WaitPolite: "politeness",
	frontier.WaitBackoff: "retries after a failure", frontier.WaitRefused: "refuses requests, on hold",
	frontier.WaitShared:  "waits for another crawl",
	frontier.WaitAddress: "waits for another host of its address",
	frontier.WaitDomain:  "waits for another host of its domain", frontier.WaitPaused: "paused",
}

// faultTexts say what kinds of errors are.
var faultTexts = map[string]string{
	string(fetch.KindBlocked): "forbidden address", string(fetch.KindPrivate): "a private address",
	string(fetch.KindDNS): "unknown host, or its name server does not respond", string(fetch.KindRefused): "connection refused",
	string(fetch.KindUnreachable): "host unreachable", string(fetch.KindTimeout): "timeout",
	string(fetch.KindSlow): "response slower than --speed-limit",
	string(fetch.KindTLS):  "TLS error", string(fetch.KindReset): "connection closed by the server",
	string(fetch.KindProtocol): "the response is not HTTP", string(fetch.KindProxy): "proxy error",
	"robots_unreachable": "robots.txt unreachable, so the host was not crawled",
	"redirect_loop":      "redirect loop", "page_cut": "page read in part: work limit used up",
	"same_id": "several objects with one id", "reread": "not read again from the archive",
}

// States of crawls.
const (
	stateRunning = "running"
	statePaused  = "paused"
	stateStopped = "stopped" // without a verdict yet; otherwise the state is the verdict's

	stateScheduled = "scheduled" // it has not begun
)

// States of what was learned.
const (
	stateLearned  = "learned"
	stateAccepted = "accepted"
	stateRejected = "rejected"
)

// causeText says what a cause means, and what can be done.
type causeText struct{ Title, Help string }

// causeTexts are those of the causes for which something could not be mended.
var causeTexts = map[adapt.Cause]causeText{
	adapt.NoCandidate: {"Nothing looks like it",
		"The page has no similar value. If the page shows the value, point at it; otherwise this is fine."},
	adapt.NotSure: {"Not sure enough",
		"The best candidate is probably wrong, and a missing value is better than a wrong one. Point at the right value."},
	adapt.Disagree: {"Candidates disagree",
		"Two expressions with different values are about equally likely. Point at the right value."},
	adapt.NoLevelFits: {"No level fits",
		"The software is known, but no level (or more than one) fits the page. Write a pattern for its level."},
	adapt.NotBetter: {"It would make the page worse",
		"The candidate would lose other values of the page, or gain none."},
	adapt.Refused: {"Rejected",
		"A person rejected this expression, or it failed on more pages. Accept it above, or write another."},
	adapt.MayLack: {"The page may lack it",
		"The value is optional, and this page has nothing similar. Usually this is fine."},
	adapt.TooMuch: {"Too much work",
		"The page is so large that the work limit was used up before a result."},
	adapt.FewPages: {"Too few pages",
		"Too few pages could confirm the candidate. Write it into the knowledge base if it is right."},
	adapt.Contradicted: {"Other pages contradict",
		"The candidate fails, or gives another value, on other pages of the level."},
	adapt.LeadsElsewhere: {"It leads elsewhere",
		"The candidate links lead to pages of another level than the action names."},
}

// newFileText is what a new file of the knowledge base begins with.
const newFileText = `<?xml version="1.0" encoding="UTF-8"?>
<kb xmlns="` + kb.Namespace + `">
  <category id="forum">
    <type id="mine" name="Mine">
      <detect><pattern>div[@id='mine']</pattern></detect>
    </type>
  </category>
</kb>
`
