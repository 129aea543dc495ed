package watching

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Point is one run of a policy.
type Point struct {
	Policy          string
	Fetches, Delays float64 // fetches a day, mean delay in days
}

// ReadPoints reads rows of policy, fetches a day and days, separated by tabs. Rows that start with # are comments.
func ReadPoints(r io.Reader) (points []Point, err error) {
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		parts := strings.Split(in.Text(), "\t")
		if len(parts) != 3 {
			return nil, fmt.Errorf("line %d: %q: expected a policy, fetches a day and days", n, in.Text())
		}
		p := Point{Policy: parts[0]}
		for i, to := range []*float64{&p.Fetches, &p.Delays} {
			if *to, err = strconv.ParseFloat(parts[i+1], 64); err != nil || *to <= 0 {
				return nil, fmt.Errorf("line %d: %q: expected a positive number", n, parts[i+1])
			}
		}
		points = append(points, p)
	}
	return points, in.Err()
}

// Plot draws delays over fetches, both on a logarithmic scale, as SVG.
func Plot(points []Point) string {
	const width, height, left, top, right, bottom = 800.0, 440.0, 60.0, 40.0, 240.0, 60.0
	const lowX, highX, lowY, highY = 1.0, 1000.0, 0.1, 100.0
	place := func(v, low, high, size float64) float64 { return math.Log(v/low) / math.Log(high/low) * size }
	px := func(v float64) float64 { return left + place(v, lowX, highX, width-left-right) }
	py := func(v float64) float64 { return height - bottom - place(v, lowY, highY, height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" font-family="sans-serif" font-size="13">`+"\n"+
		`<title>Delay over fetches</title><rect width="100%%" height="100%%" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%g" y="20">Mean days from an edit to its capture, over fetches a day</text>`+"\n", left)
	for v := lowX; v <= highX; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%g" y2="%g" stroke="#ddd"/>`+
			`<text x="%.1f" y="%g" text-anchor="middle">%g</text>`+"\n",
			px(v), px(v), top, height-bottom, px(v), height-bottom+20, v)
	}
	for v := lowY; v <= highY; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%g" y="%.1f" text-anchor="end">%g</text>`+"\n",
			left, width-right, py(v), py(v), left-8, py(v)+4, v)
	}
	colors := []string{"#7f8c8d", "#b9770e", "#1e8449", "#6c3483", "#c0392b", "#2471a3"}
	var policies []string
	for _, p := range points {
		i := slices.Index(policies, p.Policy)
		if i < 0 {
			i, policies = len(policies), append(policies, p.Policy)
			y := top + 20*float64(i+1)
			fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="5" fill="%s"/><text x="%g" y="%g">%s</text>`+"\n", width-right+20, y,
				colors[i%len(colors)], width-right+32, y+4, p.Policy)
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`+"\n", px(p.Fetches), py(p.Delays), colors[i%len(colors)])
	}
	return b.String() + "</svg>\n"
}
