package onrc

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// partCount is the number of parts into which each table is split. All rows of a company are in parts with the same
// number, so the tables can be joined part by part. A part of every table fits into memory many times over.
//
// It is a variable because tests load many small registers, for which creating hundreds of files would dominate.
var partCount = 64

// parts are the files of a split table that are being written. A file has records, each with the key in eight bytes,
// the length of the cells as a varint, and the cells separated by carets.
type parts struct {
	files   []*os.File
	writers []*bufio.Writer
	head    [8 + binary.MaxVarintLen64]byte
}

func partPath(t *table, dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%02d", t.name, n))
}

func createParts(t *table, dir string) (*parts, error) {
	var ps parts
	for n := range partCount {
		file, err := os.Create(partPath(t, dir, n))
		if err != nil {
			return nil, errors.Join(err, ps.close())
		}

		ps.files, ps.writers = append(ps.files, file), append(ps.writers, bufio.NewWriterSize(file, 64<<10))
	}

	return &ps, nil
}

func (ps *parts) add(key uint64, payload []byte) error {
	binary.LittleEndian.PutUint64(ps.head[:], key)
	n := 8 + binary.PutUvarint(ps.head[8:], uint64(len(payload)))
	w := ps.writers[partOf(key)]
	if _, err := w.Write(ps.head[:n]); err != nil {
		return err
	}

	_, err := w.Write(payload)
	return err
}

// partOf returns the part of a key. The keys are sequential; multiplying them by 2^64 divided by the golden ratio
// spreads them evenly.
func partOf(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> 32 % uint64(partCount)) }

func (ps *parts) close() error {
	var errs []error
	for n, file := range ps.files {
		errs = append(errs, ps.writers[n].Flush(), file.Close())
	}
	return errors.Join(errs...)
}

// cutRecord returns the key of the first record of a text, and the positions at which its cells begin and end.
func cutRecord(body []byte) (key uint64, head, end int, ok bool) {
	if len(body) < 8 {
		return 0, 0, 0, false
	}

	length, n := binary.Uvarint(body[8:])
	if n <= 0 || length > uint64(len(body)-8-n) {
		return 0, 0, 0, false
	}

	head = 8 + n
	return binary.LittleEndian.Uint64(body), head, head + int(length), true
}
