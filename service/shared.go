package service

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// shared is the state that survives reloads: caches, stores, buckets, connections to registries. A new configuration is
// opened before the old one is closed, so values that both use under the same key stay open.
var (
	shared  = make(map[shareKey]*sharedValue)
	sharing sync.Mutex // guards shared; a value must not be reopened while it is being closed
)

// shareKey identifies a shared value by its name and by what it depends on: settings, and other shared values.
type shareKey struct {
	name      string
	dependsOn any
}

// sharedValue is an open value, with the number of shares in it.
type sharedValue struct {
	value  io.Closer
	shares int
}

// shares are the keys of the values that one configuration shares.
type shares []shareKey

// share takes a share in the value of a key, and sets a field to it. If the value has no share yet, it opens the value.
func share[T io.Closer](l *shares, field *T, name string, dependsOn any, open func() (T, error)) error {
	sharing.Lock()
	defer sharing.Unlock()
	key := shareKey{name, dependsOn}
	v := shared[key]
	if v == nil {
		value, err := open()
		if err != nil {
			return err
		}

		v = &sharedValue{value: value}
		shared[key] = v
	}

	v.shares++
	*l = append(*l, key)
	*field = v.value.(T)
	return nil
}

// release returns the shares in reverse order, and closes values without other shares.
func (l *shares) release() error {
	sharing.Lock()
	defer sharing.Unlock()
	var errs []error
	for _, key := range slices.Backward(*l) {
		v := shared[key]
		if v.shares--; v.shares > 0 {
			continue
		}

		delete(shared, key)
		if err := v.value.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing %s: %w", key.name, err))
		}
	}

	*l = nil
	return errors.Join(errs...)
}
