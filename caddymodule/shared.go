package caddymodule

import (
	"errors"
	"slices"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// shared is what outlives a configuration: caches, stores, buckets, connections to
// registries. Caddy starts a new configuration before it stops the old one, so what both
// share under the same key passes from one to the other.
var (
	shared  = caddy.NewUsagePool()
	sharing sync.Mutex // a value must not be opened again while it is being closed
)

// shares are the keys of what one configuration shares.
type shares []any

// share takes a share in the value of a key, and opens it if nobody else has one.
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

// release gives the shares back in reverse order, and closes what nobody else shares.
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
