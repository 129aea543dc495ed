package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/awarc/awarc/engine/quads"
)

// mailbox writes mail.
type mailbox struct {
	w       io.Writer
	message bytes.Buffer
}

// Write writes a message.
func (m *mailbox) Write(row *quads.Row) error {
	b := &m.message
	b.Reset()
	date, zone := dateOf(row.Created)
	received := date
	if received.IsZero() {
		received, _ = dateOf(row.Captured)
	}
	if received.IsZero() {
		received = time.Unix(0, 0)
	}
	fmt.Fprintf(b, "From MAILER-DAEMON %s\n", received.UTC().Format(time.ANSIC))
	header := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "%s: %s\n", name, value)
		}
	}
	header("From", sender(row))
	if !date.IsZero() {
		header("Date", date.Format("Mon, 02 Jan 2006 15:04:05 ")+zone)
	}
	title := cmp.Or(row.Title, row.Thread)
	header("Subject", words(title, len("Subject: ")))
	header("Message-ID", messageID(row.ID))
	above := slices.Clone(row.Ancestors)
	if n := len(above); n > 0 {
		header("In-Reply-To", messageID(above[n-1]))
		for i := range above {
			above[i] = messageID(above[i])
		}
		header("References", strings.Join(above, "\n "))
	}
	if u := addressOf(row); u != "" {
		header("Archived-At", "<"+u+">")
	}
	header("List-ID", listID(row))
	header("X-WARC-Record-ID", "<"+ascii(row.Record)+">")
	b.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n")
	if err := body(b, row.Content); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := m.w.Write(b.Bytes())
	return err
}

func (m *mailbox) Close() error { return nil }

// body writes a text. What mbox would take for the beginning of a message, or for its mark of one, is encoded.
func body(b *bytes.Buffer, text string) error {
	var encoded bytes.Buffer
	q := quotedprintable.NewWriter(&encoded)
	_, err := q.Write([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	if err = cmp.Or(err, q.Close()); err != nil {
		return err
	}
	for line := range strings.Lines(strings.ReplaceAll(encoded.String(), "\r\n", "\n")) {
		if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
			line = fmt.Sprintf("=%02X%s", line[0], line[1:])
		}
		b.WriteString(line)
	}
	if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	return nil
}

// dateOf reads a date; the zone of one without a zone is -0000 (RFC 5322: nothing is said of it).
func dateOf(text string) (t time.Time, zone string) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, t.Format("-0700")
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, "-0000"
		}
	}
	return time.Time{}, ""
}

// sender names who wrote it, at an address that reaches nobody (RFC 2606).
func sender(row *quads.Row) string {
	name := strings.Join(row.Creator, ", ")
	sum := sha256.Sum256([]byte(strings.Join(row.CreatorURL, " ") + "\n" + name))
	address := "<" + hex.EncodeToString(sum[:6]) + "@" + host(row.ID) + ".invalid>"
	if name == "" {
		return address
	}
	if phrase := words(name, 0); strings.HasPrefix(phrase, "=?") {
		return phrase + "\n " + address
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line(name)) + `" ` + address
}

// messageID is made of an object's name, and always the same.
func messageID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "<" + hex.EncodeToString(sum[:12]) + "@" + host(id) + ">"
}

// host is that of an address, or "awarc.invalid".
func host(id string) string {
	if u, err := url.Parse(id); err == nil {
		name := strings.Map(func(r rune) rune {
			if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-') {
				return r
			}
			return -1
		}, u.Hostname())
		if name = strings.Trim(name, ".-"); name != "" {
			return name
		}
	}
	return "awarc.invalid"
}

// listID names the forum (RFC 2919), or else the thread.
func listID(row *quads.Row) string {
	name, id := row.Forum, row.ForumURL
	if id == "" {
		name, id = row.Thread, row.ThreadURL
	}
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	list := "<" + hex.EncodeToString(sum[:6]) + "." + host(id) + ">"
	if name == "" {
		return list
	}
	return words(name, len("List-ID: ")) + "\n " + list
}

// addressOf is where the text is on the web.
func addressOf(row *quads.Row) string {
	for _, u := range []string{row.ID, row.Page} {
		if strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://") {
			return ascii(u)
		}
	}
	return ""
}

// ascii is an address without what may not stand in a header.
func ascii(address string) string {
	var b strings.Builder
	for _, c := range []byte(address) {
		if c <= ' ' || c >= 0x7f || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// line is the beginning of a text, in one line without controls.
func line(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > longestHeader {
		text = string(runes[:longestHeader-1]) + "…"
	}
	return text
}

// longestHeader is how many characters a header has at most; a line of mail has at most 998 bytes.
const longestHeader = 300

// words writes a text as a header has it: as it is where it is short and plain, else as encoded words (RFC 2047).
func words(text string, before int) string {
	text = line(text)
	if !strings.Contains(text, "=?") && before+len(text) <= 78 && !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x7f }) {
		return text
	}
	var all []string
	for text != "" {
		end := 0
		for end < len(text) {
			_, size := utf8.DecodeRuneInString(text[end:])
			if end+size > 39 { // 64 characters, encoded
				break
			}
			end += size
		}
		all = append(all, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(all, "\n ")
}
