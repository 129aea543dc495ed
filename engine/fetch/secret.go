package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Secret is what a service knows a caller by. It is sent and not recorded: [Exchange.Request] and the address of the exchange are those
// without it.
type Secret struct {
	Header string // the field that has it, such as Authorization, or
	Param  string // the parameter of the query
	Value  string
}

// place names where the secret is, for [Exchange.Authorization].
func (s Secret) place() string {
	switch scheme, _, ok := strings.Cut(s.Value, " "); {
	case s.Param != "":
		return "parameter " + s.Param
	case ok && strings.EqualFold(s.Header, "Authorization"):
		return scheme
	}
	return "field " + s.Header
}

type secretKey struct{}

// WithSecret lets Do send a secret with a request.
func WithSecret(ctx context.Context, s Secret) context.Context {
	return context.WithValue(ctx, secretKey{}, s)
}

// secretOf is the secret to be sent; ok is false for none. The error does not repeat it.
func secretOf(ctx context.Context) (s Secret, ok bool, err error) {
	if s, ok = ctx.Value(secretKey{}).(Secret); !ok {
		return s, false, nil
	}
	if s.Value == "" || s.Param == "" && (!httpguts.ValidHeaderFieldName(s.Header) || !httpguts.ValidHeaderFieldValue(s.Value)) {
		return s, false, fmt.Errorf("the secret for the %s is empty or has forbidden characters", s.place())
	}
	return s, true, nil
}

// target is the target of a request with the secret, if that belongs there.
func (s Secret) target(target string) string {
	if s.Param == "" {
		return target
	}
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	return target + separator + url.QueryEscape(s.Param) + "=" + url.QueryEscape(s.Value)
}

// into is the head of a request with the secret.
func (s Secret) into(head []byte) []byte {
	if s.Param == "" {
		return append(bytes.Clone(head[:len(head)-2]), s.Header+": "+s.Value+"\r\n\r\n"...)
	}
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	words := strings.Split(string(line), " ") // method, target, version
	words[1] = s.target(words[1])
	return append([]byte(strings.Join(words, " ")+"\r\n"), rest...)
}
