package cache

import "context"

// Renew fetches a key in the [Background] even if the stored entry is fresh, unless it is being fetched, and calls done
// once, with the outcome. Without keep, the answer is stored only if the local levels already have an entry of the key,
// or a caller started waiting for it: so checks of millions of unrequested keys displace nothing, and the file does not
// grow.
func (f *Facts[K, V]) Renew(ctx context.Context, key K, keep bool, done func(error)) {
	hash := f.hash(key)
	f.fetchInBackground(ctx, Background, key, func(ctx context.Context, d Demand) (*entry, error) {
		if keep || f.has(hash, key) {
			return f.renew(ctx, d, hash, key)
		}

		e, err := f.load(ctx, d, key)
		if err == nil && d.Urgency() == Interactive {
			e = f.store(hash, e)
		}

		return e, err
	}, done)
}

// has reports whether a local level has an entry of a key, without reading it.
func (f *Facts[K, V]) has(hash uint64, key K) bool {
	c, name := f.cache, f.name(key)
	switch {
	case c.disk == nil:
		return f.memoryEntry(hash, key) != nil
	case c.queue.get(name).entry != nil:
		return true
	}

	return c.disk.has(name)
}
