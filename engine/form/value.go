package form

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/bidi"
)

// number is a valid floating-point number of the HTML standard.
var number = regexp.MustCompile(`^-?(\d+|\d*\.\d+)([eE][-+]?\d+)?$`)

// dates have the forms of values of inputs for dates and times. Days that no month has are left to the server.
var dates = map[string]*regexp.Regexp{
	"date":           regexp.MustCompile(`^\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`),
	"month":          regexp.MustCompile(`^\d{4,}-(0[1-9]|1[0-2])$`),
	"week":           regexp.MustCompile(`^\d{4,}-W(0[1-9]|[1-4]\d|5[0-3])$`),
	"time":           regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$`),
	"datetime-local": regexp.MustCompile(`^\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$`),
}

var color = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

var lineBreaks = strings.NewReplacer("\r", "", "\n", "")

const asciiSpace = " \t\n\f\r"

// sanitized is a value as an input element keeps it: the "value sanitization algorithm" of its type.
func sanitized(c *Control, value string) string {
	switch c.Kind {
	case "text", "search", "tel", "password":
		return lineBreaks.Replace(value)
	case "url":
		return strings.Trim(lineBreaks.Replace(value), asciiSpace)
	case "email":
		return email(lineBreaks.Replace(value), has(c.node, "multiple"))
	case "number":
		if !number.MatchString(value) {
			return ""
		}
	case "range":
		return slider(c.node, value)
	case "date", "month", "week", "time":
		if !dates[c.Kind].MatchString(value) {
			return ""
		}
	case "datetime-local":
		if value = strings.Replace(value, " ", "T", 1); !dates[c.Kind].MatchString(value) {
			return ""
		}
	case "color":
		if !color.MatchString(value) {
			return "#000000"
		}
		return strings.ToLower(value)
	case "file":
		return "" // scripts and markup choose no files
	}
	return value
}

func email(value string, several bool) string {
	if !several {
		return strings.Trim(value, asciiSpace)
	}
	addresses := strings.Split(value, ",")
	for i := range addresses {
		addresses[i] = strings.Trim(addresses[i], asciiSpace)
	}
	return strings.Join(addresses, ",")
}

// slider is the value of a range: a number between its bounds on one of its steps, the middle where none is given.
func slider(n *html.Node, value string) string {
	bound := func(name string, otherwise float64) float64 {
		if f, ok := parseNumber(attribute(n, name)); ok {
			return f
		}
		return otherwise
	}
	low := bound("min", 0)
	high := bound("max", 100)
	v, ok := parseNumber(value)
	if !ok {
		v = low + max(0, high-low)/2
	}
	v = max(low, min(v, high))
	if step := bound("step", 1); keyword(n, "step") != "any" && step > 0 {
		base := bound("min", bound("value", 0))
		up := base + math.Floor((v-base)/step+0.5)*step
		if up > high && high >= low {
			up -= step
		}
		if up >= low {
			v = up
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func parseNumber(s string) (float64, bool) {
	if !number.MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// displaySize is how many options a select element shows at once.
func displaySize(n *html.Node) int {
	if size, err := strconv.Atoi(strings.Trim(attribute(n, "size"), asciiSpace)); err == nil && size > 0 {
		return size
	}
	if has(n, "multiple") {
		return 4
	}
	return 1
}

// direction is the directionality of a control, "ltr" or "rtl".
func (c *Control) direction() string {
	for n := c.node; n != nil; n = n.Parent {
		switch dir := keyword(n, "dir"); {
		case dir == "ltr" || dir == "rtl":
			return dir
		case dir == "auto" && n == c.node:
			return textDirection(c.value)
		case dir == "auto":
			return textDirection(text(n))
		}
		if n == c.node && c.Kind == "tel" {
			return "ltr"
		}
	}
	return "ltr"
}

// textDirection is the direction of the first character that has one.
func textDirection(s string) string {
	for _, r := range s {
		switch p, _ := bidi.LookupRune(r); p.Class() {
		case bidi.L:
			return "ltr"
		case bidi.R, bidi.AL:
			return "rtl"
		}
	}
	return "ltr"
}
