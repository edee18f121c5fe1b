package account

import (
	"context"
	"fmt"
	"time"
)

const (
	usesEvery   = time.Minute     // the interval at which uses are written
	usesAtEnd   = 5 * time.Second // the time to write the uses of the last minute
	usesAtATime = 10 * time.Second
)

// WriteUses writes the last uses of keys to the store once a minute until ctx ends. Then it writes the rest and
// returns. A key in constant use is written once a minute, with its first use in that minute. If writing fails, it
// calls failed and retries a minute later. A crash loses the uses of the last minute.
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

// writeUses writes the pending uses within limit.
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

// noteUse records the first use of a key since the last write.
func (d *Directory) noteUse(id string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, noted := d.used[id]; !noted {
		d.used[id] = at
	}
}
