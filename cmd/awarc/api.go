package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/awarc/awarc/engine"
	"github.com/awarc/awarc/engine/cockpit"
	"github.com/awarc/awarc/engine/crawl"
)

// The API of a running crawl. It can make the crawl fetch what its scope allows,
// so it is bound to loopback or asks for a token; pages that a browser shows
// cannot use it, whatever address they resolve it to.

// What one request may hold.
const (
	maxInjected     = 100_000  // URLs
	maxRequestBytes = 32 << 20 // of a body
)

// tokenVariable names the environment variable that may hold the token. It is never
// written to disk.
const tokenVariable = "AWARC_API_TOKEN"

// checkAPI reports whether an address may be served without a token.
func checkAPI(addr, token string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usageError("--api %s: %v; expected an address such as 127.0.0.1:8080", addr, err)
	}
	if token == "" && !loopback(host) {
		return usageError("--api %s is reachable from other machines; add --api-token, or use an address such as 127.0.0.1:8080", addr)
	}
	return nil
}

// free reports whether the API can be served at an address, before there is a folder of a crawl without one.
func free(addr string) error {
	if addr == "" {
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return usageError("--api: %v", err)
	}
	return l.Close()
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// serveAPI serves the API, if the crawl has one, until the function that it returns
// is called.
func (x *session) serveAPI() (stop func(), err error) {
	addr := x.crawl.Options().API
	if addr == "" {
		return func() {}, nil
	}
	if err := checkAPI(addr, x.token); err != nil {
		return nil, err
	}
	return listen(addr, x.withPages(addr, x.api(x.token)), x.progress.note)
}

// withPages puts the pages of the cockpit beside an API, for people on this machine. To others they are served by awarc serve alone, which
// asks for a certificate.
func (x *session) withPages(addr string, api http.Handler) http.Handler {
	if host, _, _ := net.SplitHostPort(addr); !loopback(host) { // it was checked
		return api
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", "/metrics", "/debug/", "/healthz"} {
		mux.Handle(path, api)
	}
	mux.Handle("/", cockpit.New(cockpit.Options{Crawls: alone{x}, Software: software(), Secret: x.token}))
	return mux
}

// alone is the one crawl of a session, for the cockpit.
type alone struct{ x *session }

func (a alone) name() string {
	dir, err := filepath.Abs(a.x.crawl.Dir())
	if err != nil {
		return "crawl" // the folder of this process is gone
	}
	return filepath.Base(dir)
}

// Names implements [cockpit.Crawls], as the methods below do.
func (a alone) Names() []string { return []string{a.name()} }

// Folder is where the crawl is.
func (a alone) Folder(name string) string {
	if name != a.name() {
		return ""
	}
	return a.x.crawl.Dir()
}

// Session is the crawl.
func (a alone) Session(string) *cockpit.Session {
	return &cockpit.Session{Crawl: a.x.crawl, Feed: &a.x.feed}
}

// Begin begins nothing.
func (alone) Begin(string, []string) error { return errRunning }

// Schedule begins nothing later either.
func (alone) Schedule(string, time.Time, []string) error { return errRunning }

// Scheduled is none.
func (alone) Scheduled(string) *cockpit.Scheduled { return nil }

// Unschedule has nothing to begin.
func (alone) Unschedule(string, bool) error { return errRunning }

// Files are none.
func (alone) Files(string) []string { return nil }

// Check looks at nothing.
func (alone) Check(context.Context, []string) ([]crawl.SeedLook, error) { return nil, errRunning }

// Resume has nothing to go on with.
func (alone) Resume(string, bool) error { return errRunning }

// Give would have to begin another session.
func (alone) Give(string, []string) error { return errRunning }

// Pack cannot be: the crawl runs.
func (alone) Pack(context.Context, string, string) error { return errRunning }

// ServeAPI answers a request to the API.
func (a alone) ServeAPI(w http.ResponseWriter, r *http.Request, _, path string) {
	r.URL.Path, r.URL.RawPath = "/api/v1/"+path, ""
	a.x.routes().ServeHTTP(w, r)
}

// listen serves an API until the function that it returns is called.
func listen(addr string, api http.Handler, note func(string)) (stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, usageError("--api: %v", err)
	}
	note("API at http://" + l.Addr().String() + "/")
	return listenOn(l, api, note), nil
}

// listenOn serves until the function that it returns is called.
func listenOn(l net.Listener, handler http.Handler, note func(string)) (stop func()) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			note("the API server stopped: " + err.Error())
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close() // somebody reads slowly
		}
		<-done
	}
}

// api is the handler of all paths, for those who may ask.
func (x *session) api(token string) http.Handler {
	return http.NewCrossOriginProtection().Handler(guarded(token, x.routes()))
}

func (x *session) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/urls", x.apiInject)
	mux.HandleFunc("GET /api/v1/watch", x.apiWatch)
	mux.HandleFunc("POST /api/v1/watch", x.apiSetWatch)
	mux.HandleFunc("GET /api/v1/report", x.apiReport)
	mux.HandleFunc("GET /api/v1/objects", x.apiObjects)
	mux.HandleFunc("GET /api/v1/explain", x.apiExplain)
	mux.HandleFunc("GET /api/v1/nodes", x.apiNodes)
	mux.Handle("GET /api/v1/node/", cockpit.NodeHandler(&cockpit.Session{Crawl: x.crawl, Feed: &x.feed}))
	mux.HandleFunc("POST /api/v1/pause", func(w http.ResponseWriter, _ *http.Request) { x.apiPause(w, true) })
	mux.HandleFunc("POST /api/v1/resume", x.apiResume)
	mux.HandleFunc("POST /api/v1/stop", func(w http.ResponseWriter, _ *http.Request) {
		x.progress.note("stopped over the API")
		if err := x.crawl.StopAll(); err != nil {
			refuse(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(w, http.StatusAccepted, map[string]string{"state": "stopping"})
	})
	mux.HandleFunc("GET /api/v1/domains", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, x.crawl.Rules()) })
	mux.HandleFunc("PUT /api/v1/domains/{domain}", x.apiSetDomain)
	mux.HandleFunc("DELETE /api/v1/domains/{domain}", func(w http.ResponseWriter, r *http.Request) { x.apiRule(w, r, nil) })
	registry := prometheus.NewRegistry()
	registry.MustRegister(crawlMetrics{x})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	if x.crawl.Options().Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

// guarded asks for the token where there is one, and for a Host that names this
// machine where there is none: a page whose name was made to resolve to 127.0.0.1
// sends its own.
func guarded(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxRequestBytes)
		if token != "" {
			given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
				w.Header().Set("WWW-Authenticate", "Bearer")
				refuse(w, http.StatusUnauthorized, "missing or wrong token; send the header Authorization: Bearer TOKEN")
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if !loopback(strings.Trim(host, "[]")) {
			refuse(w, http.StatusForbidden, "the Host header does not name this machine; use the address of --api")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answer sends JSON. A client that is gone has no use for the error.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = writeJSON(w, v)
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]string{"error": why})
}

// body reads the JSON of a request, whatever type it claims, as curl -d claims
// another; it answers itself where that cannot be.
func body(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("more than one JSON value; send one")
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, err.Error())
		return false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
	}
	return err == nil
}

func (x *session) apiInject(w http.ResponseWriter, r *http.Request) {
	var list []engine.Injection
	if !body(w, r, &list) {
		return
	}
	if len(list) > maxInjected {
		refuse(w, http.StatusRequestEntityTooLarge, "more than 100000 URLs; send fewer in each request")
		return
	}
	done, err := x.crawl.Inject(r.Context(), list)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(w, http.StatusOK, done)
}

// apiReport tells what came of the crawl so far, with the archives of all nodes.
func (x *session) apiReport(w http.ResponseWriter, r *http.Request) {
	report := *x.crawl.Report()
	nodes, _ := x.crawl.Nodes(r.Context()) // servers that are away tell of none
	for _, n := range nodes {
		if !n.This {
			report.WARCBytes += n.WARCBytes
		}
	}
	answer(w, http.StatusOK, report)
}

// apiObjects tells of each object that was found, a line of JSON each, in no particular order.
func (x *session) apiObjects(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	err := x.crawl.Objects(func(class, id, title string) error {
		return writeJSON(w, map[string]string{"class": class, "id": id, "title": title})
	})
	if err != nil { // the client is gone, or shall not take the list for complete
		panic(http.ErrAbortHandler)
	}
}

func (x *session) apiExplain(w http.ResponseWriter, r *http.Request) {
	u, err := engine.SeedURL(r.URL.Query().Get("url"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "url: "+err.Error())
		return
	}
	e, err := x.crawl.Explain(u)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	answer(w, http.StatusOK, e)
}

// apiNodes tells of the nodes of the crawl: an empty list where it is of one machine.
func (x *session) apiNodes(w http.ResponseWriter, r *http.Request) {
	nodes, err := x.crawl.Nodes(r.Context())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(w, http.StatusOK, append([]crawl.NodeState{}, nodes...))
}

func (x *session) apiPause(w http.ResponseWriter, pause bool) {
	x.crawl.Pause(pause)
	state := "running"
	if pause {
		state = "paused"
	}
	x.progress.note(state + " over the API")
	answer(w, http.StatusOK, map[string]string{"state": state})
}

// apiResume ends a pause. Whoever wants the failed URLs as well has to wait for the end of the
// crawl.
func (x *session) apiResume(w http.ResponseWriter, r *http.Request) {
	failed, err := wantsFailed(r)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	case failed:
		refuse(w, http.StatusConflict, "the crawl is running; retry its failed URLs after it has ended")
	default:
		x.apiPause(w, false)
	}
}

// wantsFailed reports whether a request to go on asks for the failed URLs again.
func wantsFailed(r *http.Request) (bool, error) {
	value := r.URL.Query().Get("failed")
	if value == "" {
		return false, nil
	}
	failed, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("failed=%s: expected true or false", value)
	}
	return failed, nil
}

func (x *session) apiSetDomain(w http.ResponseWriter, r *http.Request) {
	var d crawl.DomainRule
	if body(w, r, &d) {
		x.apiRule(w, r, &d)
	}
}

func (x *session) apiRule(w http.ResponseWriter, r *http.Request, rule *crawl.DomainRule) {
	if err := x.crawl.SetRule(r.Context(), r.PathValue("domain"), rule); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	answer(w, http.StatusOK, x.crawl.Rules())
}

// crawlMetrics gives the figures of a crawl to Prometheus.
type crawlMetrics struct{ x *session }

// Describe sends no descriptions: the metrics depend on the crawl.
func (crawlMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (m crawlMetrics) Collect(to chan<- prometheus.Metric) {
	send := func(kind prometheus.ValueType, name, help string, value float64, label, of string) {
		var names, values []string
		if label != "" {
			names, values = []string{label}, []string{strings.ToValidUTF8(of, "\ufffd")}
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("awarc_"+name, help, names, nil), kind, value, values...)
	}
	r := m.x.crawl.Report()
	send(prometheus.CounterValue, "requests_total", "HTTP requests sent.", float64(r.Requests), "", "")
	send(prometheus.GaugeValue, "requests_saved", "Requests avoided: URLs that only a blind crawl would request.", float64(r.Saved),
		"", "")
	send(prometheus.CounterValue, "pages_total", "HTML pages archived with status 200.", float64(r.Pages), "", "")
	send(prometheus.CounterValue, "received_bytes_total", "Bytes received.", float64(r.BytesIn), "", "")
	send(prometheus.GaugeValue, "warc_bytes", "Bytes of all WARC files.", float64(r.WARCBytes), "", "")
	send(prometheus.CounterValue, "triples_total", "Triples written.", float64(r.Triples), "", "")
	for _, f := range []struct {
		name, help, label string
		counts            map[string]int64
	}{
		{"type_pages_total", "Pages by type of web application.", "type", r.Types},
		{"objects_total", "Objects extracted, by class.", "class", r.Objects},
		{"responses_total", "Responses by HTTP status.", "status", r.Statuses},
		{"errors_total", "Errors by kind.", "kind", r.Errors},
	} {
		for _, of := range slices.Sorted(maps.Keys(f.counts)) {
			send(prometheus.CounterValue, f.name, f.help, float64(f.counts[of]), f.label, of)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(r.Steps)) {
		send(prometheus.CounterValue, "step_seconds_total", "Time that all workers spent, by step of a visit.", r.Steps[step], "step",
			step)
	}
	s := m.x.crawl.Stats()
	for state, n := range map[string]int{"pending": s.Pending, "leased": s.Leased, "fetched": s.Fetched, "failed": s.Failed,
		"excluded": s.Excluded, "aliased": s.Aliased} {
		send(prometheus.GaugeValue, "urls", "URLs known, by state.", float64(n), "state", state)
	}
	send(prometheus.GaugeValue, "hosts", "Hosts with URLs to fetch.", float64(s.Hosts), "", "")
	paused := 0.0
	if m.x.crawl.Paused() {
		paused = 1
	}
	send(prometheus.GaugeValue, "paused", "1 while the crawl is paused.", paused, "", "")
}
