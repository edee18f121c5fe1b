package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxLine is the maximum length of a line in a stream, in bytes.
const maxLine = 16 << 20

// ErrSilent is the error of an answer that has been silent for longer than the client's timeout.
var ErrSilent = errors.New("the gateway has been silent for too long")

// stream opens a stream of JSON lines and calls each with every line until each returns false. It skips blank lines,
// which only keep the connection open. It returns nil at the end of the stream, and if each has stopped it.
func (c *Client) stream(ctx context.Context, r request, each func(line []byte) bool) error {
	r.accept = ndjsonType
	res, err := c.open(ctx, r)
	if err != nil {
		return err
	}
	defer res.Body.Close()

	if !isOf(res, ndjsonType) {
		return unexpectedAnswer(res)
	}

	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !each(line) {
			return nil
		}
	}

	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the stream of %s: %w", res.Request.URL.Redacted(), err)
	}

	return nil
}

// open sends a request whose answer is read incrementally. Its body must be closed. It fails if nothing arrives for the
// client's timeout.
func (c *Client) open(ctx context.Context, r request) (res *http.Response, err error) {
	err = c.withRetries(ctx, func() error {
		ctx, cancel := context.WithCancelCause(ctx)
		silence := time.AfterFunc(c.Timeout, func() { cancel(ErrSilent) })
		answer, err := c.exchange(ctx, r)
		if err != nil {
			silence.Stop()
			err = causeOf(ctx, err)
			cancel(nil)
			return err
		}

		answer.Body = &idleTimeoutBody{
			ReadCloser: answer.Body, ctx: ctx, cancel: cancel, silence: silence, timeout: c.Timeout,
		}
		res = answer
		return nil
	})
	return res, err
}

// idleTimeoutBody is a body whose reads fail once nothing has arrived for the client's timeout.
type idleTimeoutBody struct {
	io.ReadCloser
	ctx     context.Context // of the request
	cancel  context.CancelCauseFunc
	silence *time.Timer
	timeout time.Duration
}

func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.silence.Reset(b.timeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}

	return n, err
}

func (b *idleTimeoutBody) Close() error {
	b.silence.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// causeOf returns the cause of a context's cancellation, or else the error.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
