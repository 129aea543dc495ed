package browser

import (
	"context"
	"time"

	"github.com/chromedp/chromedp"
)

// Bounds of the actions on a page. The values are arbitrary.
const (
	mostScrolls = 50
	mostClicks  = 30
	// vain is the number of clicks in a row without an effect after which the page gets no more.
	vain = 5
)

// measure is the script that returns the length of a page's text and the number of its elements.
const measure = `[document.body?.innerText.length ?? 0, document.querySelectorAll('*').length]`

// toEnd is the script that scrolls a page to its end and measures it. The third number is 0 for a
// page that is shown as a whole.
const toEnd = `scrollTo(0, document.documentElement.scrollHeight), ` + measure +
	`.concat(+(document.documentElement.scrollHeight > innerHeight))`

// scroll scrolls a page to its end until that brings no more text and elements. settled is false if it would bring still more.
func (r *rendering) scroll(ctx context.Context, over <-chan time.Time, quiet time.Duration) (settled bool, err error) {
	var before []int
	for range mostScrolls {
		now, err := chromedp.Run(ctx, chromedp.Evaluate[[]int](toEnd))
		if err != nil || now[2] == 0 || len(before) > 0 && now[0] <= before[0] && now[1] <= before[1] {
			return true, err
		}
		before = now
		r.scrolls++
		if settled, err := r.settle(ctx, over, quiet); err != nil || !settled {
			return settled, err
		}
	}
	return false, nil
}

// clickNext is the script that clicks the next element that reacts to clicks: a button that submits
// no form, a link without an address, or an element with a listener of its own. Elements that the
// last click brought come first; an element is clicked again if it got another listener. The script
// returns false if none is left.
const clickNext = `(() => {
	const kept = window[Symbol.for("clicked")] ??= {by: new WeakMap(), known: new WeakSet()}
	const named = 'button, summary, input[type=button], [role=button], [role=tab], [onclick], a:not([href]), a[href^="#"], ' +
		'a[href^="javascript:" i]'
	const reacts = e => e.matches(named) || e.matches('div, span, li, p, td, img, svg') && getEventListeners(e).click?.length > 0
	const submits = e => e.form && (e.type == 'submit' || e.type == 'reset')
	const listeners = e => [e.getAttribute("onclick"), ...(getEventListeners(e).click ?? []).map(l => l.listener)].join()
	let first, fresh, seen = 0
	for (const e of document.body?.querySelectorAll('*') ?? []) {
		if (++seen > 5000) break
		const isNew = !kept.known.has(e)
		kept.known.add(e)
		if (fresh || first && !isNew || submits(e) || !e.getClientRects().length || !reacts(e) || kept.by.get(e) == listeners(e)) continue
		if (isNew && kept.started) fresh = e
		first ??= e
	}
	kept.started = true
	const next = fresh ?? first
	if (!next) return false
	kept.by.set(next, listeners(next))
	next.click()
	return true
})()`

// click clicks what reacts to clicks, each element once, as long as that changes the page or makes it request something.
func (r *rendering) click(ctx context.Context, over <-chan time.Time, quiet time.Duration) (settled bool, err error) {
	r.change(func() { r.clicking = true })
	for idle := 0; r.clicks < mostClicks && idle < vain; idle++ {
		before, err := r.state(ctx)
		if err != nil {
			return true, err
		}
		clicked, err := chromedp.Run(ctx, chromedp.Evaluate[bool](clickNext, chromedp.EvalWithCommandLineAPI))
		if err != nil || !clicked {
			return true, err
		}
		r.clicks++
		if settled, err := r.settle(ctx, over, quiet); err != nil || !settled {
			return settled, err
		}
		now, err := r.state(ctx)
		if err != nil {
			return true, err
		}
		if now != before {
			idle = -1
		}
	}
	if r.clicks == mostClicks {
		r.refuse("click")
	}
	return true, nil
}

// state is what an effect of a click changes.
type state struct{ text, elements, requests, left int }

func (r *rendering) state(ctx context.Context) (s state, err error) {
	size, err := chromedp.Run(ctx, chromedp.Evaluate[[]int](measure))
	if err != nil {
		return s, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return state{size[0], size[1], r.requests, len(r.left)}, nil
}
