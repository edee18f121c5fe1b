package upload_test

import (
	"context"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/testkit/uploads"
)

// Eight files at a time, crafted to exhaust memory or time, are read or refused within 64 MiB.
func TestCraftedFiles(t *testing.T) {
	for _, file := range uploads.Files(t) {
		t.Run(file.Name, func(t *testing.T) {
			content := file.Make()
			growth := peak()
			began := time.Now()
			var readers sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				readers.Go(func() {
					errs[i] = read(t.Context(), file.Media, content, func() {})
				})
			}

			readers.Wait()
			bytes := growth()
			t.Logf("%d KiB: %s, %d MiB; %v", len(content)>>10, time.Since(began).Round(time.Millisecond), bytes>>20,
				errs[0])
			if bytes > 64<<20 {
				t.Errorf("the heap grew by %d MiB", bytes>>20)
			}
			for _, err := range errs {
				if (err == nil) != file.IsRead {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func read(ctx context.Context, media, content string, each func()) error {
	in := io.NewSectionReader(strings.NewReader(content), 0, int64(len(content)))
	_, err := upload.Read(ctx, in, upload.Options{Media: media,
		IsTaxID: func(cell string) bool { return cell == "9900000010" }, IsDay: func(string) bool { return false },
	}, func(*upload.Table, *upload.Row) error {
		each()
		return nil
	})
	return err
}

// peak records the growth of the heap until the returned function is called.
func peak() (growth func() uint64) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}

	before := now()
	most, stop, done := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, now())
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return most - before
	}
}

// A file whose caller leaves is not read on, and does not take another file's turn.
func TestCallerLeaves(t *testing.T) {
	for _, file := range uploads.Files(t) {
		if file.Name != "many rows" && file.Name != "cells far to the right" &&
			file.Name != "many rows of many members" {
			continue
		}

		ctx, leave := context.WithCancel(t.Context())
		rows := 0
		err := read(ctx, file.Media, file.Make(), func() {
			if rows++; rows == 10 {
				leave()
			}
		})
		if err != context.Canceled || rows > 2000 { //nolint:errorlint // it is returned unchanged
			t.Errorf("%s: %d rows and %v", file.Name, rows, err)
		}
	}
}

// The time for a row is in proportion to its length, whatever it consists of. Copies of its beginning would allocate.
func TestRowsOfManyCharacters(t *testing.T) {
	const n = 1 << 14
	for name, content := range map[string]string{
		"quotation marks": "cui\n=" + strings.Repeat(`"`, n) + "\n9900000010\n",
		"blank cells":     "cui\n9900000010" + strings.Repeat(`, `, n) + "\n",
	} {
		allocs := testing.AllocsPerRun(1, func() {
			if err := read(t.Context(), upload.CSV, content, func() {}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		if allocs > n/4 {
			t.Errorf("%s: %.0f allocations for a row of %d characters", name, allocs, n)
		}
	}
}
