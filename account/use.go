package account

import (
	"context"
	"fmt"
	"time"
)

const (
	usesInterval     = time.Minute // between two writes
	usesTimeout      = 10 * time.Second
	finalUsesTimeout = 5 * time.Second // of the write at the end
)

// WriteUses writes the last uses of keys to the store once a minute until ctx ends (write-behind). Then it writes the
// rest and returns. A key in constant use is written once a minute, with its first use in that minute. If writing
// fails, it calls failed and retries a minute later. A crash loses the uses of the last minute.
func (d *Directory) WriteUses(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(usesInterval)
	defer tick.Stop()
	for {
		timeout := usesTimeout
		select {
		case <-ctx.Done():
			timeout = finalUsesTimeout
		case <-tick.C:
		}

		if err := d.writeUses(ctx, timeout); err != nil {
			failed(err)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// writeUses writes the pending uses. After a failure they stay pending.
func (d *Directory) writeUses(ctx context.Context, timeout time.Duration) error {
	d.mu.Lock()
	used := d.used
	d.used = make(map[string]time.Time)
	d.mu.Unlock()
	if len(used) == 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
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
