// Package coding compresses response bodies. A body that is sent repeatedly is compressed once per content coding, in
// the background.
package coding

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Coding is a content coding (RFC 9110, section 8.4.1).
type Coding int

// The codings, in the order of preference.
const (
	Zstd     Coding = iota // RFC 8878
	Gzip                   // RFC 1952
	Identity               // no compression

	codings = Identity // the number of codings that compress
)

// names holds the header value of each coding. The slices are shared and must not be modified.
var names = [codings][]string{{"zstd"}, {"gzip"}}

// Negotiate returns the coding with the highest quality value in a request's Accept-Encoding header (RFC 9110, section
// 12.5.3). It prefers Zstd over Gzip if both have the same value, and returns Identity if the header is missing or
// accepts neither.
func Negotiate(h http.Header) Coding {
	best, most := Identity, 0.0
	for _, line := range h["Accept-Encoding"] {
		for part := range strings.SplitSeq(line, ",") {
			name, parameter, _ := strings.Cut(strings.TrimSpace(part), ";")
			c, known := codingNamed(strings.TrimSpace(name))
			if q := quality(parameter); known && (q > most || q == most && c < best) {
				best, most = c, q
			}
		}
	}

	if most == 0 {
		return Identity
	}

	return best
}

func codingNamed(name string) (Coding, bool) {
	for c := range codings {
		if strings.EqualFold(name, names[c][0]) {
			return c, true
		}
	}

	return Identity, false
}

// quality returns the value of the parameter q: 1 if it is missing and 0 if it is malformed.
func quality(parameter string) float64 {
	if parameter == "" {
		return 1
	}

	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	if !strings.EqualFold(name, "q") {
		return 1
	}

	q, _ := strconv.ParseFloat(value, 64)
	return q
}

// effort is how much CPU time the compressor spends to make a body smaller.
type effort int

const (
	quickly    effort = iota // for a body that is sent once
	thoroughly               // for a body that is kept and sent many times

	efforts
)

// compress returns the body compressed with the coding.
func (c Coding) compress(e effort, body []byte) []byte {
	pool := writers[c][e]
	w := pool.Get().(writer)
	defer pool.Put(w)
	var compressed bytes.Buffer
	w.Reset(&compressed)
	w.Write(body) // writing to a buffer cannot fail
	w.Close()
	if e == quickly {
		return compressed.Bytes()
	}

	return bytes.Clone(compressed.Bytes()) // without the buffer's spare capacity
}

type writer interface {
	io.WriteCloser
	Reset(io.Writer)
}

var writers = [codings][efforts]*sync.Pool{
	Zstd: {newZstd(zstd.SpeedFastest, 128<<10), newZstd(zstd.SpeedBetterCompression, 512<<10)},
	Gzip: {newGzip(gzip.DefaultCompression), newGzip(gzip.BestCompression)},
}

// newZstd returns a pool of encoders. Each takes about twice the window in memory; the window is in bytes.
func newZstd(level zstd.EncoderLevel, window int) *sync.Pool {
	return &sync.Pool{New: func() any {
		return must(zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(window), zstd.WithEncoderLevel(level)))
	}}
}

func newGzip(level int) *sync.Pool {
	return &sync.Pool{New: func() any { return must(gzip.NewWriterLevel(nil, level)) }}
}

// must panics on an error, which is possible only for an invalid level or option.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
