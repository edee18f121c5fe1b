package table

import (
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// zstdFrame is a zstd frame that is being written, with the facts that follow it.
type zstdFrame struct {
	*zstd.Encoder
	to   io.Writer
	info Info
}

// Compress returns a writer that compresses with zstd (RFC 8878). Closing it completes the compressed text, and does
// not close w. The same text always gives the same bytes.
//
// info follows the compressed text in a skippable frame (section 3.1.2), with one fact per line, such as "licence: CC
// BY 4.0". Decompressors ignore this frame, and tail shows it. It does not precede the text, because some
// decompressors stop after the first frame (zlib of Node 22 and decompress of python-zstandard 0.20, 2026-11-23) and
// would return nothing.
func Compress(w io.Writer, info Info) (io.WriteCloser, error) {
	e, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return &zstdFrame{e, w, info}, nil
}

// Close implements io.Closer.
func (c *zstdFrame) Close() error {
	if err := c.Encoder.Close(); err != nil {
		return err
	}

	var facts strings.Builder
	for _, note := range c.info.notes() {
		facts.WriteString("\n" + note.Name + ": " + note.Text) // the line break ends whatever bytes stand before
	}

	facts.WriteString("\n")

	header := zstd.Header{Skippable: true, SkippableSize: uint32(facts.Len())}
	frame, err := header.AppendTo(nil)
	if err != nil {
		return err
	}

	_, err = c.to.Write(append(frame, facts.String()...))
	return err
}

// Decompress returns a reader that decompresses the output of Compress. It must be closed.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
