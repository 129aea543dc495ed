package browser

import (
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Bounds of what Browser tries by itself on a page. The values are arbitrary.
const (
	mostScrolls = 50
	mostClicks  = 60
	// vain is the number of clicks in a row without an effect after which the page gets no more.
	vain = 5
)

// Scrolling is the [Tried.Control] of scrolls to the end of a page.
const Scrolling = "scroll"

// toEnd is the script that scrolls a page to its end.
const toEnd = `scrollTo(0, document.documentElement.scrollHeight)`

// clickNext is the function that clicks the next element that reacts to clicks: a button that
// submits no form, a link without an address, or an element with a listener of its own. Elements
// that the last click brought come first; an element is clicked again if it brought something or got
// another listener.
// Controls to skip are left alone. The function returns null if no element is left.
const clickNext = `(k, skip) => {
	const named = 'button, summary, input[type=button], [role=button], [role=tab], [onclick], a:not([href]), a[href^="#"], ' +
		'a[href^="javascript:" i]'
	const reacts = e => e.matches(named) || e.matches('div, span, li, p, td, img, svg') && getEventListeners(e).click?.length > 0
	const submits = e => e.form && (e.type == 'submit' || e.type == 'reset')
	let first, fresh, seen = 0
	for (const e of document.body?.querySelectorAll('*') ?? []) {
		if (++seen > 5000) break
		const isNew = !k.known.has(e)
		k.known.add(e)
		if (fresh || first && !isNew || submits(e) || !e.getClientRects().length || !reacts(e) || k.clicked.get(e) == k.listeners(e) ||
			k.isRestored(e) || skip.includes(k.control(e))) continue
		if (isNew && k.started) fresh = e
		first ??= e
	}
	k.started = true
	const next = fresh ?? first
	return next ? k.click(next) : null
}`

// clickAgain is the function that clicks an element, if it is still there.
const clickAgain = `(k, path) => {
	const e = document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue
	if (e) k.click(e)
	return !!e
}`

// setClicked is the function that makes elements count as clicked.
const setClicked = `(k, paths) => {
	for (const path of paths) {
		const e = document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue
		if (e) k.clicked.set(e, k.listeners(e))
	}
	for (const e of document.body?.querySelectorAll('*') ?? []) k.known.add(e)
	k.started = true
	return null
}`

// click is an element that was clicked.
type click struct {
	Control string `json:"control"`
	Path    string `json:"path"` // an XPath that selects it alone

	brought bool
}

// explore scrolls and clicks, each as long as it brings something, but for controls to skip.
func (a *acting) explore(o Options, skip []string) error {
	if a.worth != nil {
		a.best = a.worth(a.html)
	}
	if !slices.Contains(skip, Scrolling) {
		if err := a.scroll(); err != nil {
			return err
		}
	}
	if err := a.keep(); err != nil || o.NoClicks || a.late {
		return err
	}
	if err := a.click(skip); err != nil || len(a.done) == 0 {
		return err
	}
	return a.keep()
}

// keep stores the document, with the elements that steps removed. A document with less text than the
// stored one is not stored: clicks removed some of it.
func (a *acting) keep() error {
	letters, err := call[int](a, `k => { k.restore(); return document.documentElement.textContent.length }`)
	if err != nil || letters < a.letters {
		return err
	}
	a.letters = letters
	a.html, err = a.serialised(a.ctx)
	return err
}

// grew keeps the document, in which news appeared, and reports whether it is worth more than before.
func (a *acting) grew() (bool, error) {
	if err := a.keep(); err != nil || a.worth == nil {
		return true, err
	}
	before := a.best
	a.best = max(a.best, a.worth(a.html))
	return a.best > before, nil
}

// scroll scrolls a page to its end until that shows nothing new. A page that would show still more
// is late.
func (a *acting) scroll() error {
	long, err := call[bool](a, `k => document.documentElement.scrollHeight > innerHeight`)
	if err != nil || !long {
		return err
	}
	noted := len(a.log)
	rounds, err := a.repeat(Step{Do: "repeat", Most: mostScrolls, Steps: []Step{{Do: "scroll"}}})
	a.log = a.log[:noted]
	a.late = a.late || rounds == mostScrolls
	grew := false
	if err == nil && rounds > 0 {
		grew, err = a.grew()
	}
	a.try(Scrolling, grew, false)
	return err
}

// try adds one attempt to the attempts of a control.
func (a *acting) try(control string, brought, leaves bool) {
	i := slices.IndexFunc(a.result.Tried, func(t Tried) bool { return t.Control == control })
	if i < 0 {
		i, a.result.Tried = len(a.result.Tried), append(a.result.Tried, Tried{Control: control})
	}
	t := &a.result.Tried[i]
	t.Times, t.Brought, t.Leaves = t.Times+1, t.Brought || brought, t.Leaves || leaves
}

// click clicks what reacts to clicks, as long as that brings something.
func (a *acting) click(skip []string) error {
	a.change(func() { a.clicking = true })
	for idle := 0; a.result.Clicks < mostClicks && idle < vain && !a.late; idle++ {
		if _, err := call[bool](a, `k => { k.repeating = true; return k.news() }`); err != nil {
			return err
		}
		before := a.now()
		next, err := call[*click](a, clickNext, append([]string{}, skip...))
		if err != nil || next == nil {
			return err
		}
		a.result.Clicks++
		if err := a.rest(); err != nil {
			return err
		}
		news, err := call[bool](a, `k => k.news()`)
		if err != nil {
			return err
		}
		now := a.now()
		if news && !now.moved {
			if next.brought, err = a.grew(); err != nil {
				return err
			}
		}
		if next.brought {
			if _, err := call[bool](a, `k => k.clicked.delete(k.last)`); err != nil {
				return err
			}
		}
		a.try(next.Control, next.brought || now.left > before.left, now.moved)
		a.done = append(a.done, *next)
		if now.moved {
			if err := a.undo(); err != nil {
				return err
			}
		}
		if next.brought || now != before {
			idle = -1
		}
	}
	if a.result.Clicks == mostClicks {
		a.refuse("click")
	}
	return nil
}

// undo loads the page again after a click that led to another one, and repeats the clicks before
// that brought something. Requests that the page makes again get the same answers.
func (a *acting) undo() error {
	a.change(func() { a.undone, a.clicking, a.moved, a.loaded, a.sent = a.undone+1, false, false, false, 0 })
	if _, err := chromedp.Call(a.ctx, page.Navigate, page.NavigateParams{URL: a.URL}); err != nil {
		return err
	}
	if err := a.rest(); err != nil {
		return err
	}
	a.change(func() { a.clicking = true })
	var paths []string
	for _, c := range a.done {
		paths = append(paths, c.Path)
		if !c.brought || a.late {
			continue
		}
		if _, err := call[bool](a, clickAgain, c.Path); err != nil {
			return err
		}
		if err := a.rest(); err != nil {
			return err
		}
	}
	a.change(func() { a.moved = false })
	_, err := call[any](a, setClicked, paths)
	return err
}

// effects are the effects of clicks besides what a page shows.
type effects struct {
	requests, left int
	moved          bool
}

func (r *rendering) now() effects {
	r.mu.Lock()
	defer r.mu.Unlock()
	return effects{r.requests, len(r.result.Left), r.moved}
}

// act waits until a page makes no request, does what its plan says, and returns its document. whole is
// false if its time was over before.
func (r *rendering) act(ctx context.Context, over <-chan time.Time, o Options) (html string, whole bool, err error) {
	a := &acting{rendering: r, ctx: ctx, over: over, quiet: o.Settle}
	if err := a.rest(); err != nil {
		return "", false, err
	}
	if a.html, err = r.serialised(ctx); err != nil {
		return "", false, err
	}
	plan := Plan{Explore: true}
	if r.Plan != nil {
		plan = r.Plan(a.html)
	}
	if len(plan.Steps) > 0 && !a.late {
		err = a.take(plan.Steps)
	}
	if err == nil && !a.late && plan.Explore {
		a.worth = plan.Worth
		err = a.explore(o, plan.Skip)
	}
	r.result.Steps = a.log
	return a.html, !a.late, err
}
