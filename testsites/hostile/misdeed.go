package hostile

import "sync"

// Fate is the expected result of a misdeed in a crawl.
type Fate string

// The fates.
const (
	Whole Fate = "whole" // archived completely, as the server meant it
	Part  Fate = "part"  // archived in part, and marked with the reason Misdeed.Kind
	Kept  Fate = "kept"  // archived, completely or marked: both are defensible
	Fails Fate = "fails" // failed, with an error of Misdeed.Kind
	Never Fate = "never" // not requested
	Free  Fate = "free"  // free choice of the crawler, within Misdeed.Most requests
)

// A Misdeed is one address that violates one rule, with the expected result.
type Misdeed struct {
	Name string
	Does string // its violation
	Host string // its host, alone or with other misdeeds of that host; "" is the main host
	Want Fate
	// Kind is the reason of a partial capture (length, time, disconnect) or the kind of the
	// failure; "": any.
	Kind string
	// Status is the status of the last answer; 0: any.
	Status int
	// Most bounds the requests for its address and the addresses below it, if the crawler tries
	// each address twice and a host may refuse for ten seconds. A misdeed of robots.txt includes
	// the requests for robots.txt.
	Most int
	// Leads requires that the crawler finds the good page behind it.
	Leads bool
	// MayCut permits the crawler to read the page in part, if it reports that. It may then miss the
	// good page behind it.
	MayCut bool
	// Shut lifts the duty to find good pages of its host. If the misdeed must not be requested,
	// only robots.txt of the host may be. Kind is then the kind of the host's failure.
	Shut bool
	// Stalls marks a server that stops, or almost stops: only a timeout of the crawler ends an
	// exchange.
	Stalls bool
	// Charset is the encoding with which the page must be read; "": any.
	Charset string
	// Certificate is the required note about the server's certificate.
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

// Misdeeds returns the table of all misdeeds.
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

// kept is a misdeed that is archived by one request, and it is the crawler's choice what it makes
// of it.
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
