package caddymodule

import (
	"errors"
	"slices"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// shared is the state that survives reloads: caches, stores, buckets, connections to registries. Caddy starts a new
// configuration before it stops the old one, so values that both use under the same key stay open.
var (
	shared  = caddy.NewUsagePool()
	sharing sync.Mutex // a value must not be reopened while it is being closed
)

// shares are the keys of what one configuration shares.
type shares []any

// share takes a share in the value of a key. If the value has no share yet, it opens the value.
func share[T caddy.Destructor](l *shares, key any, open func() (T, error)) (T, error) {
	sharing.Lock()
	defer sharing.Unlock()
	v, _, err := shared.LoadOrNew(key, func() (caddy.Destructor, error) { return open() })
	if err != nil {
		var none T
		return none, err
	}

	*l = append(*l, key)
	return v.(T), nil
}

// release returns the shares in reverse order, and closes values without other shares.
func (l *shares) release() error {
	sharing.Lock()
	defer sharing.Unlock()
	var errs []error
	for _, key := range slices.Backward(*l) {
		_, err := shared.Delete(key)
		errs = append(errs, err)
	}

	*l = nil
	return errors.Join(errs...)
}
