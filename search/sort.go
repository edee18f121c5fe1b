package search

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sorter sorts lines of bytes with bounded memory (external merge sort): it writes sorted runs into a directory and
// merges them.
type sorter struct {
	dir    string
	memory int // bytes to hold
	held   [][]byte
	size   int // of held
	runs   []*os.File
}

const lineSize = 40 // of a line of no bytes, with the overhead of an allocation

func (s *sorter) add(line []byte) error {
	s.held = append(s.held, bytes.Clone(line))
	if s.size += len(line) + lineSize; s.size < s.memory {
		return nil
	}

	return s.spill()
}

// spill writes the held lines as a run.
func (s *sorter) spill() error {
	slices.SortFunc(s.held, bytes.Compare)
	file, err := os.CreateTemp(s.dir, "run-*")
	if err != nil {
		return err
	}

	s.runs = append(s.runs, file)
	w := bufio.NewWriterSize(file, 1<<20)
	for _, line := range s.held { // the writer keeps its first error for Flush
		w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(len(line))))
		w.Write(line)
	}

	clear(s.held)
	s.held, s.size = s.held[:0], 0
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing a sorted run: %w", err)
	}

	_, err = file.Seek(0, io.SeekStart)
	return err
}

// each calls use for all lines in order. The bytes are valid only during the call.
func (s *sorter) each(ctx context.Context, use func(line []byte) error) error {
	if err := s.spill(); err != nil {
		return err
	}

	s.held = nil
	var runs []*run
	for _, file := range s.runs {
		r := &run{from: bufio.NewReaderSize(file, 1<<20)}
		if err := r.next(); err == nil {
			runs = append(runs, r)
		} else if err != io.EOF {
			return err
		}
	}

	for n := 0; len(runs) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		first := 0 // there are few runs
		for i, r := range runs {
			if bytes.Compare(r.line, runs[first].line) < 0 {
				first = i
			}
		}

		if err := use(runs[first].line); err != nil {
			return err
		}

		if err := runs[first].next(); err == io.EOF {
			runs = slices.Delete(runs, first, first+1)
		} else if err != nil {
			return err
		}
	}

	return nil
}

// close removes the runs.
func (s *sorter) close() (err error) {
	for _, file := range s.runs {
		err = errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return err
}

// run is a sorted file that is being read, with the line that was read last.
type run struct {
	from *bufio.Reader
	line []byte
}

// next reads the next line. It returns io.EOF at the end.
func (r *run) next() error {
	var length [4]byte
	_, err := io.ReadFull(r.from, length[:])
	if err == io.EOF {
		return err
	}

	if err == nil {
		n := int(binary.LittleEndian.Uint32(length[:]))
		r.line = slices.Grow(r.line[:0], n)[:n]
		_, err = io.ReadFull(r.from, r.line)
	}
	if err != nil {
		return fmt.Errorf("reading a sorted run: %w", err)
	}

	return nil
}
