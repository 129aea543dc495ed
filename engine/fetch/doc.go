// Package fetch makes one HTTP exchange and keeps its exact bytes.
//
// An archive is only as good as what it stores of the conversation with the
// server, so this package speaks HTTP/1.1 itself, over a plain or a TLS
// connection, and records every byte of the answer as it arrives. Nothing is
// decoded on the way to the record: chunked framing and Content-Encoding stay.
// Decoding happens afterwards, on request, from the recorded bytes.
//
// # The tour
//
// A [Client] is made once with [New] from flat [Options] and used by all
// workers. [Client.Do] performs one exchange: look up the host, wait for the
// turn of its IP address, connect (or take the idle connection), send a GET,
// read one answer, stop. It follows no redirect ([Exchange.Redirect] returns
// its target), and retries only when a kept-alive connection turned out
// to be dead, where the server wants a password that it has, and where the server
// speaks HTTP/2 only; see below.
//
// The result is an [Exchange]: the request as an origin server gets it, the
// response as it came, times, address, digests. [Exchange.Body] undoes the
// framing and the content coding, [Exchange.HTML] also the character encoding,
// [Exchange.MediaType] returns the media type by content. Bodies larger than
// Options.MaxMemory live in an unlinked file; [Exchange.Close] gives it back.
//
// [Robots] is a parsed robots.txt with the rules of RFC 9309: what to do with
// each status ([RobotsPolicy]), who may fetch what ([Robots.Allowed]), how long
// to wait ([Robots.CrawlDelay]), when to ask again ([Robots.Expired]).
// [RetryAfter] reads the header of that name.
//
// # Terminology
//
//   - exchange: one request and the final answer to it. Interim answers (1xx)
//     are read and left out.
//   - wire bytes: what crossed the connection, inside TLS where there is TLS.
//   - block: the wire bytes of the answer, header and body. Its hash is the
//     block digest.
//   - entity: the body with chunked framing removed and nothing else. Its hash is the
//     payload digest, so a page sent in other chunks has the same one.
//   - truncated: the block holds less than the server meant to send; the word
//     says why (length, time, disconnect), as WARC-Truncated does.
//   - gate: the rule that one Client has at most one exchange at a time with
//     one IP address, for all its host names.
//   - spool: where the bytes of an exchange wait for the archive.
//
// # Hostile servers
//
// Everything is bounded: the header (256 KiB), the body (Options.MaxBody), the
// wait for the next byte (Options.HeaderTimeout), the whole exchange
// (Options.Timeout), the number of interim answers, the cookies of a site, and
// the output of decoding (the max of [Exchange.Body]), so that an endless body,
// an endless header, a slow drip and a compressed bomb each end as an Exchange
// that is marked truncated or as an [Error] whose Kind says what happened.
//
// # Addresses
//
// [Options].Guard refuses addresses that are not public, checked as they are dialled:
// what a name, a link or a redirect says does not matter. See [NewGuard].
//
// # HTTP/2
//
// HTTP/2 has no bytes that a WARC could hold, so it is not offered. A server that
// refuses HTTP/1.1 (no common protocol in ALPN, a connection that ends without an
// answer after none was chosen, status 426, 464 or 505) is asked by HTTP/2, and request and response are
// recorded in the form of HTTP/1.1 with Exchange.Protocol "h2".
//
// # Broken certificates
//
// A certificate that does not verify is accepted by default, as Heritrix does:
// the pages of neglected sites need an archive most, and a
// crawler has no secret to lose. The defect is in Exchange.CertificateError
// so that it can be archived with the page. Options.VerifyTLS refuses instead, as
// wget does.
//
// # Proxies
//
// Through a proxy the recorded request is the one that the origin server would get
// (origin form), without the absolute URL and the Proxy-Authorization header that a plain HTTP
// proxy is sent; credentials of a proxy do not belong in an archive. The address of the
// origin is then unknown: Exchange.IP is empty and the gate works by host name.
package fetch
