package hostile

import "sync"

// Fate is what a crawler must have made of a misdeed.
type Fate string

// The fates.
const (
	Whole Fate = "whole" // archived as the server meant it
	Part  Fate = "part"  // archived as far as it came, and marked: Misdeed.Kind says why
	Kept  Fate = "kept"  // archived, whole or marked: both can be defended
	Fails Fate = "fails" // given up, with an error of Misdeed.Kind
	Never Fate = "never" // not asked for
	Free  Fate = "free"  // the crawl's choice, within the bounds of the misdeed
)

// A Misdeed is one address that does one thing wrong, and what must happen.
type Misdeed struct {
	Name string
	Does string // what it does wrong
	Host string // the host that it has, alone or with others of that name; "" is the main host
	Want Fate
	// Kind is the reason that a part is marked with (length, time, disconnect) or the kind of the
	// failure, "" for any.
	Kind string
	// Status is that of the last answer; 0 for any.
	Status int
	// Most is the number of requests that it may cost where each address is tried twice and a
	// host may refuse for ten seconds, its
	// own and those below it; for a robots.txt also those for that.
	Most int
	// Leads says that the good page behind it must be found.
	Leads bool
	// MayCut allows the page to be read in part, if the crawl says so: then the good page
	// behind it may be missed.
	MayCut bool
	// Shut says that no good page of its host has to be found; where the misdeed is never to be
	// asked for, neither is anything else there but robots.txt. Kind is then that of the host's failure.
	Shut bool
	// Stalls says that its server stops, or almost: only the crawler's patience ends an exchange.
	Stalls bool
	// Charset is the encoding that the page must be read in, "" for any.
	Charset string
	// Certificate is what must be noted of the server's certificate.
	Certificate string

	answer func(*visit)
	robots func(*visit) // answers robots.txt of its host; nil for a harmless one
	secure *secure      // nil: no TLS
	linked []string     // addresses on the main page of its host instead of its own
}

// tries is how often an address is asked for where a server fails in a way that may pass: with
// --max-tries 2, and once more at the end of the crawl.
const tries = 3

// refusals bounds the requests to a host that refuses for ten seconds, robots.txt included.
const refusals = 9

// Misdeeds is the whole table.
func Misdeeds() []Misdeed {
	var all []Misdeed
	for _, chapter := range chapters() {
		all = append(all, chapter.misdeeds...)
	}
	return all
}

// chapter is a part of the table: a page of the main host links to its misdeeds.
type chapter struct {
	name     string
	misdeeds []Misdeed
}

var chapters = sync.OnceValue(func() []chapter {
	return []chapter{
		{"framing", framing()}, {"smuggling", smuggling()}, {"statuses", statuses()}, {"later", later()}, {"headers", headers()}, {"types",
			types()},
		{"codings", codings()}, {"bombs", bombs()}, {"charsets", charsets()}, {"markup", markup()}, {"giants", giants()},
		{"links", links()},
		{"redirects", redirects()}, {"refreshes", refreshes()}, {"cookies", cookies()}, {"stalls", stalls()}, {"resets", resets()},
		{"endless", endless()}, {"robots", robots()}, {"tls", tlsMisdeeds()},
	}
})

// found is a misdeed of which the page is archived whole, by one request, and its link found.
func found(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Whole, Most: 1, Leads: true, answer: answer}
}

// inert is a misdeed of which the page is archived whole, by one request, and leads nowhere.
func inert(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Whole, Most: 1, answer: answer}
}

// kept is a misdeed that is archived by one request, and it is the crawler's choice what it makes of it.
func kept(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Kept, Most: 1, answer: answer}
}

// nonsense is a misdeed that is no HTTP.
func nonsense(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Fails, Kind: "protocol", Most: 1, answer: answer}
}

// broken is a misdeed that breaks off within the body, each time.
func broken(name, does string, leads bool, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Part, Kind: "disconnect", Most: tries, Leads: leads, answer: answer}
}
