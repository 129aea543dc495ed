// Package hostile is a web site that does everything wrong, one address a misdeed, with good pages
// between the misdeeds and behind many of them.
//
// [Start] serves it on loopback: a main host and, for what would spoil a whole host (robots.txt, TLS, servers that
// stop answering), a host of its own for each misdeed, on another address of 127.0.0.0/8 where the system has them.
// It speaks HTTP by hand, since what it sends is mostly no HTTP that a library would send.
//
// [Site.Misdeeds] is the table: for each misdeed what a crawler must have made of it ([Fate]), the number of requests
// that it may cost, and whether the good page behind it must be found, because a browser would show the link.
// [Site.Good] lists the good pages, each of which must be archived exactly once. [Site.Strays] lists what a crawler that
// fell for a misdeed asked for: hosts that nobody named as a seed, cookies that were not theirs.
//
// # Terminology
//
//   - misdeed: an address /x/NAME that misbehaves, and whatever it makes up below that.
//   - good page: an address /good/NAME with some sentences of its own.
//   - behind: the good page /good/behind-NAME is linked from the misdeed NAME and nowhere else.
//   - snare: a host that no seed names. Nothing may reach it.
//   - fault: a misdeed of good pages, drawn by chance and mended when the page is asked for again ([Options.Faults]).
package hostile
