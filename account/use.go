package account

import (
	"context"
	"fmt"
	"time"
)

const (
	usesEvery   = time.Minute     // uses are written
	usesAtEnd   = 5 * time.Second // to write those of the last minute in
	usesAtATime = 10 * time.Second
)

// WriteUses writes to the store when keys were used, once a minute, until ctx
// ends; then it writes what is left, and returns. A key that is used all the time
// is written once a minute, with the first use in it. When that fails it tells
// failed, and tries again a minute later; a crash loses the last minute.
func (d *Directory) WriteUses(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(usesEvery)
	defer tick.Stop()
	for {
		limit := usesAtATime
		select {
		case <-ctx.Done():
			limit = usesAtEnd
		case <-tick.C:
		}

		if err := d.writeUses(ctx, limit); err != nil {
			failed(err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// writeUses writes the uses so far, and takes no longer than limit.
func (d *Directory) writeUses(ctx context.Context, limit time.Duration) error {
	d.mu.Lock()
	used := d.used
	d.used = make(map[string]time.Time)
	d.mu.Unlock()
	if len(used) == 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	err := d.store.TouchKeys(ctx, used)
	if err == nil {
		return nil
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	for id, at := range used {
		if _, again := d.used[id]; !again {
			d.used[id] = at
		}
	}

	return fmt.Errorf("writing when keys were last used: %w", err)
}

// noteUse keeps the first use of a key since uses were last written.
func (d *Directory) noteUse(id string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, noted := d.used[id]; !noted {
		d.used[id] = at
	}
}
