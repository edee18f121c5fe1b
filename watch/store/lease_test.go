package store

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database/postgrestest"
	"github.com/rodata/rodata/watch"
)

func TestLease(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		mine := open()
		other := &DB{DB: mine.DB}
		base := *mine.DB
		base.Holder++
		other.DB = &base

		now := time.UnixMilli(1_800_000_000_000)
		take := func(d *DB, at time.Time, want bool) {
			t.Helper()
			if held, err := d.TakeLease(t.Context(), "mirror", at, at.Add(watch.LeaseTime)); held != want || err != nil {
				t.Errorf("%v, %v, want %v", held, err, want)
			}
		}
		take(mine, now, true)
		take(other, now.Add(time.Second), false)
		take(mine, now.Add(20*time.Second), true) // renews
		take(other, now.Add(40*time.Second), false)
		take(other, now.Add(50*time.Second), true)
		take(mine, now.Add(51*time.Second), false)

		if err := mine.EndLease(t.Context(), "mirror"); err != nil { // held by another process
			t.Error(err)
		}
		take(mine, now.Add(52*time.Second), false)
		if err := other.EndLease(t.Context(), "mirror"); err != nil {
			t.Error(err)
		}
		take(mine, now.Add(53*time.Second), true)
	})
}

// leaseOfTest is short, and so is the test of a killed process.
const leaseOfTest = 3 * time.Second

// TestHelperLeads is the process that TestKilledProcessIsReplaced kills.
func TestHelperLeads(t *testing.T) {
	url := os.Getenv("RODATA_TEST_LEADS")
	if url == "" {
		t.Skip("is run by TestKilledProcessIsReplaced")
	}
	observations, err := historystore.OpenPostgres(t.Context(), url)
	db := opened(t, observations, err)
	watch.Lead(t.Context(), db, "mirror", leaseOfTest, slog.Default(), func(ctx context.Context) {
		fmt.Println("leads")
		<-ctx.Done()
	})
}

func TestKilledProcessIsReplaced(t *testing.T) {
	url := postgrestest.URL(t)
	observations, err := historystore.OpenPostgres(t.Context(), url)
	db := opened(t, observations, err)

	first := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperLeads$")
	first.Env = append(os.Environ(), "RODATA_TEST_LEADS="+url)
	said, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if lines := bufio.NewScanner(said); !lines.Scan() || lines.Text() != "leads" {
		t.Fatalf("the first process said %q", lines.Text())
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	leads := make(chan struct{})
	taken := sync.OnceFunc(func() { close(leads) })
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watch.Lead(ctx, db, "mirror", leaseOfTest, slog.Default(), func(ctx context.Context) {
			taken()
			<-ctx.Done()
		})
	}()

	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	select {
	case <-leads:
	case <-ctx.Done():
		t.Error("nobody leads a minute after the first process was killed")
	}
	cancel()
	<-ended
}
