package cockpit

import (
	"net/http"
	"time"
)

// eventEvery is how often the figures of a page that is watched are sent.
const eventEvery = time.Second

func (c *Cockpit) live(w http.ResponseWriter, r *http.Request) {
	c.show(w, r, "live", c.look(r.PathValue("name")))
}

// events sends the parts of the live page that change, as server-sent events, until the watcher is gone or the session has ended. An event
// is made once a second however much happens: watchers cost the crawl nothing that grows with its rate.
func (c *Cockpit) events(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	tick := time.NewTicker(eventEvery)
	defer tick.Stop()
	for {
		v := c.look(name)
		part, err := rendered("live", "figures", v)
		if err == nil {
			_ = out.SetWriteDeadline(time.Now().Add(10 * eventEvery)) // of who reads no more
			_, err = w.Write(event("figures", part))
		}
		if err == nil && !v.Open {
			_, _ = w.Write(event("ended", nil))
			_ = out.Flush()
			return
		}
		if err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// event is one of a stream: lines of data behind its name.
func event(name string, data []byte) []byte {
	out := []byte("event: " + name + "\ndata: ")
	for _, b := range data {
		if b == '\n' {
			out = append(out, "\ndata: "...)
		} else if b != '\r' {
			out = append(out, b)
		}
	}
	return append(out, "\n\n"...)
}
