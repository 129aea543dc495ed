package testsites

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The paths of the traps, below the prefix of a site. Real sites grow such things through plug-ins.
const (
	trapCalendar = "events-calendar.php" // each month links to the next and the one before, for ever
	trapNested   = "gallery/"            // a relative link without leading slash: gallery/more/more/more/...
	trapStream   = "live-stream"         // slow and endless, linked where no person sees it
)

// trapLinks is the markup that leads into the traps.
func trapLinks(home string) string {
	return `<p class="small"><a href="` + home + `">Home</a> <a href="` + trapCalendar + `">Events</a> <a href="` + trapNested +
		`">Gallery</a> <a href="` + trapStream + `" rel="nofollow" style="display:none">.</a></p>`
}

// trap answers a request for a trap and reports whether it was one.
func (s *Site) trap(r *request) bool {
	switch {
	case r.path == trapCalendar:
		month := r.number("month")
		if month < 0 {
			month = 2007 * 12
		}
		r.text(http.StatusOK, "text/html; charset=UTF-8", fmt.Sprintf(
			"<!DOCTYPE html><html><head><title>Events %d/%d</title></head><body><h1>Nothing on in %d/%d</h1>"+
				`<a href="?month=%d">Previous month</a> <a href="?month=%d">Next month</a></body></html>`,
			month%12+1, month/12, month%12+1, month/12, max(month-1, 0), month+1))
	case strings.HasPrefix(r.path, trapNested):
		depth := strings.Count(r.path, "/")
		r.text(http.StatusOK, "text/html; charset=UTF-8", "<!DOCTYPE html><html><head><title>Gallery</title></head><body><h1>Album "+
			strconv.Itoa(depth)+`</h1><a href="more/">More</a> <a href="../">Up</a></body></html>`)
	case r.path == trapStream:
		stream(r.w, r.Request, time.Second)
	default:
		return false
	}
	return true
}

// stream sends a line of text at each interval until the client goes away.
func stream(w http.ResponseWriter, r *http.Request, every time.Duration) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	out := http.NewResponseController(w)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := fmt.Fprintln(w, "<p>and on it goes</p>"); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}
