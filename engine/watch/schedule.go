package watch

import (
	"math"
	"slices"
)

// Allocate returns the refresh rates that maximise the weighted freshness of pages with these rates
// of change, if all rates together are the budget: sqrt(w*rate/mu) - rate where that is positive
// (Azar et al. 2018). Sorting finds mu in O(n log n).
func Allocate(rates, weights []float64, budget float64) []float64 {
	out := make([]float64, len(rates))
	if budget <= 0 {
		return out
	}
	// A page is refreshed while mu < weight/rate. Such pages share the budget: the sum of
	// sqrt(w*rate)/sqrt(mu) - rate is the budget.
	order := make([]int, 0, len(rates))
	for i, r := range rates {
		if r > 0 && weights[i] > 0 {
			order = append(order, i)
		}
	}
	value := func(i int) float64 { return weights[i] / rates[i] }
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case value(a) > value(b):
			return -1
		case value(a) < value(b):
			return 1
		}
		return a - b
	})
	roots, sum := 0.0, 0.0
	for n, i := range order {
		roots, sum = roots+math.Sqrt(weights[i]*rates[i]), sum+rates[i]
		mu := math.Pow(roots/(budget+sum), 2)
		if n+1 < len(order) && mu < value(order[n+1]) {
			continue // the next page is worth a part of the budget, too
		}
		for _, j := range order[:n+1] {
			out[j] = max(0, math.Sqrt(weights[j]*rates[j]/mu)-rates[j])
		}
		break
	}
	return out
}

// Gain is the value of fetching a page after so many days, for a rate of change: the freshness that
// the next fetches lose if it waits. The pages with the highest gain first is the optimum of
// Allocate, since there all pages are fetched at the same gain.
func Gain(rate, days float64) float64 {
	x := rate * days
	if x < 1e-4 {
		return rate * days * days / 2
	}
	return (1 - math.Exp(-x)*(1+x)) / rate
}

// After returns after how many days a page reaches a gain; the inverse of [Gain].
func After(rate, gain float64) float64 {
	if rate <= 0 || gain*rate >= 1 {
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for Gain(rate, high) < gain && high < 1e6 {
		high *= 2
	}
	for range 60 {
		if mid := (low + high) / 2; Gain(rate, mid) < gain {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// Level is the gain at which pages are fetched if they are fetched at these rates of change and
// refresh rates: that of the page with the highest refresh rate.
func Level(rates, refresh []float64) float64 {
	best, at := 0.0, -1
	for i, f := range refresh {
		if f > best {
			best, at = f, i
		}
	}
	if at < 0 {
		return math.Inf(1)
	}
	return Gain(rates[at], 1/best)
}
