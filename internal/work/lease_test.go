package work

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/postgres"
	"github.com/rodata/rodata/testkit/process"
)

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
