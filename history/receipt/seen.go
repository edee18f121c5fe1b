package receipt

import (
	"sync"

	"github.com/rodata/rodata/api/proof"
)

// storedIDs remembers receipts known to be stored. Its memory is bounded: it keeps the last 32,768 to 65,536, in two
// generations.
type storedIDs struct {
	mu                sync.RWMutex
	current, previous map[proof.ReceiptID]struct{}
}

// maxGeneration is the maximum number of receipts in a generation.
const maxGeneration = 32768

func (s *storedIDs) has(id proof.ReceiptID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.current[id]
	if !ok {
		_, ok = s.previous[id]
	}

	return ok
}

func (s *storedIDs) add(id proof.ReceiptID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || len(s.current) >= maxGeneration {
		s.current, s.previous = make(map[proof.ReceiptID]struct{}), s.current
	}

	s.current[id] = struct{}{}
}
