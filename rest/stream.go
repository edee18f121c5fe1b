package rest

import (
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/op"
)

var ndjsonType = []string{op.NDJSONType}

// beginStream sends the headers of a stream.
func (x *exchange) beginStream(status int, contentType []string) {
	h := x.w.Header()
	h["X-Accel-Buffering"] = []string{"no"} // proxies would otherwise wait for the end
	h["Content-Type"] = contentType
	x.head(false)
	x.wrote = true
	x.w.WriteHeader(status)
}

// push sends a piece of a stream.
func (x *exchange) push(text []byte) error {
	control := http.NewResponseController(x.w)
	_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // if the server supports it
	_, err := x.w.Write(text)
	if err == nil {
		err = control.Flush()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", op.ErrCallerGone, err)
	}

	return nil
}

// writeTimeout is the time limit for a client to accept a piece of a stream.
const writeTimeout = 30 * time.Second
