package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/awarc/awarc/kb"
)

type kbURLsCmd struct {
	Format string   `enum:"text,json" default:"text" help:"Output format."`
	KB     []string `name:"kb" placeholder:"DIR-or-FILE" help:"XML of the type; all arguments are then URLs (repeatable)."`
	Arg    []string `arg:"" name:"FILE-or-URL" help:"XML file of the type, unless --kb names it, and URLs of its pages."`
}

// addressJSON is what the rules of a type make of an address.
type addressJSON struct {
	Address string     `json:"address"`
	Type    kb.TypeID  `json:"type"`
	Fetched string     `json:"fetched"`
	Key     string     `json:"key"`
	Object  string     `json:"object"` // the key of its first page
	Page    int        `json:"page,omitempty"`
	Level   kb.LevelID `json:"level,omitempty"`
	Part    bool       `json:"part,omitempty"`
	Same    string     `json:"same,omitempty"` // an address before it that is the same page
}

// Run shows which addresses are one page to the rules of a file, and of which level.
func (c *kbURLsCmd) Run(s streams) error {
	paths, addresses := c.KB, c.Arg
	if len(paths) == 0 {
		paths, addresses = c.Arg[:1], c.Arg[1:]
	}
	if len(addresses) == 0 {
		return usageError("no URL; expected URLs after %s", strings.Join(paths, ", "))
	}
	files, base, err := loadPaths(paths, false)
	if err != nil {
		return err
	}
	found := false
	for _, t := range base.Types {
		if !slices.Contains(files, t.Pos.File) {
			continue
		}
		found = true
		if err := showAddresses(s, t, addresses, c.Format); err != nil {
			return err
		}
	}
	if !found {
		return usageError("%s has no type", strings.Join(paths, ", "))
	}
	return nil
}

// showAddresses prints what the rules of a type make of addresses.
func showAddresses(s streams, t *kb.Type, addresses []string, format string) error {
	seen := map[string]string{}
	for _, address := range addresses {
		u, err := (&url.URL{Scheme: "http", Host: "host", Path: "/"}).Parse(address)
		if err != nil {
			return usageError("%q: %v", address, err)
		}
		r := &t.URLs
		x := addressJSON{Address: address, Type: t.ID, Fetched: r.Fetchable(u).String(), Key: r.Key(u), Object: r.ObjectKey(u),
			Page: r.Part(u)}
		if level := r.Level(u); level != nil {
			x.Level, x.Part = level.Level, level.Part
		}
		x.Same, seen[x.Key] = seen[x.Key], cmp.Or(seen[x.Key], address)
		if err := x.print(s, format); err != nil {
			return err
		}
	}
	return nil
}

func (x *addressJSON) print(s streams, format string) error {
	if format == "json" {
		return writeJSON(s.out, x)
	}
	level := cmp.Or(string(x.Level), "unknown from the URL")
	if x.Part {
		level += ", an object on a page"
	}
	fmt.Fprintf(s.out, "%s\n  key    %s\n  level  %s\n", x.Address, x.Key, level)
	if x.Fetched != x.Key {
		fmt.Fprintf(s.out, "  request %s\n", x.Fetched)
	}
	if x.Object != x.Key {
		fmt.Fprintf(s.out, "  of     %s, page %d\n", x.Object, x.Page)
	}
	if x.Same != "" {
		fmt.Fprintf(s.out, "  same page as %s\n", x.Same)
	}
	return nil
}
