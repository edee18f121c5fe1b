package table

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// Compress returns a writer that compresses with zstd (RFC 8878). Closing it completes the compressed text, and does not
// close w. The same text always gives the same bytes.
func Compress(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
}

// Decompress returns a reader of what Compress compressed. It must be closed.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
