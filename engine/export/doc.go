// Package export writes what crawls extracted as files that other programs read: tables (CSV, JSON), a feed (RSS 2.0), and mail
// (mbox).
//
//	w, err := export.New(out, export.CSV, export.Options{})
//	...
//	err = index.Rows(ctx, quads.Search{}, w.Write)
//	err = errors.Join(err, w.Close())
//
// Rows are written as they come, and none is kept.
//
// # Mail
//
// A text is a message of which all threads of mail readers make sense: its Message-ID is made of its address, and what it answers is in
// In-Reply-To and References; what names nothing that it answers is an answer to the first text of its thread. Archived-At (RFC 5064) is
// its address. The body is quoted-printable, and in it "From " at the beginning of a line, too, so that readers of all kinds of mbox give
// it back as it was. Nothing is guessed: a text without a date has no Date.
package export
