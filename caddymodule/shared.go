package caddymodule

import (
	"errors"
	"fmt"
	"io"
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

// shareKey identifies a shared value by its name and the settings that it depends on.
type shareKey struct {
	name     string
	settings any
}

// sharedValue is an open value in the pool.
type sharedValue[T io.Closer] struct {
	name  string
	value T
}

// Destruct closes the value.
func (v sharedValue[T]) Destruct() error {
	if err := v.value.Close(); err != nil {
		return fmt.Errorf("closing %s: %w", v.name, err)
	}
	return nil
}

// shares are the keys of the values that one configuration shares.
type shares []shareKey

// share takes a share in the value with a name and settings. If the value has no share yet, it opens the value.
func share[T io.Closer](l *shares, name string, settings any, open func() (T, error)) (T, error) {
	sharing.Lock()
	defer sharing.Unlock()
	key := shareKey{name, settings}
	v, _, err := shared.LoadOrNew(key, func() (caddy.Destructor, error) {
		value, err := open()
		return sharedValue[T]{name, value}, err
	})
	if err != nil {
		var none T
		return none, err
	}

	*l = append(*l, key)
	return v.(sharedValue[T]).value, nil
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
