package jobs

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxUnpacked bounds the unpacked size of a stored chunk.
const maxUnpacked = 512 << 20

// packers are compressors. Each takes more than a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil { // for an unknown level
		panic(err)
	}
	return w
}}

// pack encodes a list as JSON and compresses it for the store.
func pack[T any](all []T) ([]byte, error) {
	var packed bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&packed)
	if err := encodeList(w, all); err != nil {
		return nil, err
	}

	err := w.Close()
	return packed.Bytes(), err
}

// encodeList writes a list as a JSON array. It encodes the values one by one, so that the encoder's buffer stays small.
func encodeList[T any](w io.Writer, all []T) error {
	if _, err := io.WriteString(w, "["); err != nil {
		return err
	}

	enc := json.NewEncoder(w)
	for i := range all {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := enc.Encode(&all[i]); err != nil {
			return err
		}
	}

	_, err := io.WriteString(w, "]")
	return err
}

// unpackers are decompressors. Each takes 40 KB.
var unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// errListEnded reports an attempt to read past the last value.
var errListEnded = errors.New("the list has ended")

// unpacker reads the values of a packed list one by one.
type unpacker struct {
	flate io.ReadCloser
	json  *json.Decoder
	err   error
}

// unpack starts reading a packed list. The caller must close the unpacker.
func unpack(packed []byte) *unpacker {
	u := &unpacker{flate: unpackers.Get().(io.ReadCloser)}
	u.err = u.flate.(flate.Resetter).Reset(bytes.NewReader(packed), nil)
	u.json = json.NewDecoder(io.LimitReader(u.flate, maxUnpacked))
	if u.err == nil {
		_, u.err = u.json.Token() // the bracket
	}

	return u
}

// next decodes the next value, like json.Unmarshal. It returns false at the end of the list, and after an error.
func (u *unpacker) next(value any) bool {
	if u.err != nil {
		return false
	}

	if !u.json.More() {
		if _, u.err = u.json.Token(); u.err == nil { // the bracket, unless the list is cut off
			u.err = errListEnded
		}
		return false
	}

	u.err = u.json.Decode(value)
	return u.err == nil
}

// close returns the first error of reading. It must be called once.
func (u *unpacker) close() error {
	unpackers.Put(u.flate)
	if u.err == nil || u.err == errListEnded {
		return nil
	}
	return fmt.Errorf("reading stored rows: %w", u.err)
}
