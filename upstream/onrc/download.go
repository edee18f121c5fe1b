package onrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// maxFile bounds a file, in bytes. The largest has 0.7 GB.
const maxFile = 8 << 30

// maxTries is the maximum number of consecutive attempts to fetch a file without progress.
const maxTries = 6

// file returns a resource of the portal as a file of a release.
func (p *Portal) file(res resource) sourceFile {
	return sourceFile{
		origin: res.URL + " " + res.Modified,
		size:   res.Size,
		get: func(ctx context.Context, dir string, read func(int64)) (string, bool, error) {
			path := filepath.Join(dir, res.fileName()+".csv")
			if err := p.download(ctx, res, path, read); err != nil {
				return "", false, fmt.Errorf("downloading %s: %w", res.fileName(), err)
			}
			return path, true, nil
		},
	}
}

// download downloads a file to a path. It resumes an earlier download, and retries as long as attempts make progress.
func (h *host) download(ctx context.Context, res resource, path string, read func(int64)) error {
	u, err := url.Parse(res.URL)
	if err != nil {
		return err
	}
	if !h.owns(u) {
		return fmt.Errorf("%s is not on %s; links to elsewhere are not followed", u.Redacted(), h.base.Host)
	}

	if _, err := os.Stat(path); err == nil {
		return nil
	}

	t := &transfer{url: u, path: path, read: read, maxBytes: cmp.Or(res.maxBytes, maxFile),
		mark: transferMark{URL: res.URL + " " + res.Modified, Size: -1}}
	t.resume()
	if t.arrivedLength() > 0 && t.arrivedLength() == t.mark.Size { // interrupted before the rename
		return t.finish()
	}

	for idle := 0; ; {
		before := t.arrivedLength()
		_, err := h.fetch(ctx, t)
		if err == nil {
			return t.finish()
		}
		if idle++; t.arrivedLength() > before {
			idle = 0
		}
		if idle == maxTries || ctx.Err() != nil || errors.Is(err, upstream.ErrRejected) {
			return err
		}
		if err := pause(ctx, max(waitOf(err), time.Duration(idle)*h.retry)); err != nil {
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

// pause waits, or returns the error of a context that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timeout, cancel := context.WithTimeout(ctx, d)
	defer cancel()

	<-timeout.Done()
	return ctx.Err()
}

// try makes one attempt at the missing part of the file.
func (h *host) try(ctx context.Context, t *transfer) (noResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	from := t.arrivedLength()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), nil)
	if err != nil {
		return noResult{}, err
	}

	req.Header.Set("User-Agent", h.userAgent)
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
		req.Header.Set("If-Range", t.mark.Validator)
	}

	res, err := h.files.Do(req)
	if err != nil {
		return noResult{}, transferFailure(ctx, err)
	}
	defer res.Body.Close()

	if from, err = t.begin(res, from); err != nil {
		return noResult{}, err
	}

	watchdog := time.AfterFunc(h.idle, func() { cancel(errStalled) })
	defer watchdog.Stop()

	return noResult{}, transferFailure(ctx, t.write(res.Body, from, func() { watchdog.Reset(h.idle) }))
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
