package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// The limits of streams.
const (
	heartbeat           = 15 * time.Second // well below the idle timeout of proxies
	recheckTime         = 5 * time.Minute  // the time after which a stream authenticates its caller again
	maxStreamsPerCaller = 64               // an account may be a connector that serves many people
)

// eventStream prevents proxies from storing or buffering a stream.
func eventStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
}

// response adapts writers without http.Flusher for mcp-go, using http.ResponseController, and records whether an answer
// has started.
type response struct {
	http.ResponseWriter
	started     bool
	id, standIn json.RawMessage // see withMessage
}

func (w *response) WriteHeader(status int) {
	w.started = true
	if h := w.Header(); h.Get("Content-Type") == "text/event-stream" { // a stream of mcp-go
		eventStream(h)
	}

	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(text []byte) (int, error) {
	w.started = true
	if w.standIn == nil || !bytes.Contains(text, w.standIn) {
		return w.ResponseWriter.Write(text)
	}

	_, err := w.ResponseWriter.Write(bytes.ReplaceAll(text, w.standIn, w.id))
	return len(text), err
}

// Flush sends the data written so far.
func (w *response) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
