package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awarc/awarc/engine/fetch"
)

// Two host names, one address, many workers: by the clock of the server no exchange begins before the one
// before it has ended.
func TestOneExchangeAtATimeToAnAddress(t *testing.T) {
	t.Parallel()
	type span struct{ from, to time.Time }
	var mu sync.Mutex
	var spans []span
	body := strings.Repeat("x", 100_000)
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		for c.request() {
			from := time.Now()
			runtime.Gosched()
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body)+1, body)
			mu.Lock()
			spans = append(spans, span{from, time.Now()})
			mu.Unlock()
			io.WriteString(c, "x") // the last byte: the client is not done before the span is
		}
	})
	_, port, _ := net.SplitHostPort(server.addr)
	client := newClient(t, fetch.Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			host := []string{"127.0.0.1", "localhost"}[i%2]
			for range 10 {
				do(t, client, "http://"+net.JoinHostPort(host, port))
			}
		})
	}
	wg.Wait()
	if len(spans) != 80 {
		t.Fatalf("%d exchanges, want 80", len(spans))
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	for i := 1; i < len(spans); i++ {
		if spans[i].from.Before(spans[i-1].to) {
			t.Errorf("exchange %d begins %v before the end of the one before it", i, spans[i-1].to.Sub(spans[i].from))
		}
	}
	if n := server.connections(); n != 2 {
		t.Errorf("%d connections, want one for each host name", n)
	}
}

// Different addresses do not wait for each other: each of two servers answers only when both have a request.
func TestAddressesInParallel(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("needs a second loopback address: ", err)
	}
	var both sync.WaitGroup
	both.Add(2)
	serve := func(_ int, c *rawConn) {
		c.request()
		both.Done()
		both.Wait()
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	}
	a, b := serveRaw(t, listen(t), serve), serveRaw(t, other, serve)
	client := newClient(t, fetch.Options{})
	var wg sync.WaitGroup
	wg.Go(func() { do(t, client, "http://"+a.addr) })
	wg.Go(func() { do(t, client, "http://"+b.addr) })
	wg.Wait()
}

// Who waits at the gate can give up, and does not block it.
func TestCancelAtTheGate(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		for c.request() {
			asked <- struct{}{}
			<-release
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	client := newClient(t, fetch.Options{})
	var wg sync.WaitGroup
	wg.Go(func() { do(t, client, "http://"+server.addr) })
	<-asked
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() {
		_, err := client.Do(ctx, "http://"+server.addr, nil)
		checkKind(t, err, fetch.KindCanceled)
	})
	cancel()
	release <- struct{}{}
	wg.Wait()
	wg.Go(func() { do(t, client, "http://"+server.addr) })
	<-asked
	release <- struct{}{}
	wg.Wait()
}

// Closing the client ends idle connections.
func TestClose(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := serveRaw(t, listen(t), func(_ int, c *rawConn) {
		for c.request() {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
		close(ended)
	})
	client := newClient(t, fetch.Options{})
	do(t, client, "http://"+server.addr)
	client.Close()
	<-ended
}
