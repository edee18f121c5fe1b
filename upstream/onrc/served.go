package onrc

import (
	"sync/atomic"

	"github.com/rodata/rodata/upstream/internal/index"
)

// servedIndex is an open index with a reference count. Since an index is mapped memory, a
// retired one closes when its last reader has released it.
type servedIndex struct {
	*segment
	index *index.Index
	// refs counts the readers, plus one until it is retired.
	refs atomic.Int64
}

func openServed(s *segment) (*servedIndex, error) {
	x, err := index.Open(s.path)
	if err != nil {
		return nil, err
	}
	e := &servedIndex{segment: s, index: x}
	e.refs.Store(1)
	return e, nil
}

// acquire adds a reader. It reports false when the index is closed already.
func (e *servedIndex) acquire() bool {
	for {
		n := e.refs.Load()
		if n == 0 {
			return false
		}
		if e.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release removes a reader.
func (e *servedIndex) release() error {
	if e.refs.Add(-1) > 0 {
		return nil
	}
	return e.index.Close()
}

// opens reports whether the index of a segment can be opened.
func (s *segment) opens() bool {
	e, err := openServed(s)
	return err == nil && e.release() == nil
}
