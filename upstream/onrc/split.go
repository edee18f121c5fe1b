package onrc

import (
	"context"
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
	for _, c := range cell {
		if c != ' ' {
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			h.Write([]byte{c})
		}
	}

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
