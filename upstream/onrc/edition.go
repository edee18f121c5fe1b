package onrc

import (
	"sync/atomic"

	"github.com/rodata/rodata/upstream/internal/index"
)

// edition is an open index and how many read it. It closes when the last reader
// of a retired one leaves, since an index is mapped memory.
type edition struct {
	*segment
	index *index.Index
	// holders are its readers, and one more until it is retired.
	holders atomic.Int64
}

func openEdition(s *segment) (*edition, error) {
	x, err := index.Open(s.path)
	if err != nil {
		return nil, err
	}
	e := &edition{segment: s, index: x}
	e.holders.Store(1)
	return e, nil
}

// hold makes one more reader; false when the edition is closed already.
func (e *edition) hold() bool {
	for {
		n := e.holders.Load()
		if n == 0 {
			return false
		}
		if e.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave ends a hold.
func (e *edition) leave() error {
	if e.holders.Add(-1) > 0 {
		return nil
	}
	return e.index.Close()
}

// opens reports whether a segment can be served.
func (s *segment) opens() bool {
	e, err := openEdition(s)
	return err == nil && e.leave() == nil
}
