package caddymodule

import (
	"errors"
	"slices"
	"sync"

	"github.com/caddyserver/caddy/v2"
)

// shared is what outlives a configuration: caches, stores, buckets, connections
// to registries. A new configuration is started before the old one is stopped,
// so whatever both name by the same key passes from one to the other.
var (
	shared  = caddy.NewUsagePool()
	sharing sync.Mutex // keeps what is being closed from being opened again meanwhile
)

// shares are the keys of what one configuration shares.
type shares []any

// share takes a share in what key names, and opens it when nobody else has one.
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

// release gives all shares back, the last one taken first; what nobody shares
// any more is closed.
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
