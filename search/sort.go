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

// sorter sorts values by their keys with bounded memory (external merge sort): it writes sorted runs into a directory
// and merges them.
type sorter struct {
	dir    string
	memory int // bytes to hold
	held   []keyedValue
	size   int // of held
	runs   []*os.File
}

// keyedValue is a value with its key before it.
type keyedValue struct {
	both   []byte
	keyLen int
}

func (k keyedValue) key() []byte { return k.both[:k.keyLen] }

const keyedSize = 48 // with the overhead of an allocation

func (s *sorter) add(key, value []byte) error {
	one := keyedValue{slices.Concat(key, value), len(key)}
	s.held = append(s.held, one)
	if s.size += len(one.both) + keyedSize; s.size < s.memory {
		return nil
	}

	return s.spill()
}

// spill writes the held values as a run. Keys are unique, so the order does not depend on the runs.
func (s *sorter) spill() error {
	slices.SortFunc(s.held, func(a, b keyedValue) int { return bytes.Compare(a.key(), b.key()) })
	file, err := os.CreateTemp(s.dir, "run-*")
	if err != nil {
		return err
	}

	s.runs = append(s.runs, file)
	w := bufio.NewWriterSize(file, 1<<20)
	for _, k := range s.held { // the writer keeps its first error for Flush
		w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(k.keyLen)))
		w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(len(k.both))))
		w.Write(k.both)
	}

	clear(s.held)
	s.held, s.size = s.held[:0], 0
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing a sorted run: %w", err)
	}

	_, err = file.Seek(0, io.SeekStart)
	return err
}

// each calls use for all values in order. The bytes are valid only during the call.
func (s *sorter) each(ctx context.Context, use func(value []byte) error) error {
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
			if bytes.Compare(r.key(), runs[first].key()) < 0 {
				first = i
			}
		}

		if err := use(runs[first].both[runs[first].keyLen:]); err != nil {
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

// run is a sorted file that is being read, with the value that was read last.
type run struct {
	from *bufio.Reader
	keyedValue
}

// next reads the next value. It returns io.EOF at the end.
func (r *run) next() error {
	var lengths [8]byte
	if _, err := io.ReadFull(r.from, lengths[:]); err == io.EOF {
		return err
	} else if err != nil {
		return fmt.Errorf("reading a sorted run: %w", err)
	}

	length := int(binary.LittleEndian.Uint32(lengths[4:]))
	r.keyLen, r.both = int(binary.LittleEndian.Uint32(lengths[:])), slices.Grow(r.both[:0], length)[:length]
	if _, err := io.ReadFull(r.from, r.both); err != nil {
		return fmt.Errorf("reading a sorted run: %w", err)
	}

	return nil
}
