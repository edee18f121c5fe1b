package standin

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// exchange is a request and its correct answer.
type exchange struct {
	w        http.ResponseWriter
	r        *http.Request
	reply    reply
	released <-chan struct{}
}

// send writes the reply unchanged.
func (e *exchange) send() {
	h, p := e.w.Header(), e.reply
	for name, value := range p.header {
		h.Set(name, value)
	}

	h.Set("Content-Type", p.mime)
	if !p.modified.IsZero() {
		sum := sha256.Sum256(p.body)
		h.Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
		http.ServeContent(e.w, e.r, "", p.modified, bytes.NewReader(p.body))
		return
	}

	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	e.w.WriteHeader(max(p.status, http.StatusOK))
	_, _ = e.w.Write(p.body) // the client may have disconnected
}

// sendInstead writes another reply instead of the correct one.
func (e *exchange) sendInstead(p reply) {
	e.reply = p
	e.send()
}

// wait waits for a duration, and reports whether the client is still connected. It returns early when hanging answers
// are released.
func (e *exchange) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()

	return e.until(timer.C)
}

// until waits for the event, the release, or the end of the request. It returns false only for the end of the request.
// A nil event never occurs.
func (e *exchange) until(event <-chan time.Time) bool {
	select {
	case <-event:
	case <-e.released:
	case <-e.r.Context().Done():
		return false
	}

	return true
}

// reset ends the connection with a TCP reset, without a reply.
func (e *exchange) reset() {
	conn, _, err := http.NewResponseController(e.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // closes the connection as well
	}

	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}

	_ = conn.Close()
}

// cutWriter ends the connection in the middle of the announced body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) WriteHeader(status int) {
	length, _ := strconv.Atoi(c.Header().Get("Content-Length"))
	c.left = length / 2
	c.ResponseWriter.WriteHeader(status)
}

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) < c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}

	_, _ = c.ResponseWriter.Write(p[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush() // the first half must arrive
	panic(http.ErrAbortHandler)
}

// dripWriter sends one byte at a time.
type dripWriter struct {
	http.ResponseWriter
	e     *exchange
	every time.Duration
}

func (d *dripWriter) Write(p []byte) (int, error) {
	control := http.NewResponseController(d.ResponseWriter)
	for i := range p {
		if _, err := d.ResponseWriter.Write(p[i : i+1]); err != nil {
			return i, err
		}
		if err := control.Flush(); err != nil {
			return i, err
		}
		if !d.e.wait(d.every) {
			return i, d.e.r.Context().Err()
		}
	}

	return len(p), nil
}
