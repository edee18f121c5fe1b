package onrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"time"

	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// maxFile bounds a file, in bytes. The largest has 0.7 GB.
const maxFile = 8 << 30

// maxTries is the maximum number of consecutive attempts to fetch a file without progress.
const maxTries = 6

// download is the content of a file, as it arrives.
type download struct {
	*io.PipeReader
	cancel context.CancelFunc
	ended  chan struct{}
}

// Close ends the download.
func (d *download) Close() error {
	d.cancel()
	err := d.PipeReader.Close()
	<-d.ended
	return err
}

// open downloads a file. It continues after a broken connection, as long as attempts make progress.
func (h *host) open(ctx context.Context, res resource) (io.ReadCloser, error) {
	u, err := url.Parse(res.URL)
	if err != nil {
		return nil, err
	}
	if !h.owns(u) {
		return nil, fmt.Errorf("%s is not on %s; links to elsewhere are not followed", u.Redacted(), h.base.Host)
	}

	ctx, cancel := context.WithCancel(ctx)
	content, to := io.Pipe()
	d := &download{content, cancel, make(chan struct{})}
	go func() {
		defer close(d.ended)
		err := h.transfer(ctx, &transfer{url: u, to: to, maxBytes: cmp.Or(res.maxBytes, maxFile)})
		if err != nil {
			err = fmt.Errorf("downloading %s: %w", path.Base(u.Path), err)
		}

		to.CloseWithError(err) // nil is the end of the file
	}()
	return d, nil
}

// transfer downloads a file in as many attempts as it needs.
func (h *host) transfer(ctx context.Context, t *transfer) error {
	for idle := 0; ; {
		before := t.received
		_, err := h.fetch(ctx, t)
		if err == nil {
			return nil
		}
		if idle++; t.received > before {
			idle = 0
		}
		if idle == maxTries || ctx.Err() != nil || errors.Is(err, upstream.ErrRejected) {
			return err
		}
		if err := work.Sleep(ctx, max(waitOf(err), time.Duration(idle)*h.retry)); err != nil {
			return err
		}
	}
}

// finalError is a failure that a retry cannot fix. The breaker does not count it.
type finalError struct{ err error }

func (e *finalError) Error() string   { return e.err.Error() }
func (e *finalError) Unwrap() []error { return []error{e.err, upstream.ErrRejected} }

func final(err error) error { return &finalError{err} }

// waitOf returns the pause that a failure requests.
func waitOf(err error) time.Duration {
	if f, ok := errors.AsType[*op.Failure](err); ok {
		return f.RetryAfter
	}
	return 0
}
