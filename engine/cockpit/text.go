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
	textNoCrawl       = "There is no such crawl."
	textStaleForm     = "The page with this form is too old, or cookies are off. Go back, load the page again and repeat it."
	textBeginsNone    = "This cockpit shows one crawl and begins no others."
	textNoSeeds       = "Name at least one seed."
	textPointed       = "Proposals for what was clicked"
	textBack          = "Back to the crawl"
	textNoTime        = "%q is no time; expected one such as 2026-11-30T03:00"
	textPast          = "that time is past; leave it empty to begin at once"
	textNotOpen       = "the crawl is not running here"
	textNotArchived   = "this is not in the archive"
	textIndexing      = "The index of the results is being made: %d statements so far. This page loads itself again."
	textNoObject      = "the results have no such object"
	textNoFormat      = "There is no such format."
	textNoAPI         = "it was started without --api"
	textNoAnswer      = "no answer in time from %s"
	textOtherToken    = "it has another --api-token than this node, or none"
	textOtherNode     = "another node answers at %s: its --api cannot be reached from here"
	textCopying       = "it is still being copied"
	textNoSpace       = "the disk here has too little space for a copy: %s are free"
	textElsewhere     = "the node that archived this does not run, or serves no API"
	textNotRunning    = "Other nodes have more, and the crawl does not run here: awarc report, query and so on read all folders."
	textNotAll        = "Not all is shown that %s has: %v."
	textNoPage        = "There is no such page."
	textNoType        = "The knowledge base has no such type."
	textNoFile        = "The knowledge base has no such file, and none can be begun under that name; expected one such as mine.xml."
	textNoValue       = "the page does not show that value"
	textGone          = "This page is kept no more. Load the page around it again."
	textWrongSecret   = "That is not the token."
	textNoPluginFile  = "choose a file, such as birds.wasm"
	textPluginName    = "expected the name of a plugin, of letters, digits, -, _ and dots, such as birds.wasm"
	textPluginLarge   = "the file has more than %d MiB"
	textPluginThere   = "there is a file of that name; say that it is to be replaced, or name yours otherwise"
	textPluginFails   = "it does not pass the checks of awarc plugin test, and was not kept"
	textLoadsOne      = "another plugin is being checked; try again in a minute"
	textGivesNone     = "this crawl cannot be given plugins here"
	textNoPlugin      = "the crawl has no such plugin, and there is none in the folder plugins"
	textBlacklistURL  = "never fetch it"
	textBlacklistHost = "never fetch from its host, if it may say so"
	textNoOpinion     = "no opinion"
	textManyGuesses   = "Too many wrong tokens at once. Wait a little."
)

// Captions of charts and tables.
const (
	textRates        = "Requests over time"
	textTime         = "Time (UTC)"
	textRequests     = "Requests"
	textSaved        = "Requests, beside those of a crawl that follows all links seen"
	textWho          = "Crawl"
	textThisCrawl    = "this one"
	textBlindCrawl   = "one without the knowledge base, at least"
	textPagesOf      = "Pages by type and level"
	textLevel        = "Level"
	textPages        = "Pages"
	textObjects      = "Objects"
	textClass        = "Class"
	textSteps        = "Time of the steps of visits, all workers together"
	textStep         = "Step"
	textTrend        = "When what is found was written"
	textWritten      = "Written"
	textMilliseconds = "ms"
)

// waitTexts say why a host waits.
var waitTexts = map[frontier.Wait]string{
	frontier.WaitNone: "its turn comes next", frontier.WaitAsked: "is being asked", frontier.WaitPolite: "politeness",
	frontier.WaitBackoff: "puts us off", frontier.WaitRefused: "refuses, and rests", frontier.WaitShared: "another crawl has its turn",
	frontier.WaitAddress: "another host of its address has its turn",
	frontier.WaitDomain:  "another host of its domain has its turn", frontier.WaitPaused: "paused",
}

// faultTexts say what kinds of errors are.
var faultTexts = map[string]string{
	string(fetch.KindBlocked): "refused for its address", string(fetch.KindPrivate): "a private address",
	string(fetch.KindDNS): "no such host, or its name server does not answer", string(fetch.KindRefused): "connection refused",
	string(fetch.KindUnreachable): "host not reached", string(fetch.KindTimeout): "no answer in time",
	string(fetch.KindSlow): "answer slower than the speed limit",
	string(fetch.KindTLS):  "no safe connection (TLS)", string(fetch.KindReset): "connection broken off by the server",
	string(fetch.KindProtocol): "the answer is no HTTP", string(fetch.KindProxy): "the proxy does not serve",
	"robots_unreachable": "robots.txt not to be had, so nothing of the host was asked for",
	"redirect_loop":      "redirected in a circle", "page_cut": "page too large to be read whole",
	"same_id": "objects of a page with one id", "reread": "not read again from the archive",
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
		"Nothing on the page looks like what the action asks for. Where the page shows it, point at it; else nothing is wrong."},
	adapt.NotSure: {"Not sure enough",
		"Something was found that is too likely to be wrong: a missing value is better than a wrong one. Point at the right one."},
	adapt.Disagree: {"Candidates disagree",
		"Two expressions that give different values are about as likely. Point at the right one."},
	adapt.NoLevelFits: {"No level fits",
		"The software is known, and the actions of none of its levels, or of two alike, make sense of it. Write a pattern that tells."},
	adapt.NotBetter: {"It would make the page worse",
		"With what was found, something else on the page would be lost, or nothing won."},
	adapt.Refused: {"Rejected",
		"The expression was found again; a person has rejected it, or it failed on further pages. Accept it above, or write another."},
	adapt.MayLack: {"The page may lack it",
		"A page need not have it, and nothing on this one looks like it. Mostly nothing is wrong."},
	adapt.TooMuch: {"Too much work",
		"The page is so large that nothing was found within the work that a page may take."},
	adapt.FewPages: {"Too few pages",
		"Something was found that too few further pages could confirm. Write it into the knowledge base if it is right."},
	adapt.Contradicted: {"Other pages contradict",
		"Something was found that does not hold, or gives something else, on other pages of the level."},
	adapt.LeadsElsewhere: {"It leads elsewhere",
		"Links were found that led to other pages than those that the action promises."},
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
