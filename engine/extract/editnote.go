package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// editNote gives the last element of a content where it is what boards write below a post
// that was changed: "Last edited by Ada on Dec 5th, 2020 at 04:43". Nil for none.
func editNote(content *html.Node) *html.Node {
	const longest = 200 // bytes
	n := content.LastChild
	for n != nil && (n.Type == html.CommentNode || n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" || n.DataAtom == atom.Br) {
		n = n.PrevSibling
	}
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	text := ""
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text += d.Data
		}
		if len(text) > longest {
			return nil
		}
	}
	if text = fold(text); !changed.MatchString(text) || !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	return n
}

// changed is how boards begin to say that a post was changed, in the languages that they
// mostly speak.
var changed = regexp.MustCompile(`(?i)^[\[(«]?\s*(?:` + strings.Join([]string{
	`(?:this )?(?:(?:post|message) (?:was |has been )?)?last (?:edit(?:ed)?|modified|updated)(?: by\b| on\b|:)`,
	`(?:this )?(?:post|message) (?:was |has been )?(?:edited|modified) by\b`, `edited (?:by\b|\d+ times?\b)`,
	`zuletzt (?:ge[aä]ndert|bearbeitet|editiert|modifiziert)\b`, `(?:dernière (?:modification|édition)|modifié|édité) (?:par|le)\b`,
	`(?:última (?:edición|modificación)|editado|modificado)(?: por\b|:)`,
	`(?:última edição|editado)(?: por\b|:)`, `(?:ultima modifica|modificato)(?: di\b| da\b|:)`,
	`(?:laatst|voor het laatst) (?:bewerkt|gewijzigd|aangepast)\b`,
	`последний раз (?:редактировалось|отредактировано)`, `отредактировано`,
	`ostatnio (?:edytowan|zmienion|zmodyfikowan)`,
	`senast (?:ändrad|redigerad)`, `sist (?:endret|redigert)`,
}, "|") + `)`)
