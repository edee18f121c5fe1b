package account

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/internal/writebehind"
)

// newUses returns a buffer of the uses of keys, by key id. A key in constant use is written once a minute, with its
// first use in that minute.
func newUses(store Store) *writebehind.Buffer[string, time.Time] {
	return writebehind.New(func(first, _ time.Time) time.Time { return first },
		func(ctx context.Context, used map[string]time.Time) error {
			if err := store.TouchKeys(ctx, used); err != nil {
				return fmt.Errorf("writing when keys were last used: %w", err)
			}
			return nil
		})
}

// WriteUses writes the last uses of keys to the store once a minute until ctx ends. Then it writes the rest and
// returns. If writing fails, it calls failed and retries a minute later. A crash loses the uses of the last minute.
func (d *Directory) WriteUses(ctx context.Context, failed func(error)) { d.used.Run(ctx, failed) }
