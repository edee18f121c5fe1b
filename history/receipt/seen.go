package receipt

import (
	"sync"

	"github.com/rodata/rodata/api"
)

// seen remembers receipts known to be stored. Its memory is bounded: it keeps the last 32,768 to 65,536.
type seen struct {
	mu        sync.RWMutex
	new, last map[api.ReceiptID]struct{}
}

const generation = 32768

func (s *seen) has(id api.ReceiptID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, is := s.new[id]
	if !is {
		_, is = s.last[id]
	}

	return is
}

func (s *seen) add(id api.ReceiptID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.new == nil || len(s.new) >= generation {
		s.new, s.last = make(map[api.ReceiptID]struct{}), s.new
	}

	s.new[id] = struct{}{}
}
