// Package hostile is a web site that violates the rules of the web: each misdeed has its own
// address. Good pages are between the misdeeds and behind many of them.
//
// [Start] serves it on loopback. The site has a main host. A misdeed that would spoil a whole host
// (robots.txt, TLS, servers that stop answering) has a host of its own, on another address of
// 127.0.0.0/8 if the system has them. The site writes HTTP by hand, since a library would refuse to
// send most of its answers.
//
// [Site.Misdeeds] is the table of misdeeds. For each of them it states:
//
//   - the expected result of a crawler ([Fate])
//   - the permitted number of requests
//   - whether the crawler must find the good page behind it, because a browser would show the link
//
// [Site.Good] lists the good pages; a crawler must archive each of them exactly once. [Site.Strays]
// lists wrong requests of a crawler that a misdeed misled: to hosts without a seed, or with cookies
// of another host.
//
// # Terminology
//
//   - misdeed: an address /x/NAME that misbehaves, and all addresses that it makes up below it.
//   - good page: an address /good/NAME with some sentences of its own.
//   - behind: the good page /good/behind-NAME is linked from the misdeed NAME and from no other
//     page.
//   - snare: a host without a seed. No request may reach it.
//   - fault: a random misdeed of a good page; the next request gets the page ([Options.Faults]).
package hostile
