package index

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sorter puts values in the order of their keys without holding them all: it
// writes sorted runs into a folder and merges them.
type sorter struct {
	dir     string
	held    []byte // keys, each followed by its value
	entries []entry
	runs    []*os.File
}

// newSorter is a sorter that holds so many bytes in memory.
func newSorter(dir string, memory int) sorter {
	return sorter{dir: dir, held: make([]byte, 0, memory-memory/8), entries: make([]entry, 0, memory/8/entrySize)}
}

// entry is a key and its value among those held. The first bytes of the key stand
// in head, which decides most comparisons.
type entry struct {
	head            uint64
	at, key, length uint32
}

const entrySize = 24

func (s *sorter) add(key, value []byte) error {
	if len(s.held)+len(key)+len(value) > cap(s.held) || len(s.entries) == cap(s.entries) {
		if err := s.spill(); err != nil {
			return err
		}
	}

	var head [8]byte
	copy(head[:], key)
	s.entries = append(s.entries, entry{binary.BigEndian.Uint64(head[:]), uint32(len(s.held)), uint32(len(key)), uint32(len(key) + len(value))})
	s.held = append(append(s.held, key...), value...)
	return nil
}

func (s *sorter) keyOf(e entry) []byte { return s.held[e.at : e.at+e.key] }

// spill writes what is held as a run.
func (s *sorter) spill() error {
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.head, b.head), bytes.Compare(s.keyOf(a), s.keyOf(b)), cmp.Compare(a.at, b.at))
	})
	file, err := os.CreateTemp(s.dir, "run-*")
	if err != nil {
		return err
	}

	s.runs = append(s.runs, file)
	w := bufio.NewWriterSize(file, 1<<20)
	for _, e := range s.entries {
		// A bufio.Writer remembers its first error and Flush gives it.
		w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), e.key))
		w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), e.length))
		w.Write(s.held[e.at : e.at+e.length])
	}

	s.held, s.entries = s.held[:0], s.entries[:0]
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing a sorted run: %w", err)
	}

	_, err = file.Seek(0, io.SeekStart)
	return err
}

// each calls use for all values in order. The bytes are use's only during the call.
func (s *sorter) each(ctx context.Context, use func(value []byte) error) error {
	if err := s.spill(); err != nil {
		return err
	}
	s.held, s.entries = nil, nil
	var merge runs
	for _, file := range s.runs {
		r := &run{from: bufio.NewReaderSize(file, 1<<20)}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			merge = append(merge, r)
		}
	}

	heap.Init(&merge)
	for n := 0; len(merge) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := merge[0]
		if err := use(first.value); err != nil {
			return err
		}

		if ok, err := first.next(); err != nil {
			return err
		} else if ok {
			heap.Fix(&merge, 0)
		} else {
			heap.Pop(&merge)
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

// run is a sorted file being read.
type run struct {
	from       *bufio.Reader
	key, value []byte
	both       []byte
}

// next reads the next pair; false at the end.
func (r *run) next() (bool, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r.from, lengths[:]); errors.Is(err, io.EOF) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("reading a sorted run: %w", err)
	}

	key, length := binary.LittleEndian.Uint32(lengths[:]), binary.LittleEndian.Uint32(lengths[4:])
	r.both = slices.Grow(r.both[:0], int(length))[:length]
	if _, err := io.ReadFull(r.from, r.both); err != nil {
		return false, fmt.Errorf("reading a sorted run: %w", err)
	}

	r.key, r.value = r.both[:key], r.both[key:]
	return true, nil
}

// runs is a heap whose first run has the least key. Of equal keys, that of the
// earlier run does not matter: keys are made different.
type runs []*run

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return bytes.Compare(r[i].key, r[j].key) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(any)          { panic("runs only end") }
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
