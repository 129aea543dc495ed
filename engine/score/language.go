package score

import (
	"strings"

	"github.com/abadojack/whatlanggo"
)

// plainly is the confidence from which on a text is taken to be in the language that it seems to be in,
// whatever its page says. Related languages, such as Danish and Norwegian, stay below.
const plainly = 0.8

// Language is the language of a page, as BCP 47 has it: the one that it states, unless its text is plainly in
// another, as where a template came with lang="en". It is "" where neither says anything.
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
	unstated    = 0.5      // the confidence that counts where a page states nothing
	maxLanguage = 16 << 10 // bytes of a text that its language is told from
)
