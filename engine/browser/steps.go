package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Step is an action on a page, or several. XPath selects elements; "" is the page. See kb.Step for
// the kinds.
type Step struct {
	Do     string
	XPath  string
	Values []string
	Most   int // rounds, or seconds
	Steps  []Step
}

// Bounds of steps. The values are arbitrary.
const (
	mostSelected = 100 // elements or options of a step
	mostLogged   = 200 // steps in Page.Steps
	mostRemoved  = 20_000
)

// prepareSteps is the script that adds what steps and clicks need to a page:
//
//   - select keeps the elements of an expression, and act acts on one of them,
//   - news reports whether the page has texts with a letter, or addresses, that it had not before,
//   - restore puts removed elements back where they were,
//   - click clicks an element and returns an expression for its kind, and its path.
var prepareSteps = `(() => {
	const at = Symbol.for("steps")
	if (window[at]) return
	const kept = window[at] = {nodes: [], removed: [], seen: new Set(), clicked: new WeakMap(), known: new WeakSet(),
		restored: new WeakSet()}
	kept.select = xpath => {
		const found = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null)
		kept.nodes = []
		for (let i = 0; i < found.snapshotLength; i++)
			if (found.snapshotItem(i).nodeType == 1) kept.nodes.push(found.snapshotItem(i))
		return kept.nodes.length
	}
	const enter = (e, value) => {
		const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), "value")?.set
		if (setter) setter.call(e, value)
		else e.textContent = value
		for (const kind of ["input", "change"]) e.dispatchEvent(new Event(kind, {bubbles: true}))
	}
	kept.act = {
		click: e => e.click(),
		hover: e => {
			e.scrollIntoView({block: "center"})
			const r = e.getBoundingClientRect()
			return [r.x + r.width / 2, r.y + r.height / 2]
		},
		scroll: e => { e.scrollIntoView({block: "end"}); e.scrollTop = e.scrollHeight },
		fill: enter,
		select: (e, value) => {
			const option = [...e.options ?? []].find(o => o.value == value || o.text.trim() == value)
			if (!option) return
			option.selected = true
			for (const kind of ["input", "change"]) e.dispatchEvent(new Event(kind, {bubbles: true}))
		},
		submit: e => {
			const form = e.form ?? e.closest("form")
			if (!form) e.click()
			else form.requestSubmit(e.type == "submit" || e.type == "image" ? e : undefined)
		},
	}
	kept.news = () => {
		let fresh = false
		const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
		while (texts.nextNode()) {
			const text = texts.currentNode.data.trim()
			if (!kept.seen.has(text) && /\p{L}/u.test(text)) { kept.seen.add(text); fresh = true }
		}
		for (const e of document.querySelectorAll('a[href], area[href], img[src], video[src], source[src]')) {
			const to = (e.href ?? e.src).split('#')[0]
			if (!kept.seen.has(to)) { kept.seen.add(to); fresh = true }
		}
		return fresh
	}
	kept.restore = () => {
		const ids = e => [...e.attributes].filter(a => /^(data-.*)?id$/.test(a.name)).map(a => a.name + a.value).join()
		const known = new Map(), key = e => ids(e) || e.textContent + e.querySelectorAll('*').length
		for (const [parent, e] of kept.removed) {
			if (e.isConnected || !parent.isConnected) continue
			if (!known.has(parent)) known.set(parent, new Set([...parent.children].map(key)))
			const all = known.get(parent)
			if (!all.has(key(e))) { all.add(key(e)); kept.restored.add(e); parent.append(e) }
		}
	}
	kept.listeners = e => [e.getAttribute("onclick"), ...(getEventListeners(e).click ?? []).map(l => l.listener)].join()
	const state = new RegExp('^(is-|has-)?(active|open(ed)?|closed?|show(n)?|hid(den|e)|select(ed)?|current|' +
		'collaps(ed|ing)|expanded|hover|focus|disabled|loading)$', 'i')
	const kind = e => {
		const names = [...e.classList].filter(c => /^[a-z][a-z_-]*$/i.test(c) && !state.test(c)).slice(0, 4)
		if (names.length) return e.localName + names.map(c => '[.' + c + ']').join('')
		return /^[a-z][a-z_-]*$/i.test(e.id) ? e.localName + "[@id='" + e.id + "']" : ''
	}
	kept.control = e => {
		const own = kind(e), text = e.textContent.trim()
		if (own) return own
		const path = e.localName + (text.length <= 30 && /^[^\d'"\s]+( [^\d'"\s]+)*$/.test(text) ?
			"[normalize-space(.)='" + text + "']" : '')
		for (let up = e.parentElement; up && up != document.body; up = up.parentElement)
			if (kind(up)) return kind(up) + '//' + path
		return path
	}
	const path = e => e.parentElement ?
		path(e.parentElement) + '/*[' + (1 + [...e.parentElement.children].indexOf(e)) + ']' : '/*'
	kept.click = e => {
		kept.clicked.set(e, kept.listeners(e))
		kept.last = e
		const at = {control: kept.control(e), path: path(e)}
		e.click()
		return at
	}
	kept.isRestored = e => !!e && (kept.restored.has(e) || kept.isRestored(e.parentElement))
	new MutationObserver(list => {
		for (const m of kept.repeating ? list : [])
			for (const e of m.removedNodes)
				if (e.nodeType == 1 && e.textContent.trim() && kept.removed.length < ` + fmt.Sprint(mostRemoved) + `)
					kept.removed.push([m.target, e])
	}).observe(document, {childList: true, subtree: true})
})()`

// acting performs the steps of a page.
type acting struct {
	*rendering
	ctx   context.Context
	over  <-chan time.Time
	quiet time.Duration
	log   []string
	done  []click
	html  string // the document as it is to be returned
	late  bool   // the time of the page is over
	// letters are the letters of html.
	letters int
	worth   func(html string) int
	best    int // that worth returned
}

// take takes steps.
func (a *acting) take(steps []Step) error {
	a.change(func() { a.stepping = true })
	err := a.all(steps)
	if err == nil {
		_, err = call[any](a, `k => { k.restore(); return null }`)
	}
	if err != nil {
		return err
	}
	a.html, err = a.serialised(a.ctx)
	a.change(func() { a.stepping = false })
	return err
}

// call runs a function of the page's steps with arguments.
func call[T any](a *acting, function string, args ...any) (T, error) {
	var none T
	if err := run(a, prepareSteps); err != nil { // the page may be another one since
		return none, err
	}
	data, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return none, err
	}
	return chromedp.Run(a.ctx, chromedp.Evaluate[T](`(k => (`+function+`)(k, ...`+string(data)+`))(window[Symbol.for("steps")])`,
		chromedp.EvalAwaitPromise, chromedp.EvalWithCommandLineAPI))
}

// run runs a script without a result.
func run(a *acting, script string) error {
	_, err := chromedp.Run(a.ctx, chromedp.Evaluate[any](script+"; null"))
	return err
}

func (a *acting) note(s Step, n int) {
	text := s.Do
	if s.XPath != "" {
		text += " " + s.XPath
	}
	if len(a.log) < mostLogged {
		a.log = append(a.log, fmt.Sprintf("%s: %d", text, n))
	}
}

// all performs steps in their order; those behind one with several values for each of them.
func (a *acting) all(steps []Step) error {
	for i, s := range steps {
		if a.late {
			return nil
		}
		if s.Do != "fill" && s.Do != "select" {
			if err := a.step(s); err != nil {
				return err
			}
			continue
		}
		values, err := a.values(s)
		if err != nil {
			return err
		}
		for _, v := range values {
			if err := a.act(s, 1, v); err != nil {
				return err
			}
			if err := a.all(steps[i+1:]); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// values are what a step enters: its own, or each option of a list.
func (a *acting) values(s Step) ([]string, error) {
	if len(s.Values) > 0 || s.Do == "fill" {
		return s.Values[:min(len(s.Values), mostSelected)], nil
	}
	options, err := call[[]string](a, `(k, xpath) => k.select(xpath) ? [...k.nodes[0].options ?? []].map(o => o.value) : []`, s.XPath)
	return options[:min(len(options), mostSelected)], err
}

func (a *acting) step(s Step) error {
	switch s.Do {
	case "repeat":
		_, err := a.repeat(s)
		return err
	case "wait":
		return a.wait(s)
	case "scroll":
		if s.XPath == "" {
			a.note(s, 1)
			a.result.Scrolls++
			if err := run(a, toEnd); err != nil {
				return err
			}
			return a.rest()
		}
	}
	return a.act(s, mostSelected, "")
}

// rest waits until the page makes no request.
func (a *acting) rest() error {
	settled, err := a.settle(a.ctx, a.over, a.quiet)
	a.late = a.late || !settled
	return err
}

// actOn is the function that acts on an element that select kept, and returns the place where the
// pointer must go, if any.
const actOn = `(k, kind, i, value) => k.nodes[i]?.isConnected ? k.act[kind](k.nodes[i], value) ?? [] : []`

// act acts on the elements of a step, at most some, and waits after each.
func (a *acting) act(s Step, most int, value string) error {
	n, err := call[int](a, `(k, xpath) => k.select(xpath)`, s.XPath)
	if err != nil {
		return err
	}
	if s.Do == "submit" {
		most = 1
	}
	n = min(n, most)
	a.note(s, n)
	for i := 0; i < n && !a.late; i++ {
		at, err := call[[]float64](a, actOn, s.Do, i, value)
		if err != nil {
			return err
		}
		if len(at) == 2 {
			if _, err := chromedp.Call(a.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]}); err != nil {
				return err
			}
		}
		if s.Do == "click" {
			a.result.Clicks++
		}
		if err := a.rest(); err != nil {
			return err
		}
	}
	return nil
}

// repeat performs steps until a round shows no new text. What rounds take away is put back at the
// end.
func (a *acting) repeat(s Step) (rounds int, err error) {
	if _, err := call[bool](a, `k => { k.repeating = true; return k.news() }`); err != nil {
		return 0, err
	}
	for ; rounds < s.Most && !a.late; rounds++ {
		if err := a.all(s.Steps); err != nil {
			return rounds, err
		}
		fresh, err := call[bool](a, `k => k.news()`)
		if err != nil {
			return rounds, err
		}
		if !fresh {
			break
		}
	}
	a.note(s, rounds)
	if rounds == s.Most {
		a.refuse("repeat")
	}
	return rounds, nil
}

// wait waits until a step's expression selects an element.
func (a *acting) wait(s Step) error {
	found, err := call[int](a, `(k, xpath, most) => new Promise(done => {
		const look = () => { if (k.select(xpath)) { clearTimeout(over); seen.disconnect(); done(k.nodes.length) } }
		const seen = new MutationObserver(look), over = setTimeout(() => { seen.disconnect(); done(0) }, most * 1000)
		seen.observe(document, {childList: true, subtree: true, attributes: true, characterData: true})
		look()
	})`, s.XPath, s.Most)
	if err != nil {
		return err
	}
	a.note(s, found)
	return a.rest()
}
