package settings

import (
	"cmp"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream/company"
)

// Cache is how much of the registries' answers is kept, and for how long.
type Cache struct {
	// Size bounds the cache in memory, in bytes. Default: 64 MiB. It counts from
	// the next start on: a reload keeps the cache that is there.
	Size int64 `json:"size,omitempty"`
	// Companies are the lifetimes of company profiles.
	Companies Lifetimes `json:"companies,omitzero"`
}

// Lifetimes say how old an answer may become; Fresh and Unknown are jittered by
// 10 % either way. 0 means the default.
type Lifetimes struct {
	// Fresh is how long an answer is as good as new. Default: 24h.
	Fresh caddy.Duration `json:"fresh,omitempty"`
	// NoPrefetch is true when what is read often is not fetched again in the last
	// tenth of that time, with requests that have a place to spare. Default: false.
	NoPrefetch bool `json:"no_prefetch,omitempty"`
	// Revalidate is how long after Fresh it is still served at once, while it is
	// fetched again behind the caller's back. Default: 24h.
	Revalidate caddy.Duration `json:"revalidate,omitempty"`
	// Stale is how long after Fresh it is served when the registry cannot be
	// asked. Default: 30d.
	Stale caddy.Duration `json:"stale,omitempty"`
	// Unknown is how long it is remembered that the registry does not know a
	// number. Default: 6h.
	Unknown caddy.Duration `json:"unknown,omitempty"`
}

// leastCache leaves room for some hundred companies.
const leastCache = 1 << 20

func (c *Cache) rows() option.Table {
	return option.Table{"size": option.Size(&c.Size, leastCache), "companies": option.Block(c.Companies.rows())}
}

func (l *Lifetimes) rows() option.Table {
	return option.Table{
		"fresh": option.Duration(&l.Fresh), "no_prefetch": option.Flag(&l.NoPrefetch), "revalidate": option.Duration(&l.Revalidate),
		"stale": option.Duration(&l.Stale), "unknown": option.Duration(&l.Unknown),
	}
}

func (c *Cache) validate() error {
	if c.Size != 0 && c.Size < leastCache {
		return fmt.Errorf("a size of %d bytes is too small: give at least %s", c.Size, humanize.IBytes(leastCache))
	}
	for _, d := range []caddy.Duration{c.Companies.Fresh, c.Companies.Revalidate, c.Companies.Stale, c.Companies.Unknown} {
		if d < 0 {
			return fmt.Errorf("a lifetime of %s: want a positive one", time.Duration(d))
		}
	}
	return nil
}

// Company is the lifetimes with their defaults filled in.
func (l *Lifetimes) Company() company.Lifetimes {
	usual := company.DefaultLifetimes
	return company.Lifetimes{
		Fresh:      cmp.Or(time.Duration(l.Fresh), usual.Fresh),
		NoPrefetch: l.NoPrefetch,
		Revalidate: cmp.Or(time.Duration(l.Revalidate), usual.Revalidate),
		Stale:      cmp.Or(time.Duration(l.Stale), usual.Stale),
		Unknown:    cmp.Or(time.Duration(l.Unknown), usual.Unknown),
	}
}
