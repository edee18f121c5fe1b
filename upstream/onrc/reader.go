package onrc

import (
	"context"
	"io"
)

// countingReader reports the number of bytes read.
type countingReader struct {
	io.Reader
	note func(int64)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.note(int64(n))
	return n, err
}

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
