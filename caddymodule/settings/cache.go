package settings

import (
	"cmp"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/profile"
)

// Cache determines how many of the registries' answers are cached, and for how long.
type Cache struct {
	// Size is the maximum size of the cache in memory, in bytes. Default: 64 MiB. A change takes effect at the next
	// start: a reload keeps the cache.
	Size int64 `json:"size,omitempty"`
	// Companies are the lifetimes of company profiles.
	Companies Lifetimes `json:"companies,omitzero"`
}

// Lifetimes determine the maximum age of answers. Fresh and Unknown are jittered by ±10 %. 0 means the default.
type Lifetimes struct {
	// Fresh is the time for which an answer counts as fresh. Default: 24h.
	Fresh caddy.Duration `json:"fresh,omitempty"`
	// NoPrefetch turns off the prefetch. In the last tenth of Fresh, the prefetch refreshes popular companies by
	// adding them to requests that are made anyway and have room. Default: false.
	NoPrefetch bool `json:"no_prefetch,omitempty"`
	// Revalidate is the time after Fresh in which an answer is served stale while it is refreshed in the background.
	// Default: 24h.
	Revalidate caddy.Duration `json:"revalidate,omitempty"`
	// Stale is the time after Fresh in which an answer is served if the registry fails. Default: 30d.
	Stale caddy.Duration `json:"stale,omitempty"`
	// Unknown is the time for which the answer "unknown number" is cached. Default: 6h.
	Unknown caddy.Duration `json:"unknown,omitempty"`
}

// minCache holds a few hundred companies.
const minCache = 1 << 20

func (c *Cache) rows() option.Table {
	return option.Table{"size": option.Size(&c.Size, minCache), "companies": option.Block(c.Companies.rows())}
}

func (l *Lifetimes) rows() option.Table {
	return option.Table{
		"fresh": option.Duration(&l.Fresh), "no_prefetch": option.Flag(&l.NoPrefetch),
		"revalidate": option.Duration(&l.Revalidate), "stale": option.Duration(&l.Stale),
		"unknown": option.Duration(&l.Unknown),
	}
}

func (c *Cache) validate() error {
	if c.Size != 0 && c.Size < minCache {
		return fmt.Errorf("a size of %d bytes is too small: use at least %s", c.Size, humanize.IBytes(minCache))
	}

	l := &c.Companies
	for _, d := range []caddy.Duration{l.Fresh, l.Revalidate, l.Stale, l.Unknown} {
		if d < 0 {
			return fmt.Errorf("a lifetime of %s: it must be positive", time.Duration(d))
		}
	}

	return nil
}

// Company returns the lifetimes with defaults filled in.
func (l *Lifetimes) Company() profile.Lifetimes {
	defaults := profile.DefaultLifetimes
	return profile.Lifetimes{
		Fresh:      cmp.Or(time.Duration(l.Fresh), defaults.Fresh),
		NoPrefetch: l.NoPrefetch,
		Revalidate: cmp.Or(time.Duration(l.Revalidate), defaults.Revalidate),
		Stale:      cmp.Or(time.Duration(l.Stale), defaults.Stale),
		Unknown:    cmp.Or(time.Duration(l.Unknown), defaults.Unknown),
	}
}
