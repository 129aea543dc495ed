package testsites

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
)

// blog is the world of a WordPress site. A post is known by its index, oldest first; numbers that the CMS would have
// given (ids) are computed from it.
type blog struct {
	seed    uint64
	langs   []language
	times   []int32 // seconds since blogEpoch, by post
	first   []int32 // comments before this post's: the post's comments are ids first+1 to first of the next
	authors []author
	cats    []term
	tags    []term
	statics []static
	newest  []int32   // all posts, newest first
	months  []month   // newest first
	written [][]int32 // posts of an author, oldest first
}

// month is an archive that has posts.
type month struct {
	at    time.Time
	posts int
}

// blogEpoch is when every blog opened.
var blogEpoch = time.Date(2009, 1, 12, 8, 0, 0, 0, time.UTC)

type author struct {
	slug, name, bio string
}

// term is a category or a tag.
type term struct {
	id         int
	name, slug string
	desc       string
	parent     *term
	posts      []int32 // indices, oldest first
}

// static is a page outside the stream of posts.
type static struct {
	id     int
	title  string
	slug   string // with the parent's before
	parent int    // id
}

// newBlog lays out about n posts and comments: two posts to five comments.
func newBlog(seed int64, n int) *blog {
	b := &blog{seed: uint64(seed), langs: languages()}
	posts := max(n*2/7, 5)
	b.authors = []author{{"admin", "Edda Vries", "Keeps the pumps running and the notes in order."}, {"bkoster", "Bram Köster", ""},
		{"ludmila", "Людмила Орлова", "Пишет о погоде."}, {"tomjo", "Tom & Jo", ""}}
	b.layTerms()
	b.layStatics()
	b.writePosts(posts)
	b.countComments(posts, n-posts)
	return b
}

func (b *blog) layTerms() {
	r := newRandom(b.seed, "terms", 0)
	names := []string{"Uncategorized", "Wind & weather", "Machines", "Pumps", "Рецепты", "Canal life", "Löten", "Books"}
	b.cats = make([]term, len(names))
	for i, n := range names {
		b.cats[i] = term{id: i + 1, name: n, slug: slugOf(n), desc: b.langs[0].sentence(r)}
	}
	b.cats[3].parent = &b.cats[2]
	seen := map[string]bool{}
	for _, l := range b.langs {
		for _, thing := range l.things {
			if s := slugOf(thing); len(b.tags) < 30 && !seen[s] {
				seen[s] = true
				b.tags = append(b.tags, term{id: 20 + len(b.tags), name: thing, slug: s})
			}
		}
	}
}

func (b *blog) layStatics() {
	add := func(title, slug string, parent int) {
		b.statics = append(b.statics, static{len(b.statics) + 2, title, slug, parent})
	}
	add("About", "about", 0)
	add("Colophon", "about/colophon", 2)
	add("Guide to the locks", "guide", 0)
	add("Opening hours", "guide/opening-hours", 4)
	add("Prices & permits", "guide/prices-permits", 4)
	add("Contact", "contact", 0)
	add("Карта", "карта", 0)
}

func (b *blog) writePosts(n int) {
	r := newRandom(b.seed, "posts", 0)
	gap := max(7*365*24*3600/n, 60)
	now := int32(0)
	b.written = make([][]int32, len(b.authors))
	for i := range n {
		now += int32(1 + r.n(2*gap))
		b.times = append(b.times, now)
		b.file(i)
		c, t := b.termsOf(i)
		for _, k := range c {
			b.cats[k].posts = append(b.cats[k].posts, int32(i))
			if p := b.cats[k].parent; p != nil { // a parent's archive shows the posts of its children
				p.posts = append(p.posts, int32(i))
			}
		}
		for _, k := range t {
			b.tags[k].posts = append(b.tags[k].posts, int32(i))
		}
	}
	slices.Reverse(b.newest)
	slices.Reverse(b.months)
}

// file enters a new post in the lists by age, month and author.
func (b *blog) file(i int) {
	t := b.time(i)
	if n := len(b.months); n == 0 || b.months[n-1].at.Format("200601") != t.Format("200601") {
		b.months = append(b.months, month{at: t})
	}
	b.months[len(b.months)-1].posts++
	b.newest = append(b.newest, int32(i))
	k := b.authorIndex(i)
	b.written[k] = append(b.written[k], int32(i))
}

// termsOf returns the indices of the categories and tags of a post.
func (b *blog) termsOf(i int) (cats, tags []int) {
	r := newRandom(b.seed, "terms of", i)
	cats = []int{r.n(len(b.cats))}
	if k := r.n(len(b.cats)); r.percent(30) && k != cats[0] && k != 2 && cats[0] != 2 {
		cats = append(cats, k)
	}
	for range r.n(4) {
		k := r.n(len(b.tags))
		if len(tags) == 0 || tags[len(tags)-1] < k {
			tags = append(tags, k)
		}
	}
	return cats, tags
}

// countComments spreads comments: most posts get few, a few get many.
func (b *blog) countComments(posts, comments int) {
	r := newRandom(b.seed, "comments", 0)
	weights, sum := make([]int, posts), 0
	for i := range weights {
		switch p := r.n(100); {
		case p < 40 && i != 1:
		case p < 80:
			weights[i] = 1 + r.n(5)
		case p < 95 && i != 1:
			weights[i] = 5 + r.n(15)
		default:
			weights[i] = 30 + r.n(60)
		}
		if i == b.protected(posts) {
			weights[i] = 0
		}
		sum += weights[i]
	}
	b.first = make([]int32, posts+1)
	given := 0
	for i, w := range weights {
		b.first[i] = int32(given * comments / max(sum, 1))
		given += w
	}
	b.first[posts] = int32(given * comments / max(sum, 1))
}

func (b *blog) posts() int           { return len(b.times) }
func (b *blog) comments(i int) int   { return int(b.first[i+1] - b.first[i]) }
func (b *blog) time(i int) time.Time { return blogEpoch.Add(time.Duration(b.times[i]) * time.Second) }
func (b *blog) now() time.Time       { return b.time(b.posts() - 1).Add(24 * time.Hour) }

// protected is the post behind a password, stuck the one that stays on top of the front page.
func (b *blog) protected(posts int) int { return posts / 2 }
func (b *blog) stuck() int              { return b.posts() * 2 / 3 }

// postID and indexOf convert between a post's index and its id: each post leaves room for its picture and a revision.
func postID(i int) int       { return 20 + 3*i }
func attachmentOf(i int) int { return postID(i) + 1 }

// indexOf returns the index of a post id; -1 when no post has it.
func (b *blog) indexOf(id int) int {
	if id < 20 || (id-20)%3 != 0 || (id-20)/3 >= b.posts() {
		return -1
	}
	return (id - 20) / 3
}

func (b *blog) static(id int) *static {
	if id < 2 || id-2 >= len(b.statics) {
		return nil
	}
	return &b.statics[id-2]
}

func (b *blog) langOf(i int) *language {
	return &b.langs[pickLanguage(newRandom(b.seed, "language", i), b.langs)]
}

// title of a post as the theme shows it, quotes made typographic.
func (b *blog) title(i int) string {
	t := texturize(b.langOf(i).title(newRandom(b.seed, "title", i)))
	if i == b.protected(b.posts()) {
		return "Protected: " + t
	}
	return t
}

// slug is the last part of a permalink: two posts of one month with one title are told apart by a number.
func (b *blog) slug(i int) string {
	base := slugOf(b.langOf(i).title(newRandom(b.seed, "title", i)))
	same := 1
	for j := i - 1; j >= 0 && b.time(j).Format("200601") == b.time(i).Format("200601"); j-- {
		if slugOf(b.langOf(j).title(newRandom(b.seed, "title", j))) == base {
			same++
		}
	}
	if same > 1 {
		return base + "-" + itoa(same)
	}
	return base
}

func (b *blog) author(i int) author { return b.authors[b.authorIndex(i)] }

func (b *blog) authorIndex(i int) int { return newRandom(b.seed, "author", i).n(len(b.authors)) }

// between returns the indices from to before of the posts of a span of time.
func (b *blog) between(from, before time.Time) (int, int) {
	at := func(t time.Time) int {
		return sort.Search(b.posts(), func(i int) bool { return !b.time(i).Before(t) })
	}
	return at(from), at(before)
}

// slugOf is what WordPress makes of a title: lower case, letters and digits of any script, dashes between.
func slugOf(title string) string {
	var s strings.Builder
	dash := false
	for _, c := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			if dash && s.Len() > 0 {
				s.WriteByte('-')
			}
			dash = false
			s.WriteString(plainLetter(c))
		case c == '\'' || c == '’':
		default:
			dash = true
		}
	}
	return s.String()
}

// plainLetter takes the accents off Latin letters.
func plainLetter(c rune) string {
	const accented, plain = "äöüéèêàâçôûîïø", "aoueeeaacouiio"
	for i, a := range []rune(accented) {
		if a == c {
			return plain[i : i+1]
		}
	}
	if c == 'ß' {
		return "ss"
	}
	return string(c)
}

// texturize makes straight quotes curly, as the CMS does in titles and texts.
func texturize(s string) string {
	var out strings.Builder
	open := false
	for _, c := range s {
		switch c {
		case '\'':
			out.WriteRune('’')
		case '"':
			if open = !open; open {
				out.WriteRune('“')
			} else {
				out.WriteRune('”')
			}
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}
