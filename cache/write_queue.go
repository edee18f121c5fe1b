package cache

import (
	"container/list"
	"sync"
)

// writeQueue is the write-behind queue of the file, oldest entry first. Lookups consult it, so that a stored entry is
// found even if memory rejected it. Without a file, newer entries displace the oldest.
type writeQueue struct {
	limit int64 // bytes

	mu    sync.Mutex
	byKey map[string]*list.Element
	order list.List // of pendingEntry
	bytes int64
	lost  uint64 // entries displaced by newer ones
}

// pendingEntry is an entry and its encoded form.
type pendingEntry struct {
	entry   *entry
	encoded []byte
}

func newWriteQueue(limit int64) *writeQueue {
	return &writeQueue{limit: limit, byKey: make(map[string]*list.Element)}
}

// put appends an entry, replacing an older one of its key. The newest entry is kept regardless of its size.
func (q *writeQueue) put(e *entry, encoded []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, ok := q.byKey[e.name]; ok {
		q.remove(old)
	}

	q.byKey[e.name] = q.order.PushBack(pendingEntry{e, encoded})
	q.bytes += e.cost
	for q.bytes > q.limit && q.order.Len() > 1 {
		q.remove(q.order.Front())
		q.lost++
	}
}

// get returns the entry of a key, or the zero value.
func (q *writeQueue) get(key string) pendingEntry {
	q.mu.Lock()
	defer q.mu.Unlock()
	if el, ok := q.byKey[key]; ok {
		return el.Value.(pendingEntry)
	}

	return pendingEntry{}
}

// oldest returns up to n entries, which stay queued until done.
func (q *writeQueue) oldest(n int) []pendingEntry {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := make([]pendingEntry, 0, min(n, q.order.Len()))
	for el := q.order.Front(); el != nil && len(batch) < n; el = el.Next() {
		batch = append(batch, el.Value.(pendingEntry))
	}

	return batch
}

// removeWritten removes the entries of a batch that have not been replaced in the meantime.
func (q *writeQueue) removeWritten(batch []pendingEntry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range batch {
		if el, ok := q.byKey[b.entry.name]; ok && el.Value.(pendingEntry).entry == b.entry {
			q.remove(el)
		}
	}
}

// drop removes the entry of a key.
func (q *writeQueue) drop(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if el, ok := q.byKey[key]; ok {
		q.remove(el)
	}
}

// isCrowded reports whether more than half of the capacity is used.
func (q *writeQueue) isCrowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes > q.limit/2
}

// state returns the numbers of entries and of displaced ones.
func (q *writeQueue) state() (length int, lost uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.order.Len(), q.lost
}

// remove removes an element; the caller holds mu.
func (q *writeQueue) remove(el *list.Element) {
	b := q.order.Remove(el).(pendingEntry)
	delete(q.byKey, b.entry.name)
	q.bytes -= b.entry.cost
}
