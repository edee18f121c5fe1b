package cache

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// shelf is a shared level in memory.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	claims map[string]bool
	looks  int
	away   bool
	slow   time.Duration // how long a claim takes
}

var errAway = errors.New("the shelf is away")

func newShelf() *shelf { return &shelf{values: make(map[string][]byte), claims: make(map[string]bool)} }

func (s *shelf) Get(_ context.Context, key string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	if s.away {
		return nil
	}

	return bytes.Clone(s.values[key])
}

func (s *shelf) Put(key string, value []byte, _, _ time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.away {
		s.values[key] = bytes.Clone(value)
	}
}

func (s *shelf) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}

	delete(s.values, key)
	return nil
}

func (s *shelf) Claim(_ context.Context, key string) (release func(), ok bool) {
	<-time.After(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return func() {}, true
	}
	if s.claims[key] {
		return nil, false
	}

	s.claims[key] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.claims, key)
	}, true
}

// process returns a separate cache in front of a registry, with a shared level.
func process(t *testing.T, s *shelf, r *registry) *Facts[taxID, string] {
	return through(open(t, Options{}).Sharing(s), company, r.fetch)
}

// TestProcessesShareAnswers verifies that a process without an entry gets the answer that another process fetched some
// time ago.
func TestProcessesShareAnswers(t *testing.T) {
	down := errors.New("the registry is down")
	const first, second = "14399840, answer 1", "14399840, answer 2"
	for name, test := range map[string]struct {
		age        time.Duration
		down       bool
		value      string
		hit, stale bool
		then       string // value of a call shortly afterwards
	}{
		"fresh":         {age: time.Hour, value: first, hit: true, then: first},
		"a little late": {age: 27 * time.Hour, value: first, hit: true, stale: true, then: second},
		"a little late, registry down": {age: 27 * time.Hour, down: true, value: first, hit: true, stale: true,
			then: first},
		"late":                {age: 52 * time.Hour, value: second, then: second},
		"late, registry down": {age: 52 * time.Hour, down: true, value: first, hit: true, stale: true, then: first},
		"too late":            {age: 32 * 24 * time.Hour, value: second, then: second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := newShelf(), new(registry)
				one, other := process(t, s, r), process(t, s, r)
				want(t, one, 14399840, first, false, false)
				pass(test.age)
				if test.down {
					r.fail(down)
				}

				found := want(t, other, 14399840, test.value, test.hit, test.stale)
				if test.hit && time.Since(found.RetrievedAt) != test.age {
					t.Errorf("the answer counts as fetched at %v", found.RetrievedAt)
				}

				pass(time.Second)
				if found, err := other.Get(t.Context(), 14399840); err != nil ||
					found.Value != test.then || !found.Hit {
					t.Errorf("a moment later: %+v, %v; want a hit of %q", found, err, test.then)
				}
			})
		})
	}
}

func TestUnknownResultIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), new(registry)
		r.fail(errUnknown)
		for _, f := range []*Facts[taxID, string]{process(t, s, r), process(t, s, r)} {
			if _, err := f.Get(t.Context(), 14399840); !errors.Is(err, errUnknown) {
				t.Errorf("%v, want %v", err, errUnknown)
			}
		}

		r.wantAsked(t, 1)
	})
}

// TestOneProcessRefreshesForAll verifies that a single process refreshes an entry that several serve, and that the
// others adopt the new entry.
func TestOneProcessRefreshesForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), &registry{delay: time.Second}
		one, other := process(t, s, r), process(t, s, r)
		want(t, one, 14399840, "14399840, answer 1", false, false)
		want(t, other, 14399840, "14399840, answer 1", true, false)
		pass(27 * time.Hour)
		want(t, one, 14399840, "14399840, answer 1", true, true)
		want(t, other, 14399840, "14399840, answer 1", true, true)
		pass(2 * time.Second)
		want(t, one, 14399840, "14399840, answer 2", true, false)
		want(t, other, 14399840, "14399840, answer 2", true, false)
		r.wantAsked(t, 2)
	})
}

// TestClaimOfDeadProcess verifies that a process that died while holding the lock delays callers by three seconds, but
// causes no error.
func TestClaimOfDeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), new(registry)
		f := process(t, s, r)
		s.Claim(t.Context(), sharedName("company:14399840"))
		start := time.Now()
		want(t, f, 14399840, "14399840, answer 1", false, false)
		if took := time.Since(start); took != claimPatience {
			t.Errorf("took %v, want %v", took, claimPatience)
		}
	})
}

func TestShelfAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), new(registry)
		s.away = true
		f := process(t, s, r)
		want(t, f, 14399840, "14399840, answer 1", false, false)
		want(t, f, 14399840, "14399840, answer 1", true, false)
		if err := f.Delete(t.Context(), 14399840); !errors.Is(err, errAway) {
			t.Errorf("deleting: %v, want %v", err, errAway)
		}

		want(t, f, 14399840, "14399840, answer 2", false, false)
	})
}

// TestHitsDoNotLook verifies that fresh entries cause no lookup in the shared level.
func TestHitsDoNotLook(t *testing.T) {
	s, r := newShelf(), new(registry)
	f := process(t, s, r)
	want(t, f, 14399840, "14399840, answer 1", false, false)
	before := s.looks
	want(t, f, 14399840, "14399840, answer 1", true, false)
	if s.looks != before {
		t.Errorf("a hit looked %d times", s.looks-before)
	}
}

func TestDeleteAndDrop(t *testing.T) {
	s, r := newShelf(), new(registry)
	one, other := process(t, s, r), process(t, s, r)
	want(t, one, 14399840, "14399840, answer 1", false, false)
	want(t, other, 14399840, "14399840, answer 1", true, false)
	testkit.NoError(t, one.Drop(14399840))

	want(t, one, 14399840, "14399840, answer 1", true, false) // the shared level has it
	testkit.NoError(t, one.Delete(t.Context(), 14399840))

	want(t, one, 14399840, "14399840, answer 2", false, false)
	want(t, other, 14399840, "14399840, answer 1", true, false) // it was not notified
	testkit.NoError(t, other.Drop(14399840))

	want(t, other, 14399840, "14399840, answer 2", true, false)
}

// TestInvalidValuesAreIgnored verifies that corrupt values are fetched again.
func TestInvalidValuesAreIgnored(t *testing.T) {
	s := newShelf()
	want(t, process(t, s, new(registry)), 14399840, "14399840, answer 1", false, false)
	s.values[sharedName("company:14399840")][0] ^= 1
	want(t, process(t, s, new(registry)), 14399840, "14399840, answer 1", false, false)
}

// TestSkewedEntriesDoNotHideOthers verifies that a process with clock skew uses the entries of other processes instead
// of its own.
func TestSkewedEntriesDoNotHideOthers(t *testing.T) {
	s, r := newShelf(), new(registry)
	one, other := process(t, s, r), process(t, s, r)
	one.Put(14399840, "of an hour ahead", time.Now().Add(time.Hour))
	want(t, other, 14399840, "14399840, answer 1", false, false)
	for range 2 {
		want(t, one, 14399840, "14399840, answer 1", true, false)
	}

	r.wantAsked(t, 1)
}
