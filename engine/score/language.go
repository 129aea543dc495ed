package score

import (
	"strings"

	"github.com/abadojack/whatlanggo"
)

// plainly is the confidence from which the detected language takes precedence over the declared
// one. It is arbitrary. Related languages, such as Danish and Norwegian, stay below.
const plainly = 0.8

// Language returns the language of a page by BCP 47: the declared one, unless the text is plainly
// in another, as in a template that came with lang="en". It is "" if neither is known.
func Language(stated, text string) string {
	if len(text) < detectMin {
		return stated
	}
	info := whatlanggo.Detect(clip(text, maxLanguage))
	found := whatlanggo.LangToStringShort(info.Lang)
	base, _, _ := strings.Cut(strings.ToLower(stated), "-")
	switch {
	case found == "" || found == base:
		return stated
	case info.Confidence >= plainly, stated == "" && info.Confidence >= unstated:
		return found
	}
	return stated
}

const (
	unstated    = 0.5      // the same where a page declares none; arbitrary
	maxLanguage = 16 << 10 // bytes of a text by which its language is detected
)
