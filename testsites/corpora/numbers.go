package corpora

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// numbers are the corpora of arithmetic and of numbers without words.
func numbers() []Corpus {
	return []Corpus{
		{"prime numbers", 1500, primes},
		{"factors of integers", 2000, factors},
		{"digits of pi", 1000, digitsOfPi},
		{"magic squares", 800, magicSquares},
		{"integer sequences", 1000, sequences},
		{"spectra", 700, spectra},
		{"sudoku", 1000, sudoku},
		{"star catalogue", 1200, stars},
		{"checksums", 900, checksums},
		{"multiplication tables", 500, multiplication},
	}
}

func primes(pages int) *site {
	s := &site{
		name:   "The Prime Pages",
		layout: "nineties",
		back:   true,
		intro:  para("Each prime has a page of its own. Bookmark this page!"),
		menu: []link{
			{"/about.html", "About this page", ""},
			{"/faq.html", "FAQ", ""},
		},
		words: labels{next: "next prime", prev: "previous prime", up: "list of primes", home: "up"},
		index: index{at: numberedList("/primes/", "/primes/list%d.html"), per: 100, form: bareNumbers},
		aside: []widget{counter},
	}
	for n := 2; len(s.items) < pages; n++ {
		if !big.NewInt(int64(n)).ProbablyPrime(0) {
			continue
		}
		i := len(s.items) + 1
		s.add(fmt.Sprintf("/primes/%d.html", n), strconv.Itoa(n), func() string {
			return fmt.Sprintf(
				"<p><b>%d</b> is prime.</p><p>It is prime number %d. In binary it is %b, in hexadecimal %x. %d mod 4 = %d.</p>",
				n,
				i,
				n,
				n,
				n,
				n%4,
			)
		})
	}
	return s
}

func factors(pages int) *site {
	s := &site{
		name:   "Number Gossip Desk",
		layout: "modern",
		intro:  para("Which numbers divide it?"),
		menu:   []link{{"/about", "About", ""}, {"/privacy", "Privacy", ""}},
		index: index{
			at:    numberedList("/n", "/n?page=%d"),
			per:   200,
			form:  inline,
			pager: numbered,
		},
		absent: soft,
		aside:  []widget{timing, advert},
	}
	for i := range pages {
		n := 10_000 + i*7
		s.add(fmt.Sprintf("/n/%d", n), strconv.Itoa(n), func() string {
			var list []string
			sum := 0
			for d := 1; d <= n; d++ {
				if n%d == 0 {
					list, sum = append(list, strconv.Itoa(d)), sum+d
				}
			}
			return pairs("Number", strconv.Itoa(n), "Divisors", strings.Join(list, ", "), "Sum of divisors", strconv.Itoa(sum))
		})
	}
	return s
}

// piDigits computes n digits of pi behind the point, by Machin's formula.
func piDigits(n int) string {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n+10)), nil)
	arctan := func(x int64) *big.Int {
		sum, power := new(big.Int), new(big.Int).Quo(unit, big.NewInt(x))
		square := big.NewInt(x * x)
		for k := int64(1); power.Sign() != 0; k += 2 {
			term := new(big.Int).Quo(power, big.NewInt(k))
			if k%4 == 1 {
				sum.Add(sum, term)
			} else {
				sum.Sub(sum, term)
			}
			power.Quo(power, square)
		}
		return sum
	}
	pi := new(big.Int).Sub(new(big.Int).Mul(arctan(5), big.NewInt(16)), new(big.Int).Mul(arctan(239), big.NewInt(4)))
	return pi.String()[1 : n+1]
}

func digitsOfPi(pages int) *site {
	const each = 50
	digits := piDigits(pages * each)
	s := &site{name: "Pi", layout: "bare", intro: "<h1>3.</h1>", words: labels{next: "more", up: "0", home: "3."},
		index: index{at: numberedList("/digits", "/digits/p%d"), per: 250, form: bareNumbers}}
	for i := range pages {
		s.add(
			fmt.Sprintf("/digits?from=%d", i*each+1),
			strconv.Itoa(i*each+1),
			func() string { return "<tt>" + digits[i*each:(i+1)*each] + "</tt>" },
		)
	}
	return s
}

func magicSquares(pages int) *site {
	s := &site{
		name:   "Magische Quadrate",
		lang:   "de",
		layout: "portal",
		back:   true,
		intro:  para("Achthundert magische Quadrate der Ordnungen 5, 7 und 11."),
		menu:   []link{{"/impressum", "Impressum", ""}},
		words:  labels{"weiter", "zurück", "Übersicht", "Startseite"},
		index:  index{at: numberedList("/quadrate", "/quadrate/seite/%d"), per: 80, form: rows},
		absent: toFront,
		aside:  []widget{timing},
	}
	for i := range pages {
		n := []int{5, 7, 11}[i%3]
		s.add(fmt.Sprintf("/quadrate/%d", i+1), fmt.Sprintf("Nr. %d", i+1), func() string {
			// De la Loubère's square, its rows and columns turned by different steps.
			lines := make([][]string, n)
			for y := range n {
				for x := range n {
					a, b := (x+y*2+i/3)%n, (x*2+y+i/7+1)%n
					lines[y] = append(lines[y], strconv.Itoa(a*n+b+1))
				}
			}
			return table(nil, lines...)
		})
	}
	return s
}

func sequences(pages int) *site {
	s := &site{
		name:   "Encyclopedia of Sequences",
		layout: "nineties",
		intro:  para("Linear recurrences with constant coefficients, by signature."),
		menu:   []link{{"/Submit.html", "Contribute", ""}, {"/Welcome", "Welcome", ""}},
		words: labels{
			next: "next sequence",
			up:   "Index",
			home: "Main page",
		},
		index:  index{at: func(int) string { return "/Sindx.html" }, form: rows},
		absent: soft,
	}
	for i := range pages {
		r := draw("sequence", i)
		a, b, x, y := 1+r.IntN(6), r.IntN(9)-4, r.IntN(4), 1+r.IntN(5)
		s.add(fmt.Sprintf("/A%06d", 1000+i*13), fmt.Sprintf("A%06d", 1000+i*13), func() string {
			terms := []string{strconv.Itoa(x), strconv.Itoa(y)}
			p, q := big.NewInt(int64(x)), big.NewInt(int64(y))
			for range 18 {
				n := new(big.Int).Add(new(big.Int).Mul(q, big.NewInt(int64(a))), new(big.Int).Mul(p, big.NewInt(int64(b))))
				p, q = q, n
				terms = append(terms, n.String())
			}
			return fmt.Sprintf(
				"<p>a(n) = %d*a(n-1) + %d*a(n-2), a(0)=%d, a(1)=%d.</p><p><tt>%s</tt></p>",
				a,
				b,
				x,
				y,
				strings.Join(terms, ", "),
			)
		})
	}
	return s
}

func spectra(pages int) *site {
	s := &site{
		name:   "Infrared Spectra Database",
		layout: "register",
		intro:  para("Peaks in wave numbers with relative intensities."),
		menu:   []link{{"/help", "Help", ""}, {"/contact", "Contact", ""}},
		index: index{
			at:   offsetList("/spectra", "/spectra?offset=%d", 50),
			per:  50,
			form: rows,
		},
		absent: open,
		step:   1,
		aside:  []widget{legal},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/spectra/ir?id=%d", 70_000+i), fmt.Sprintf("Spectrum %d", 70_000+i), func() string {
			r := draw("spectrum", i)
			var lines [][]string
			for at := 3900 - r.IntN(300); at > 500; at -= 60 + r.IntN(500) {
				lines = append(lines, []string{strconv.Itoa(at), strconv.Itoa(r.IntN(101))})
			}
			return table([]string{"cm-1", "%T"}, lines...)
		})
	}
	return s
}

func sudoku(pages int) *site {
	s := &site{
		name:   "Daily Sudoku",
		layout: "modern",
		intro:  para("A new puzzle every day, three levels."),
		menu:   []link{{"/rules", "Rules", ""}, {"/app", "Get the app", ""}},
		back:   true,
		words: labels{
			next: "Next puzzle",
			prev: "Previous puzzle",
			up:   "All puzzles",
		},
		index: index{at: numberedList("/sudoku/", "/sudoku/page/%d/"), per: 60, form: thumbs},
		aside: []widget{advert},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/sudoku/%d/", i+1), fmt.Sprintf("Puzzle #%d", i+1), func() string {
			r := draw("sudoku", i)
			digit := r.Perm(9)
			lines := make([][]string, 9)
			for y := range 9 {
				for x := range 9 {
					cell := ""
					if r.IntN(3) == 0 {
						cell = strconv.Itoa(digit[(y*3+y/3+x)%9] + 1)
					}
					lines[y] = append(lines[y], cell)
				}
			}
			return table(nil, lines...)
		})
	}
	return s
}

func stars(pages int) *site {
	s := &site{
		name:   "HD Catalogue Server",
		layout: "terminal",
		intro:  para("Positions for equinox 2000."),
		words:  labels{next: "Next object", up: "Object list", home: "Query form"},
		index: index{at: func(int) string { return "/cgi-bin/list" }, form: inline, shelf: func(i int) (string, string) {
			return fmt.Sprintf("/cgi-bin/zone?h=%02d", i/50), fmt.Sprintf("RA %02dh", i/50)
		}},
		absent: broken,
	}
	for i := range pages {
		s.add(fmt.Sprintf("/cgi-bin/object?cat=HD&num=%06d", 300+i*37), fmt.Sprintf("HD %d", 300+i*37), func() string {
			r := draw("star", i)
			return pre(
				fmt.Sprintf(
					"HD %6d  RA %02d %02d %04.1f  DE %+03d %02d %02d\nVmag %5.2f  B-V %+.3f  Sp %c%d  plx %6.2f mas\n",
					300+i*37,
					i/50,
					r.IntN(60),
					r.Float64()*60,
					r.IntN(179)-89,
					r.IntN(60),
					r.IntN(60),
					2+r.Float64()*9,
					r.Float64()*2-0.3,
					"OBAFGKM"[r.IntN(7)],
					r.IntN(10),
					r.Float64()*60,
				),
			)
		})
	}
	return s
}

func checksums(pages int) *site {
	s := &site{
		name:   "Hash Library",
		layout: "docs",
		intro:  para("Which file has this digest?"),
		index:  index{at: numberedList("/hashes", "/hashes/%d"), per: 90, form: bullets},
		absent: soft,
	}
	hex := func(i, words int) string {
		r := draw("digest", i)
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "%016x", r.Uint64())
		}
		return b.String()
	}
	for i := range pages {
		s.add("/lookup?doc="+hex(i, 1)[:12], hex(i, 2), func() string {
			return pairs("MD5", hex(i, 2), "SHA-256", hex(i+pages, 4), "Size", strconv.Itoa(draw("size", i).IntN(1<<24)))
		})
	}
	return s
}

func multiplication(pages int) *site {
	s := &site{
		name:   "Times tables",
		layout: "bare",
		intro:  "<h1>Times tables</h1>",
		back:   true,
		words:  labels{next: ">", prev: "<", up: "^", home: "*"},
		index:  index{at: func(int) string { return "/tables/" }, form: bareNumbers},
	}
	for i := range pages {
		n := i + 2
		s.add(fmt.Sprintf("/tables/%d/", n), strconv.Itoa(n), func() string {
			var b strings.Builder
			for k := 1; k <= 10; k++ {
				fmt.Fprintf(&b, "%d &times; %d = %d<br>", k, n, k*n)
			}
			return b.String()
		})
	}
	return s
}
