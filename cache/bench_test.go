package cache

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// taxID has the same text form as ro.CUI.
type taxID int64

func (t taxID) String() string { return strconv.FormatInt(int64(t), 10) }

type profile struct {
	Name    string
	VAT     *bool
	Periods []string
}

func BenchmarkHit(b *testing.B) {
	c := open(b, Options{})
	facts := through(c, Kind{Name: "anaf", Fresh: time.Hour}, func(context.Context, taxID) (*profile, error) {
		return &profile{Name: "SC Exemplu SRL"}, nil
	})
	ctx := b.Context()
	for i := range 1000 {
		if _, err := facts.Get(ctx, taxID(10_000_000+i)); err != nil {
			b.Fatal(err)
		}
	}

	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if found, err := facts.Get(ctx, taxID(10_000_000+i%1000)); err != nil || !found.Hit {
			b.Fatal(found, err)
		}
	}
}

func BenchmarkHitParallel(b *testing.B) {
	c := open(b, Options{})
	facts := through(c, Kind{Name: "anaf", Fresh: time.Hour}, func(_ context.Context, id string) (*profile, error) {
		return &profile{Name: id}, nil
	})
	ctx := b.Context()
	if _, err := facts.Get(ctx, "10000000"); err != nil {
		b.Fatal(err)
	}

	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if found, err := facts.Get(ctx, "10000000"); err != nil || !found.Hit {
				b.Error(found, err)
			}
		}
	})
}

func BenchmarkMemo(b *testing.B) {
	c := open(b, Options{})
	facts := through(c, Kind{Name: "anaf", Fresh: time.Hour}, func(context.Context, taxID) (*profile, error) {
		return &profile{Name: "SC Exemplu SRL"}, nil
	})
	found, err := facts.Get(b.Context(), 10_000_000)
	testkit.NoError(b, err)

	b.ReportAllocs()
	for range b.N {
		if found.Memo(func(p *profile) any { return p.Name }) != "SC Exemplu SRL" {
			b.Fatal("another memo")
		}
	}
}

func BenchmarkSecondLevelHit(b *testing.B) {
	c := open(b, Options{Path: b.TempDir() + "/cache.db"})
	facts := through(c, Kind{Name: "anaf", Fresh: time.Hour}, func(context.Context, taxID) (*profile, error) {
		return &profile{Name: "SC Exemplu SRL"}, nil
	})
	ctx := b.Context()
	for i := range 1000 {
		if _, err := facts.Get(ctx, taxID(10_000_000+i)); err != nil {
			b.Fatal(err)
		}
	}

	c.disk.drain()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		key := taxID(10_000_000 + i%1000)
		c.memory.Del(facts.hash(key))
		if found, err := facts.Get(ctx, key); err != nil || !found.Hit {
			b.Fatal(found, err)
		}
	}
}

func open(t testing.TB, o Options) *Cache {
	t.Helper()
	c, err := Open(o)
	testkit.NoError(t, err)

	testkit.CloseAfter(t, c)
	return c
}
