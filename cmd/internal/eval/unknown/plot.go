package unknown

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Size of a plot.
const width, height = 760.0, 440.0

// SVG plots contents over requests, the latter on a logarithmic scale.
func (r *Report) SVG(caption string) string { return drawing(caption, height, r.panel(caption)) }

// Plots plots reports one above the other. Of the categories of a wiki it plots only their sum.
func Plots(caption string, reports []*Report) string {
	var b strings.Builder
	reports = slices.DeleteFunc(slices.Clone(reports), func(r *Report) bool { return r.of != "" })
	for i, r := range reports {
		title := caption
		if r.Name != "" {
			title += ": " + r.Name
		}
		fmt.Fprintf(&b, `<g transform="translate(0 %g)">%s</g>`+"\n", height*float64(i), r.panel(title))
	}
	return drawing(caption, height*float64(len(reports)), b.String())
}

func drawing(caption string, height float64, content string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="13">`+"\n"+
		`<title>%s</title><rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n", width, height, escape(caption), content)
}

func (r *Report) panel(caption string) string {
	const left, top, right, bottom = 60.0, 40.0, 210.0, 60.0
	most := 10
	for _, c := range r.Curves {
		most = max(most, c.Requests)
	}
	decades := math.Log10(float64(most))
	px := func(n int) float64 { return left + math.Log10(float64(max(n, 1)))/decades*(width-left-right) }
	py := func(n int) float64 {
		return height - bottom - float64(n)/float64(max(r.Contents, 1))*(height-top-bottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<text x="%g" y="20">%s</text>`+"\n", left, escape(caption))
	for part := 0; part <= 100; part += 20 {
		y := py(r.Contents * part / 100)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+
			`<text x="%g" y="%.1f" text-anchor="end">%d %%</text>`+"\n",
			left, width-right, y, y, left-8, y+4, part)
	}
	for n := 1; n <= most; n *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%g" y2="%g" stroke="#ddd"/>`+
			`<text x="%.1f" y="%g" text-anchor="middle">%d</text>`+"\n",
			px(n), px(n), top, height-bottom, px(n), height-bottom+20, n)
	}
	colors := []string{"#2471a3", "#c0392b", "#1e8449", "#7f8c8d", "#b9770e", "#6c3483", "#17202a", "#d98880", "#48c9b0"}
	for i, c := range r.Curves {
		color := colors[i%len(colors)]
		points := []string{fmt.Sprintf("%.1f,%.1f", px(1), py(0))}
		for k, n := range c.after {
			if k+1 == len(c.after) || px(c.after[k+1])-px(n) >= 1 || k%max(1, len(c.after)/200) == 0 {
				points = append(points, fmt.Sprintf("%.1f,%.1f", px(n), py(k+1)))
			}
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", px(c.Requests), py(len(c.after))))
		y := top + 20*float64(i+1)
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>`+
			`<line x1="%g" x2="%g" y1="%g" y2="%g" stroke="%[1]s" stroke-width="2"/><text x="%[7]g" y="%[8]g">%[9]s</text>`+"\n",
			color, strings.Join(points, " "), width-right+10, width-right+26, y, y, width-right+32, y+4, escape(c.Name))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">requests</text>`+"\n", (left+width-right)/2, height-15)
	return b.String()
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
