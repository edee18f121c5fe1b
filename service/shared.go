package service

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
)

// shared is the state that survives reloads: caches, stores, buckets, connections to registries. A new configuration is
// opened before the old one is closed, so values that both use under the same key stay open.
var (
	shared  = make(map[shareKey]*sharedValue)
	sharing sync.Mutex // guards shared; a value must not be reopened while it is being closed
)

// shareKey identifies a shared value by its name and the settings that it depends on.
type shareKey struct {
	name     string
	settings any
}

// sharedValue is an open value, with the number of shares in it.
type sharedValue struct {
	value  io.Closer
	shares int
}

// shares are the keys of the values that one configuration shares.
type shares struct {
	keys []shareKey
	log  *slog.Logger // for the values, which survive the configuration
}

// share takes a share in the value with a name and settings. If the value has no share yet, it opens the value.
func share[T io.Closer](l *shares, name string, settings any, open func() (T, error)) (T, error) {
	sharing.Lock()
	defer sharing.Unlock()
	key := shareKey{name, settings}
	v := shared[key]
	if v == nil {
		value, err := open()
		if err != nil {
			var none T
			return none, err
		}

		v = &sharedValue{value: value}
		shared[key] = v
	}

	v.shares++
	l.keys = append(l.keys, key)
	return v.value.(T), nil
}

// release returns the shares in reverse order, and closes values without other shares.
func (l *shares) release() error {
	sharing.Lock()
	defer sharing.Unlock()
	var errs []error
	for _, key := range slices.Backward(l.keys) {
		v := shared[key]
		if v.shares--; v.shares > 0 {
			continue
		}

		delete(shared, key)
		if err := v.value.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", key.name, err))
		}
	}

	l.keys = nil
	return errors.Join(errs...)
}
