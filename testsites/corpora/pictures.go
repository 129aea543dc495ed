package corpora

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"path"
	"strings"
)

// pictures are galleries. Their pages differ in a picture.
func pictures() []Corpus {
	return []Corpus{
		{"gallery of scripts' pictures", 1000, scriptGallery},
		{"gallery by srcset", 800, srcsetGallery},
		{"gallery by data-src", 800, lazyGallery},
		{"comic strip", 1200, comic},
		{"atlas of image maps", 600, atlas},
	}
}

// picture answers for what pages show: a picture of one colour, which follows from its address.
func (v *server) picture(r *http.Request) (body []byte, contentType string) {
	name := path.Base(r.URL.Path)
	shown := name == "image.php" || name == "thumb.php" || name == "strip.cgi"
	for _, ext := range []string{".png", ".jpg", ".gif", ".webp"} {
		shown = shown || strings.HasSuffix(name, ext)
	}
	if !shown {
		return nil, ""
	}
	c := draw(r.URL.RequestURI(), 0)
	m := image.NewRGBA(image.Rect(0, 0, 4, 3))
	for x := range 4 {
		for y := range 3 {
			m.Set(x, y, color.RGBA{uint8(c.IntN(256)), uint8(c.IntN(256)), uint8(c.IntN(256)), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // nothing can fail in memory
	}
	return b.Bytes(), "image/png"
}

func scriptGallery(pages int) *site {
	s := &site{
		name:   "Holiday pictures",
		layout: "picture",
		back:   true,
		intro:  "<h1>Holiday pictures</h1>",
		words:  labels{next: "next", prev: "back", up: "thumbs", home: "start"},
		index:  index{at: numberedList("/gallery.php", "/gallery.php?page=%d"), per: 24, form: thumbs, pager: numbered},
		absent: soft,
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/gallery.php?pic=%d", i+1),
			"",
			func() string { return fmt.Sprintf(`<img src="image.php?id=%d&amp;w=1024">`, i+1) },
		)
	}
	return s
}

func srcsetGallery(pages int) *site {
	s := &site{
		name:   "Lichtbild",
		lang:   "de",
		layout: "modern",
		back:   true,
		intro:  "<h2>Aufnahmen</h2>",
		words:  labels{"→", "←", "Alle", "Start"},
		index:  index{at: func(int) string { return "/fotos/" }, form: thumbs},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/fotos/%08x", 0x5eed0000+i*2654435), "Foto", func() string {
			return fmt.Sprintf(
				`<picture><source srcset="/media/%d-800.webp 800w, /media/%[1]d-1600.webp 1600w">`+
					`<img srcset="/media/%[1]d-800.jpg 1x, /media/%[1]d-1600.jpg 2x" alt=""></picture>`,
				i,
			)
		})
	}
	return s
}

func lazyGallery(pages int) *site {
	s := &site{
		name:   "Wallpapers",
		layout: "shop",
		intro:  "<p>Free wallpapers for your desktop</p>",
		words:  labels{up: "All wallpapers"},
		menu:   []link{{"/dmca", "DMCA", ""}},
		index:  index{at: numberedList("/img/", "/img/page/%d"), per: 40, form: thumbs},
		absent: toFront,
		aside:  []widget{advert},
	}
	for i := range pages {
		s.add(fmt.Sprintf("/img/img/%d.html", i+1), "Wallpaper", func() string {
			return fmt.Sprintf(`<img class="lazy" src="/blank.gif" data-src="/full/w%05d.jpg" alt="wallpaper">`, i*7+3)
		})
	}
	return s
}

func comic(pages int) *site {
	s := &site{
		name:   "Bottle & Crate",
		layout: "weblog",
		back:   true,
		intro:  "<p>A comic strip, new on Tuesdays.</p>",
		words:  labels{next: ">>", prev: "<<", up: "Archive", home: "First"},
		menu:   []link{{"/cast.html", "Cast", ""}},
		index:  index{at: func(int) string { return "/archive.html" }, form: bareNumbers},
		aside:  []widget{counter, calendar},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/strip/%d.html", i+1),
			fmt.Sprintf("#%d", i+1),
			func() string { return fmt.Sprintf(`<img src="/strip.cgi?%04d" width="800" height="260">`, i+1) },
		)
	}
	return s
}

// atlas has its links in image maps.
func atlas(pages int) *site {
	s := &site{
		name:   "Atlas of 1908",
		layout: "imagemap",
		intro:  "<p>Click on the buttons below.</p>",
		back:   true,
		words:  labels{next: "east", prev: "west", up: "sheets"},
		index:  index{at: func(int) string { return "/atlas/sheets.html" }, form: bareNumbers},
		aside:  []widget{counter},
	}
	for i := range pages {
		s.add(
			fmt.Sprintf("/atlas/sheet%03d.html", i+1),
			fmt.Sprintf("Sheet %d", i+1),
			func() string { return fmt.Sprintf(`<img src="/maps/%03d.jpg" width="700">`, i+1) },
		)
	}
	return s
}
