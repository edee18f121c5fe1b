package onrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
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

// transfer is a file that is being downloaded in one or more attempts, and passed on as it arrives.
type transfer struct {
	url      *url.URL
	to       io.Writer
	maxBytes int64

	received int64  // bytes passed on
	size     int64  // length of the whole file; -1 if unknown
	version  string // the file's ETag, or else its date
	whole    bool   // request the file from its beginning, because its host gave a wrong range
}

// try makes one attempt at the missing part of the file.
func (h *host) try(ctx context.Context, t *transfer) (struct{}, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), nil)
	if err != nil {
		return struct{}{}, err
	}

	req.Header.Set("User-Agent", h.userAgent)
	if t.received > 0 && t.version != "" && !t.whole {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(t.received, 10)+"-")
		req.Header.Set("If-Range", t.version)
	}

	res, err := h.files.Do(req)
	if err != nil {
		return struct{}{}, transferFailure(ctx, err)
	}
	defer res.Body.Close()

	from, err := t.begin(res)
	if err != nil {
		return struct{}{}, err
	}

	watchdog := time.AfterFunc(h.idle, func() { cancel(errStalled) })
	defer watchdog.Stop()

	return struct{}{}, transferFailure(ctx, t.copy(res.Body, from, watchdog, h.idle))
}

// begin interprets the head of an answer and returns the offset in the file at which its body begins.
func (t *transfer) begin(res *http.Response) (int64, error) {
	switch status := res.StatusCode; {
	// the portal's firewall answers the requests that it rejects with an HTML page and status 200
	case status < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
		return 0, broken(errors.New("an HTML page instead of the file"))
	case status == http.StatusPartialContent && t.received > 0:
		if start, size, ok := contentRange(res.Header.Get("Content-Range")); ok && start == t.received &&
			size == t.size {
			return start, nil
		}

		t.whole = true
		return 0, broken(fmt.Errorf("the range %q is not the requested one", res.Header.Get("Content-Range")))
	case status == http.StatusOK:
		return 0, t.beginWhole(res)
	case status == http.StatusRequestedRangeNotSatisfiable:
		t.whole = true
	case status == http.StatusNotFound || status == http.StatusGone:
		return 0, final(fmt.Errorf("status %d", status))
	}

	return 0, &op.Failure{Registry: name, Kind: op.Broken,
		RetryAfter: web.RetryAfter(res.Header, upstream.MaxPause), Err: fmt.Errorf("status %d", res.StatusCode)}
}

// beginWhole checks that an answer with the whole file continues what was received.
func (t *transfer) beginWhole(res *http.Response) error {
	version := res.Header.Get("ETag")
	if version == "" || strings.HasPrefix(version, "W/") {
		version = res.Header.Get("Last-Modified")
	}

	switch {
	case t.received > 0 && version == "":
		return final(errors.New("the connection broke, and the host names no version with which to continue the file"))
	case t.received > 0 && (version != t.version || res.ContentLength != t.size):
		return final(errors.New("the file was replaced during its download"))
	case res.ContentLength > t.maxBytes:
		return final(fmt.Errorf("%d bytes are more than the %d that it may have", res.ContentLength, t.maxBytes))
	}

	t.size, t.version = res.ContentLength, version
	return nil
}

// copy passes on a body that begins at an offset of the file, without the bytes that were received before. It stops the
// watchdog while it waits for the reader of the file.
func (t *transfer) copy(body io.Reader, at int64, watchdog *time.Timer, idle time.Duration) error {
	buffer := make([]byte, 256<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			watchdog.Stop()
			known := min(int64(n), t.received-at)
			if at += int64(n); at > t.maxBytes {
				return final(fmt.Errorf("it continues beyond the permitted %d bytes", t.maxBytes))
			}
			if _, err := t.to.Write(buffer[known:n]); err != nil {
				return final(err)
			}

			t.received = max(t.received, at)
			watchdog.Reset(idle)
		}

		switch {
		case err == io.EOF && (t.size < 0 || at == t.size):
			return nil
		case err == io.EOF:
			return fmt.Errorf("the file ended at %d of %d bytes", at, t.size)
		case err != nil:
			return err
		}
	}
}

// contentRange parses "bytes 100-199/200".
func contentRange(text string) (start, size int64, ok bool) {
	var end int64
	_, err := fmt.Sscanf(text, "bytes %d-%d/%d", &start, &end, &size)
	return start, size, err == nil && end == size-1
}

var errStalled = errors.New("no data arrived for too long")

// transferFailure converts the error of a transfer to a failure: a timeout, the end of the context, or a fault of the
// host.
func transferFailure(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, upstream.ErrRejected) {
		return err
	}

	kind := op.Broken
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
		if !errors.Is(cause, context.Canceled) {
			kind = op.TimedOut
		}
	}

	return &op.Failure{Registry: name, Kind: kind, Err: err}
}
