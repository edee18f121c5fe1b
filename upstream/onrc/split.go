package onrc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"

	"github.com/rodata/rodata/internal/tradenumber"
)

// splitTable describes a table that has been split into parts.
type splitTable struct {
	// Origin identifies the file.
	Origin string `json:"origin"`
	// Rows counts the rows of the file, and Kept the rows of its parts.
	Rows  int64 `json:"rows"`
	Kept  int64 `json:"kept"`
	Bytes int64 `json:"bytes"`
	// Dropped counts dropped and corrected rows and values.
	Dropped reasons `json:"dropped"`
}

// splitFile splits the file of a table into parts in a directory. Writing the description is the last step, which marks
// the parts as complete.
func splitFile(ctx context.Context, t *table, file sourceFile, dir string, read func(int64)) (*splitTable, error) {
	content, err := file.open(ctx)
	if err != nil {
		return nil, err
	}
	defer content.Close()

	s := &splitTable{Origin: file.origin, Dropped: reasons{}}
	if err := s.split(ctx, t, countingReader{content, func(n int64) { s.Bytes += n; read(n) }}, dir); err != nil {
		return nil, fmt.Errorf("reading %s: %w", t.name, err)
	}

	return s, writeJSON(splitPath(t, dir), s)
}

func (s *splitTable) split(ctx context.Context, t *table, file io.Reader, dir string) (err error) {
	rs, err := readRows(file, append([]string{keyColumn}, t.needed...), s.Dropped)
	if err != nil {
		return err
	}

	ps, err := createParts(t, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ps.close()) }()

	keyAt, keptAt := rs.columns[keyColumn], rs.positions(t.kept)
	var payload []byte
	for {
		cells, err := rs.next()
		if err == io.EOF {
			s.Rows = rs.read
			return nil
		}
		if err != nil {
			return err
		}
		if rs.read%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(cells[keyAt]) == 0 {
			s.Dropped[keylessRow]++
			continue
		}

		payload = payload[:0]
		for i, at := range keptAt {
			if i > 0 {
				payload = append(payload, '^')
			}
			if at >= 0 {
				payload = append(payload, s.redact(t, t.kept[i], cells[at])...)
			}
		}

		if err := ps.add(keyOf(cells[keyAt]), payload); err != nil {
			return err
		}

		s.Kept++
	}
}

// redact removes personal data from a cell.
func (s *splitTable) redact(t *table, column string, cell []byte) []byte {
	if len(cell) == 0 {
		return nil
	}

	switch column {
	case "CUI":
		if isPersonal(cell) {
			s.Dropped[personalNumber]++
			return nil
		}
	case keyColumn:
		if _, ok := tradenumber.Parse(cell); ok { // a register number may also have 13 digits
			return cell
		}
	}

	cell, found := withoutPersonal(cell)
	if t.persons {
		var dated bool
		cell, dated = withoutDates(cell)
		found = found || dated
	}

	if found {
		s.Dropped[personalText]++
	}

	return cell
}

// unreadable marks the keys of register numbers in an unknown format.
const unreadable = 1 << 63

// keyOf returns the join key of a register number. All formats of a number have the same key.
func keyOf(cell []byte) uint64 {
	if n, ok := tradenumber.Parse(cell); ok {
		return n.Key()
	}

	h := fnv.New64a()
	h.Write(bytes.ToUpper(bytes.ReplaceAll(cell, []byte(" "), nil)))
	return h.Sum64() | unreadable
}

func splitPath(t *table, dir string) string { return filepath.Join(dir, t.name+".json") }

// readSplit returns the description of a table that is already split. It returns nil if the table is not split, or was
// split from another file.
func readSplit(t *table, origin, dir string) *splitTable {
	var s splitTable
	if readJSON(splitPath(t, dir), &s) != nil || s.Origin != origin {
		return nil
	}

	return &s
}

// removeSplit removes first the description that marks a table's parts as complete, and then the parts.
func removeSplit(t *table, dir string) error {
	err := os.Remove(splitPath(t, dir))
	for n := range partCount {
		err = errors.Join(err, os.Remove(partPath(t, dir, n)))
	}
	return err
}

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
