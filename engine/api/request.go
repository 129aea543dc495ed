package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/awarc/awarc/kb"
)

// Args are the arguments of a request, by name.
type Args map[string]string

// fill puts the values of arguments in; ok is false where one has none.
func fill(parts []kb.Part, args Args, escape func(string) string) (text string, ok bool) {
	var b strings.Builder
	for _, p := range parts {
		if p.Arg == "" {
			b.WriteString(p.Text)
			continue
		}
		v := args[p.Arg]
		if v == "" {
			return "", false
		}
		b.WriteString(escape(v))
	}
	return b.String(), true
}

// Address returns the URL of the first page of an operation with arguments; nil if it needs other arguments. base is the
// address of the service.
func Address(base *url.URL, o *kb.Operation, args Args) *url.URL {
	path, ok := fill(o.Path, args, escapePath)
	if !ok {
		return nil
	}
	u := base
	if path != "" {
		at, err := base.Parse(path)
		if err != nil {
			return nil
		}
		u = at
	}
	out := *u
	query := out.RawQuery
	for _, p := range o.Params {
		v, ok := fill(p.Value, args, func(s string) string { return s })
		if ok {
			query = setParam(query, p.Name, v)
		} else if p.Required {
			return nil
		}
	}
	out.RawQuery = query
	return &out
}

// escapePath escapes a value in a path; one with slashes, such as OWNER/NAME, is several segments.
func escapePath(s string) string {
	segments := strings.Split(s, "/")
	for i := range segments {
		if segments[i] = url.PathEscape(segments[i]); segments[i] == "." || segments[i] == ".." {
			segments[i] = strings.ReplaceAll(segments[i], ".", "%2E") + "_" // no way up
		}
	}
	return strings.Join(segments, "/")
}

// setParam replaces a parameter of a query, or appends it: the others keep their order, so that one request has one address.
func setParam(query, name, value string) string {
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		key, _, _ := strings.Cut(pair, "=")
		return pair == "" || unescape(key) == name
	})
	if value != "" {
		pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(value))
	}
	return strings.Join(pairs, "&")
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// number reads the parameter that counts pages or items.
func number(u *url.URL, name string, otherwise int) int {
	n, err := strconv.Atoi(u.Query().Get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// FirstPage is the address of a list without the cursors of its paging.
func FirstPage(p *kb.NextPage, address string) string {
	u, err := url.Parse(address)
	if err != nil || p == nil {
		return address
	}
	for _, c := range p.Cursors {
		u.RawQuery = setParam(u.RawQuery, c.Param, "")
	}
	return u.String()
}
