package upstream

import (
	"errors"
	"io"
	"time"
)

// ErrConnection marks a failure without a complete answer, because the connection was refused, reset, or closed early.
// A retry may help.
var ErrConnection = errors.New("connection failed")

// ErrRejected marks a failure caused by our request: the registry is healthy, but rejects the request. A breaker does
// not count it.
var ErrRejected = errors.New("request rejected")

// ErrNotSent marks a failure without a call, because the breaker is open.
var ErrNotSent = errors.New("not queried: it failed repeatedly, and its breaker is open")

// MaxPause limits the pause that a registry can request.
const MaxPause = 5 * time.Minute

var errIdle = errors.New("nothing arrived")

// watchedBody cancels its request if no byte arrives for too long, so that a slow registry cannot hold a call until its
// deadline.
type watchedBody struct {
	io.Reader
	timer *time.Timer
	idle  time.Duration
}

func watch(body io.Reader, idle time.Duration, cancel func(error)) io.Reader {
	return &watchedBody{body, time.AfterFunc(idle, func() { cancel(errIdle) }), idle}
}

func (w *watchedBody) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil {
		w.timer.Stop()
	} else if n > 0 {
		w.timer.Reset(w.idle)
	}

	return n, err
}
