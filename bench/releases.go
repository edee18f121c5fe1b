package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/testkit/traderegister"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/bulk"
)

// measureReleases creates the files of two releases of an invented register, the second with one percent more
// companies, and prints the duration and size of each.
func measureReleases(flags *flag.FlagSet) func(context.Context, *testbed) error {
	count := flags.Int("firms", 200_000, "companies; the real register has 4,200,000")
	return func(ctx context.Context, _ *testbed) (err error) {
		folder, err := os.MkdirTemp("", "rodata-bench")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

		fmt.Print("| release | file | rows | bytes | time | bytes and time of 4,200,000 companies |\n" +
			"|---|---|---|---|---|---|\n")
		for i, day := range []string{"02-09-2026", "02-10-2026"} {
			all := *count + i**count/100
			if err := measureRelease(ctx, folder, day, all); err != nil {
				return err
			}
		}

		return nil
	}
}

// measureRelease loads a release with the given number of companies into the register in a folder, and creates its
// files.
func measureRelease(ctx context.Context, folder, day string, companies int) (err error) {
	from := traderegister.Release{Dir: filepath.Join(folder, "firme-"+day)}
	if err := from.Write(traderegister.Firms(companies, 1)); err != nil {
		return err
	}

	dir := filepath.Join(folder, "onrc")
	if _, err := onrc.Load(ctx, onrc.Options{From: from.Dir, Dir: dir, Force: true}); err != nil {
		return err
	}
	if err := os.RemoveAll(from.Dir); err != nil {
		return err
	}

	register := onrc.Open(onrc.RegisterOptions{Dir: dir})
	defer func() { err = errors.Join(err, register.Close()) }()
	files, err := bulk.Open(bulk.Options{Register: register, Dir: bulk.Dir(dir), Keep: 2,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}

	began := time.Now()
	if err := files.Update(ctx); err != nil {
		return err
	}

	return printRelease(files, began)
}

// printRelease prints a line for each file of the newest release. They were created one after the other.
func printRelease(files *bulk.Files, began time.Time) error {
	published := files.List()[0]
	scale := float64(firms) / float64(published.Companies)
	for _, file := range published.Files {
		document, err := files.File(published.Date, file.Name)
		if err != nil {
			return err
		}

		info, err := os.Stat(document.File.Path)
		if err != nil {
			return err
		}

		took := info.ModTime().Sub(began)
		began = info.ModTime()
		whole := "–" // the number of changes does not depend on the number of companies
		if file.Name != release.Changes.Name {
			whole = fmt.Sprintf("%.0f MB, %.0f s", float64(file.Bytes)*scale/1e6, took.Seconds()*scale)
		}

		fmt.Printf("| %s | %s | %d | %d | %.1f s | %s |\n", published.Date, file.Name, file.Rows, file.Bytes,
			took.Seconds(), whole)
	}

	return nil
}
