package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// mostLine is the longest line of a stream, in bytes.
const mostLine = 16 << 20

// errSilent ends a stream that has been silent for too long.
var errSilent = errors.New("the stream has been silent for too long")

// stream opens a stream of JSON lines, and gives each to a function until that returns false. Blank lines only show
// that the stream goes on. It returns nil at the end of the stream, and when the function has stopped it.
func (c *Client) stream(ctx context.Context, r request, each func(line []byte) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(c.Timeout, func() { cancel(errSilent) })
	defer silence.Stop()

	res, err := c.open(ctx, r, silence)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 0, 64<<10), mostLine)
	for lines.Scan() {
		silence.Reset(c.Timeout)
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !each(line) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("reading the stream of %s: %w", res.Request.URL.Redacted(), err)
	}
	return nil
}

// open sends the request of a stream, with retries, during which the silence does not count.
func (c *Client) open(ctx context.Context, r request, silence *time.Timer) (res *http.Response, err error) {
	r.accept = ndjsonType
	err = c.retrying(ctx, func() (err error) {
		silence.Reset(c.Timeout)
		res, err = c.exchange(ctx, r)
		silence.Stop()
		return err
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	if !isOf(res, ndjsonType) {
		defer res.Body.Close()
		return nil, unexpected(res)
	}
	silence.Reset(c.Timeout)
	return res, nil
}
