package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// flat is the script that defines a function which returns a tree as HTML, open shadow trees in
// place of what they hide: their slots have the elements that are shown there. The copy is of a
// document without scripts, so that nothing runs.
const flat = `(root => {
	const plain = [root, ...root.querySelectorAll('*')].every(e => !e.shadowRoot)
	if (plain) return root.outerHTML
	const inert = document.implementation.createHTMLDocument('')
	const copy = node => {
		const made = inert.importNode(node, node.localName == 'template')
		if (node.localName == 'template') return made
		const assigned = node.localName == 'slot' && node.getRootNode() != document ? node.assignedNodes() : []
		const inside = node.shadowRoot ? [...node.shadowRoot.childNodes] : assigned.length ? assigned : [...node.childNodes]
		if (node.shadowRoot && !node.shadowRoot.querySelector('slot')) inside.push(...node.childNodes)
		for (const child of inside) made.append(copy(child))
		return made
	}
	return copy(root).outerHTML
})`

// serialise is the script that returns the document as the scripts of the page left it.
const serialise = `(document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '') + ` + flat + `(document.documentElement)`

// serialiseFrame is the script that returns the content of a document in a frame.
const serialiseFrame = `document.body ? ` + flat + `(document.body) : ''`

// Bounds of what frames add to a document. The values are arbitrary.
const (
	mostFrames   = 50
	mostFrameLen = 8 << 20 // bytes of a frame
)

// frameMark stands in a document where the content of a frame goes.
const frameMark = "awarc-frame-"

// serialised returns the document with the contents of its frames, each in a div behind the element
// of its frame. A page with frames beyond the bounds is counted as refused.
func (r *rendering) serialised(ctx context.Context) (string, error) {
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", err
	}
	contents, beyond := map[string]string{}, false
	var visit func(of []*page.FrameTree) error
	visit = func(of []*page.FrameTree) error {
		for _, f := range of {
			if len(contents) == mostFrames {
				beyond = true
				return nil
			}
			if err := visit(f.ChildFrames); err != nil { // first: it marks their places
				return err
			}
			html, err := frameHTML(ctx, f.Frame.ID)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case len(html) > mostFrameLen:
				beyond = true
			case err != nil || html == "": // it went away, or shows an error
			default:
				contents[string(f.Frame.ID)] = html
			}
		}
		return nil
	}
	if err := visit(tree.FrameTree.ChildFrames); err != nil {
		return "", err
	}
	html, err := chromedp.Run(ctx, chromedp.Evaluate[string](serialise))
	html, whole := withFrames(html, contents)
	if beyond || !whole {
		r.change(func() { r.result.Refused["frame"] = 1 })
	}
	return html, err
}

// bodyTag is the tag around the content of a frame, which is of a div in the page.
var bodyTag = regexp.MustCompile(`(?s)^<(?:body|frameset)(.*)</(?:body|frameset)>$`)

// frameHTML returns the content of a frame, and marks the place of the frame in the document around
// it.
func frameHTML(ctx context.Context, id cdp.FrameID) (string, error) {
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: id})
	if err != nil {
		return "", err
	}
	yes := true
	got, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: serialiseFrame, ContextID: world.ExecutionContextID,
		ReturnByValue: &yes})
	if err != nil || got.ExceptionDetails != nil {
		return "", err
	}
	var html string
	if err := json.Unmarshal([]byte(got.Result.Value), &html); err != nil || !strings.Contains(html, "<") {
		return "", err
	}
	if len(html) > mostFrameLen {
		return html, nil
	}
	owner, err := chromedp.Call(ctx, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: id})
	if err != nil {
		return "", err
	}
	element, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID})
	if err != nil {
		return "", err
	}
	mark := fmt.Sprintf(`function() { const mark = %q
		for (let n = this.nextSibling; n?.nodeType == 8; n = n.nextSibling) if (n.data == mark) return
		this.after(this.ownerDocument.createComment(mark)) }`, frameMark+string(id))
	_, err = chromedp.Call(ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: mark,
		ObjectID: element.Object.ObjectID})
	return bodyTag.ReplaceAllString(html, "<div$1</div>"), err
}

// withFrames puts the contents of frames where their marks are, in these contents too. Scripts can
// copy marks, so each counts once. whole is false if the document would be longer than MostHTML.
func withFrames(html string, contents map[string]string) (_ string, whole bool) {
	mark := regexp.MustCompile(`<!--` + frameMark + `(\w+)-->`)
	left := MostHTML - len(html)
	whole = true
	for range len(contents) { // as often as frames can contain each other
		if !mark.MatchString(html) {
			break
		}
		html = mark.ReplaceAllStringFunc(html, func(m string) string {
			id := mark.FindStringSubmatch(m)[1]
			content, known := contents[id]
			delete(contents, id)
			if !known {
				return ""
			}
			content = "<div data-frame>" + content + "</div>"
			if left -= len(content); left < 0 {
				whole = false
				return ""
			}
			return content
		})
	}
	return html, whole
}
