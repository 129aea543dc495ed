package corpora

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// addressedByChecksum are sites whose addresses nobody can make up: each is the checksum of what is there.
func addressedByChecksum() []Corpus {
	return []Corpus{
		{"objects of a git repository", 1500, gitObjects},
		{"hash tree at the root", 1900, hashTree},
		{"store paths of packages", 1200, storePaths},
		{"image digests", 1000, imageDigests},
		{"pictures by checksum", 1100, checksumGallery},
	}
}

// sum is the checksum of one page of a corpus.
func sum(of string, i int) []byte {
	s := sha256.Sum256(fmt.Append(nil, of, " ", i))
	return s[:]
}

// children are the pages that one of a tree leads to, by numbers.
func children(i, each, pages int, to func(n int) string) string {
	var b strings.Builder
	for n := each*i + 1; n <= each*i+each && n < pages; n++ {
		b.WriteString(to(n) + " ")
	}
	return b.String()
}

// gitObjects are trees that lead to trees, and files.
func gitObjects(pages int) *site {
	s := &site{
		name: "gitweb", layout: "terminal", intro: pre("project / summary"), words: labels{next: "next", up: "objects"},
		index: index{at: offsetList("/objects", "/objects?ofs=%d", 100), per: 100, form: rows},
	}
	at := func(i int) string { return "/object/" + hex.EncodeToString(sum("object", i)[:20]) }
	for i := range pages {
		r := draw("git object", i)
		name := pick(r, nouns) + ".c"
		s.add(at(i), name, func() string {
			r := draw("git object", i)
			return pre(fmt.Sprintf("static int %s_%s(struct %s *%s)\n{\n\treturn %s->%s + %d;\n}", pick(r, verbs), pick(r, nouns),
				pick(r, nouns), pick(r, nouns), pick(r, nouns), pick(r, nouns), r.IntN(900))) +
				children(i, 5, pages, func(n int) string { return a(at(n), fmt.Sprintf("%06o", 0o100644)) })
		})
	}
	return s
}

// hashTree is all that a place without end is, but for its end: each page leads to two more, with words of its own.
func hashTree(pages int) *site {
	s := &site{
		name: "Transparency log", layout: "docs", intro: para("Each entry is in the tree."), words: labels{next: "later", up: "entries"},
		index: index{at: numberedList("/entries", "/entries?page=%d"), per: 80, form: bullets},
	}
	at := func(i int) string { return "/" + hex.EncodeToString(sum("log", i)) }
	for i := range pages {
		r := draw("transparency log", i)
		s.add(at(i), person(r), func() string {
			r := draw("transparency log", i)
			return para(prose(r, 3), sentence(r)) + children(i, 2, pages, func(n int) string { return a(at(n), "node") })
		})
	}
	return s
}

// storePaths refer to what each package needs.
func storePaths(pages int) *site {
	s := &site{
		name: "Binary cache", layout: "modern", intro: para("All builds."), words: labels{up: "Paths"}, absent: soft,
		index: index{at: func(int) string { return "/store/" }, form: bullets},
	}
	coding := base32.NewEncoding("0123456789abcdfghijklmnpqrsvwxyz").WithPadding(base32.NoPadding)
	at := func(i int) string {
		r := draw("store path", i)
		return fmt.Sprintf("/store/%s-%s-%d.%d", coding.EncodeToString(sum("path", i)[:20]), pick(r, nouns), r.IntN(9), r.IntN(30))
	}
	for i := range pages {
		s.add(at(i), strings.TrimPrefix(at(i), "/store/"), func() string {
			r := draw("references", i)
			body := pairs("NarSize", fmt.Sprint(r.IntN(1<<24)), "Deriver", fmt.Sprintf("%x.drv", sum("drv", i)[:6]))
			for range 4 {
				body += a(at(r.IntN(pages)), "reference") + " "
			}
			return body
		})
	}
	return s
}

// imageDigests have nothing but numbers and checksums on them.
func imageDigests(pages int) *site {
	s := &site{
		name: "Registry", layout: "shop", back: true, intro: para("Layers of images."), words: labels{next: "next layer", up: "layers"},
		index: index{at: numberedList("/layers", "/layers?page=%d"), per: 50, form: bareNumbers}, aside: []widget{timing},
	}
	for i := range pages {
		digest := hex.EncodeToString(sum("layer", i))
		s.add("/layer?digest=sha256:"+digest, digest[:12], func() string {
			return pairs("Size", fmt.Sprint(draw("layer", i).IntN(1<<28)), "Digest", "sha256:"+digest)
		})
	}
	return s
}

// checksumGallery is at the root, beside its lists, and its pages have no word of their own.
func checksumGallery(pages int) *site {
	s := &site{
		name: "Imagebin", layout: "picture", intro: "<h1>Imagebin</h1>", words: labels{next: "»", up: "recent"},
		index: index{at: numberedList("/recent", "/recent?page=%d"), per: 60, form: thumbs}, absent: toFront,
	}
	for i := range pages {
		name := base64.RawURLEncoding.EncodeToString(sum("picture", i)[:16])
		s.add("/"+name, "", func() string { return fmt.Sprintf(`<img src="/raw/%s.png">`, name) })
	}
	return s
}
