package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/postgres"
	"github.com/rodata/rodata/testkit/process"
)

// memoryLeases are leases in memory, shared by several processes.
type memoryLeases struct {
	mu      sync.Mutex
	holder  int
	expires time.Time
	broken  bool
}

type member struct {
	*memoryLeases
	id int
}

func (m member) Take(_ context.Context, _ string, now, until time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken {
		return false, errors.New("unreachable")
	}
	if m.holder != m.id && now.Before(m.expires) {
		return false, nil
	}

	m.holder, m.expires = m.id, until
	return true, nil
}

func (m member) End(context.Context, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder == m.id {
		m.expires = time.Time{}
	}

	return nil
}

func (m *memoryLeases) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// led records which processes lead.
type led struct {
	mu  sync.Mutex
	now map[int]bool
}

func (l *led) by(id int) func(context.Context) {
	return func(ctx context.Context) {
		l.set(id, true)
		<-ctx.Done()
		l.set(id, false)
	}
}

func (l *led) set(id int, leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now[id] = leads
}

func (l *led) is(id int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now[id]
}

func TestOneLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases, leading := &memoryLeases{}, &led{now: map[int]bool{}}
		start := func(id int) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() {
				Lead(ctx, member{leases, id}, "test", LeaseTime, slog.New(slog.DiscardHandler), leading.by(id))
			})
			synctest.Wait()
			return func() { cancel(); running.Wait() }
		}

		stop := start(1)
		stopSecond := start(2)
		<-time.After(5 * time.Minute)
		synctest.Wait()
		if !leading.is(1) || leading.is(2) {
			t.Fatal("the first leads, and the second does not")
		}

		stop()
		<-time.After(LeaseTime / 3)
		synctest.Wait()
		if !leading.is(2) {
			t.Error("no process leads soon after the first one has ended")
		}

		stopSecond()
	})
}

func TestLeaderStopsInTime(t *testing.T) {
	for name, lose := range map[string]func(*memoryLeases){
		"another has it": func(m *memoryLeases) {
			m.set(func() { m.holder, m.expires = 9, time.Now().Add(time.Hour) })
		},
		"the store is unreachable": func(m *memoryLeases) { m.set(func() { m.broken = true }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leases, leading := &memoryLeases{}, &led{now: map[int]bool{}}
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() {
					Lead(ctx, member{leases, 1}, "test", LeaseTime, slog.New(slog.DiscardHandler), leading.by(1))
				})
				synctest.Wait()
				lose(leases)

				<-time.After(LeaseTime - time.Second)
				synctest.Wait()
				if leading.is(1) {
					t.Error("it leads until its lease has expired")
				}

				leases.set(func() { leases.broken, leases.expires = false, time.Time{} })
				<-time.After(LeaseTime / 3)
				synctest.Wait()
				if !leading.is(1) {
					t.Error("it does not lead again")
				}

				cancel()
				running.Wait()
			})
		})
	}
}

func TestLeaderThatReturnsIsCalledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			Lead(ctx, member{&memoryLeases{}, 1}, "test", LeaseTime, slog.New(slog.DiscardHandler),
				func(context.Context) {
					calls++
				})
		})
		<-time.After(LeaseTime)
		synctest.Wait()
		cancel()
		running.Wait()
		if calls < 3 {
			t.Errorf("it was called %d times in three renewals", calls)
		}
	})
}

// A reload starts the new leader before it stops the old one. Both belong to the same process, so the lease itself
// does not prevent both from leading.
func TestOneLeaderInAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases := member{new(memoryLeases), 1}
		var leading, most, began int
		var mu sync.Mutex
		lead := func(ctx context.Context) {
			mu.Lock()
			leading++
			began++
			most = max(most, leading)
			mu.Unlock()
			<-ctx.Done()
			mu.Lock()
			leading--
			mu.Unlock()
		}

		first, endFirst := context.WithCancel(t.Context())
		second, endSecond := context.WithCancel(t.Context())
		go Lead(first, leases, "mirror", LeaseTime, slog.New(slog.DiscardHandler), lead)
		synctest.Wait()
		go Lead(second, leases, "mirror", LeaseTime, slog.New(slog.DiscardHandler), lead)
		<-time.After(LeaseTime + time.Second) // between two renewals
		endFirst()
		synctest.Wait()
		if most != 1 || began != 2 || leading != 1 {
			t.Errorf("%d led at once, %d began, %d lead now; want the second after the first, without a pause", most,
				began, leading)
		}

		endSecond()
		synctest.Wait()
	})
}

var schema = &database.Schema{
	Name: "the leases", Table: "versions", Lock: 2, Leases: "leases", Connections: 2,
	Migrations: fstest.MapFS{"migrations/0001_leases.sql": {Data: []byte(`-- +goose Up
		CREATE TABLE leases (name TEXT NOT NULL PRIMARY KEY, holder BIGINT NOT NULL, expires BIGINT NOT NULL);`)}},
}

func open(t *testing.T, place string) *database.DB {
	t.Helper()
	return databases.Open(t, place,
		func(ctx context.Context, place string) (*database.DB, error) {
			return database.Open(ctx, place, schema)
		})
}

// Another process takes over when a lease has expired or was released, and not before.
func TestLeaseIsTakenOver(t *testing.T) {
	databases.Places(t, "leases.db", func(t *testing.T, place string) {
		db := open(t, place)
		process := *db
		process.Holder++
		mine, other := LeasesIn(db, "leases"), LeasesIn(&process, "leases")

		now := time.UnixMilli(1_800_000_000_000)
		take := func(leases LeaseTable, after time.Duration, want bool) {
			t.Helper()
			at := now.Add(after)
			if held, err := leases.Take(t.Context(), "mirror", at, at.Add(LeaseTime)); held != want || err != nil {
				t.Errorf("after %v: %v, %v, want %v", after, held, err, want)
			}
		}
		take(mine, 0, true)
		take(other, time.Second, false)
		take(mine, 20*time.Second, true) // renews
		take(other, 49*time.Second, false)
		take(other, 50*time.Second, true)
		take(mine, 51*time.Second, false)

		if err := mine.End(t.Context(), "mirror"); err != nil { // held by another process
			t.Error(err)
		}

		take(mine, 52*time.Second, false)
		if err := other.End(t.Context(), "mirror"); err != nil {
			t.Error(err)
		}

		take(mine, 53*time.Second, true)
	})
}

// Lead tells the leases of a process apart by comparing them.
func TestTablesOfADatabaseAreEqual(t *testing.T) {
	db := new(database.DB)
	first, again := LeasesIn(db, "leases"), LeasesIn(db, "leases")
	if first != again || first == LeasesIn(db, "others") || first == LeasesIn(new(database.DB), "leases") {
		t.Error("tables are equal if their database and name are, and only then")
	}
}

// leaseOfTest is short, because the test of a killed process waits for it to expire.
const leaseOfTest = 3 * time.Second

// TestHelperLeads is the process that TestKilledProcessIsReplaced kills.
func TestHelperLeads(t *testing.T) {
	url := os.Getenv("RODATA_TEST_LEADS")
	if url == "" {
		t.Skip("is run by TestKilledProcessIsReplaced")
	}

	Lead(t.Context(), LeasesIn(open(t, url), "leases"), "mirror", leaseOfTest, slog.Default(),
		func(ctx context.Context) {
			fmt.Println("leads")
			<-ctx.Done()
		})
}

func TestKilledProcessIsReplaced(t *testing.T) {
	url := postgres.URL(t)
	leases := LeasesIn(open(t, url), "leases")

	first, _ := process.StartUntilLine(t, process.Test(t, "TestHelperLeads", "RODATA_TEST_LEADS="+url), "leads")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	leads := make(chan struct{})
	taken := sync.OnceFunc(func() { close(leads) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Lead(ctx, leases, "mirror", leaseOfTest, slog.Default(), func(ctx context.Context) {
			taken()
			<-ctx.Done()
		})
	}()

	first.Kill()
	select {
	case <-leads:
	case <-ctx.Done():
		t.Error("no process leads a minute after the first one was killed")
	}

	cancel()
	<-ended
}
