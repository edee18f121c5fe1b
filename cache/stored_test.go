package cache

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

func TestOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	c, err := Open(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	unknown := errors.New("unknown")
	fetch := func(_ context.Context, key int) (string, error) {
		if key == 13 {
			return "", unknown
		}
		return fmt.Sprint("value of ", key), nil
	}
	of := func(kind string) *Facts[int, string] {
		return Through(c, Kind{Name: kind, Fresh: forever, Unknown: forever, ErrUnknown: unknown}, fetch)
	}
	for _, kind := range []string{"a", "b", "ba", "c"} {
		for key := 10; key < 20; key++ {
			if _, err := of(kind).Get(t.Context(), key); err != nil && err != unknown {
				t.Fatal(err)
			}
		}
	}
	if err := c.Close(); err != nil { // it writes all of them
		t.Fatal(err)
	}
	if c, err = Open(Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	for _, limit := range []int{1, 3, 10, 100} {
		after, got := "", []string(nil)
		for {
			some, last, err := OnDisk[string](c, "b", after, limit)
			if err != nil || len(some) > limit {
				t.Fatal(some, err)
			}
			for _, s := range some {
				if s.Value != "value of "+s.Key || s.RetrievedAt.IsZero() {
					t.Errorf("got %+v", s)
				}
				got = append(got, s.Key)
			}
			if after = last; after == "" {
				break
			}
		}
		if want := "[10 11 12 14 15 16 17 18 19]"; fmt.Sprint(got) != want {
			t.Errorf("%d at a time: got %v, want %s", limit, got, want)
		}
	}
	if some, last, err := OnDisk[string](c, "nothing", "", 10); len(some) != 0 || last != "" || err != nil {
		t.Errorf("of another kind: %v, %q, %v", some, last, err)
	}
}
