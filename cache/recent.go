package cache

import (
	"container/list"
	"sync"
)

// recent holds what was stored lately, the oldest first. It is the queue of what
// the file does not have yet, and it makes sure that what was just stored is
// found again, whether memory admitted it or not. Without a file, entries leave
// when newer ones need the room.
type recent struct {
	limit int64 // bytes

	mu    sync.Mutex
	byKey map[string]*list.Element
	order list.List // of queued
	bytes int64
	lost  uint64 // entries pushed out by newer ones
}

// queued is a record and its encoded form.
type queued struct {
	record *record
	text   []byte
}

func newRecent(limit int64) *recent {
	return &recent{limit: limit, byKey: make(map[string]*list.Element)}
}

// put appends a record in the place of an older one of its key. The newest is
// always kept, whatever its size.
func (q *recent) put(r *record, encoded []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, ok := q.byKey[r.text]; ok {
		q.remove(old)
	}
	q.byKey[r.text] = q.order.PushBack(queued{r, encoded})
	q.bytes += r.cost
	for q.bytes > q.limit && q.order.Len() > 1 {
		q.remove(q.order.Front())
		q.lost++
	}
}

// get is the entry of a key, zero when there is none.
func (q *recent) get(key string) queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.byKey[key]; ok {
		return e.Value.(queued)
	}
	return queued{}
}

// oldest is up to n entries, which stay until they are done.
func (q *recent) oldest(n int) []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch := make([]queued, 0, min(n, q.order.Len()))
	for e := q.order.Front(); e != nil && len(batch) < n; e = e.Next() {
		batch = append(batch, e.Value.(queued))
	}
	return batch
}

// done takes out the entries of a batch that have not been replaced meanwhile.
func (q *recent) done(batch []queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range batch {
		if e, ok := q.byKey[b.record.text]; ok && e.Value.(queued).record == b.record {
			q.remove(e)
		}
	}
}

// drop takes out the entry of a key.
func (q *recent) drop(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e, ok := q.byKey[key]; ok {
		q.remove(e)
	}
}

// crowded reports whether more than half of the room is taken.
func (q *recent) crowded() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes > q.limit/2
}

// state is the number of entries and of those that were pushed out.
func (q *recent) state() (length int, lost uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.order.Len(), q.lost
}

// remove takes out an element; the caller holds mu.
func (q *recent) remove(e *list.Element) {
	b := q.order.Remove(e).(queued)
	delete(q.byKey, b.record.text)
	q.bytes -= b.record.cost
}
