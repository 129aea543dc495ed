package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// mainFlags are the flags that most crawls need. The help of crawl and resume lists them first; the
// others follow in groups.
var mainFlags = []string{"out", "scope-type", "exclude", "limit", "time-limit", "delay", "contact", "requisites", "kb", "dry-run"}

// valueHelp is the help of a flag or an argument with its default.
func valueHelp(v *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(v)
	if !v.HasDefault || v.Default == "" || v.IsBool() || strings.Contains(text, "default") {
		return text
	}
	if v.Default == v.Enum { // all values
		return strings.TrimSuffix(text, ".") + " (default: all)."
	}
	return strings.TrimSuffix(text, ".") + " (default: " + v.Default + ")."
}

// arrangeHelp lists mainFlags first, and shows the values of flags that take one of a few.
func arrangeHelp(k *kong.Kong) error {
	arrange(k.Model.Node)
	return nil
}

func arrange(node *kong.Node) {
	for _, flag := range node.Flags {
		values := flag.EnumSlice()
		switch {
		case flag.Enum != "":
			flag.PlaceHolder = strings.Join(slices.DeleteFunc(values, func(v string) bool { return v == "" }), "|")
		case flag.PlaceHolder == "" && flag.Target.CanConvert(number) && flag.Target.Kind() != reflect.String:
			flag.PlaceHolder = "N"
		}
	}
	if node.Name == "crawl" || node.Name == "resume" {
		for _, flag := range node.Flags {
			if slices.Contains(mainFlags, flag.Name) {
				flag.Group = nil
			}
		}
		slices.SortStableFunc(node.Flags, func(a, b *kong.Flag) int { return rankOf(a) - rankOf(b) })
	}
	for _, child := range node.Children {
		arrange(child)
	}
}

var number = reflect.TypeFor[float64]()

// rankOf orders mainFlags before all other flags.
func rankOf(flag *kong.Flag) int {
	if i := slices.Index(mainFlags, flag.Name); i >= 0 {
		return i
	}
	return len(mainFlags)
}
