// Package bulk offers the releases of the trade register as files, for programs that want all companies at once: as
// Parquet and as CSV, with the changes since the previous release.
//
// # Files
//
// The directory has a folder for each kept release:
//
//	2026-10-02-1790000000/release.json       what the release has; the number is when it was loaded
//	2026-10-02-1790000000/companies.parquet
//	2026-10-02-1790000000/companies.csv.zst
//	2026-10-02-1790000000/changes.parquet    only if an earlier release was kept
//	.making-*/                               a release being made
//
// A folder appears complete, by renaming. It contains nothing about persons, except that sole traders bear their own
// names.
package bulk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/onrc"
)

// Options configure Files.
type Options struct {
	// Register provides the releases. Required.
	Register *onrc.Register
	// Dir is the directory of the files. Required.
	Dir string
	// Keep is the number of releases to keep. Required.
	Keep int
	// Logger receives messages for operators. Default slog.Default().
	Logger *slog.Logger
}

// Files are the kept releases. They are safe for concurrent use, and only one process may use a directory.
type Files struct {
	Options
	mu   sync.RWMutex
	kept []*folder // newest first
}

// folder is a kept release. Its exported fields are the content of its release.json.
type folder struct {
	path    string
	Loaded  time.Time       `json:"loaded"`
	Release release.Release `json:"release"`
}

const (
	releaseFile = "release.json"
	making      = ".making-"
)

// Dir returns the directory of the files in the directory of a register.
func Dir(register string) string { return filepath.Join(register, "releases") }

// Open finds the releases in the directory. Run creates new ones.
func Open(o Options) (*Files, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	f := &Files{Options: o}
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening the files of releases: %w", err)
	}

	for _, e := range entries {
		path := filepath.Join(o.Dir, e.Name())
		if strings.HasPrefix(e.Name(), making) { // an interrupted creation
			err = errors.Join(err, os.RemoveAll(path))
			continue
		}

		body, _ := os.ReadFile(filepath.Join(path, releaseFile))
		if kept := (folder{path: path}); json.Unmarshal(body, &kept) == nil {
			f.kept = append(f.kept, &kept)
		}
	}

	slices.SortFunc(f.kept, newestFirst)
	return f, nil
}

func newestFirst(a, b *folder) int {
	return cmp.Or(cmp.Compare(b.Release.Date, a.Release.Date), b.Loaded.Compare(a.Loaded))
}

// List returns the releases, the newest first.
func (f *Files) List() []release.Release {
	f.mu.RLock()
	defer f.mu.RUnlock()

	all := make([]release.Release, 0, len(f.kept))
	for i, kept := range f.kept {
		if i == 0 || kept.Release.Date != f.kept[i-1].Release.Date {
			all = append(all, kept.Release)
		}
	}

	return all
}

// File returns a file of a release. The zero date means the newest release. It returns op.ErrUnknown if there is no
// such file.
func (f *Files) File(day ro.Date, name string) (*op.Document, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()

	for _, kept := range f.kept {
		if day != 0 && kept.Release.Date != day {
			continue
		}

		i := slices.IndexFunc(kept.Release.Files, func(file release.ReleaseFile) bool { return file.Name == name })
		if i < 0 {
			break
		}

		file := kept.Release.Files[i]
		saveAs := fmt.Sprintf("%s-%s", kept.Release.Date, name)
		return op.NewStoredFile(filepath.Join(kept.path, name), file.Type, saveAs, file.SHA256[:24], kept.Loaded), nil
	}

	return nil, op.ErrUnknown
}

const (
	// wake is the interval of checks for a new release.
	wake = 5 * time.Second
	// retry is the time from a failure to the next attempt.
	retry = time.Hour
)

// Run creates the files of each loaded release, until the context ends. The caller starts it once, in a goroutine.
func (f *Files) Run(ctx context.Context) {
	work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
		if err := f.Update(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, onrc.ErrNotLoaded) {
			f.Logger.Error("creating the files of a release of the trade register failed", "registry", "onrc", "error",
				err, "retry", retry)
			return retry
		}

		return wake
	})
}

// Update creates the files of the served release, unless they exist. For the whole register this takes minutes of one
// processor. It returns onrc.ErrNotLoaded before the first load.
func (f *Files) Update(ctx context.Context) error {
	loaded := f.Register.Status().Loaded.Truncate(time.Second)
	return f.Register.Read(func(x *search.Index, release ro.Date) error {
		if f.has(release, loaded) {
			return nil
		}

		began := time.Now()
		made, err := f.make(ctx, x, release, loaded)
		if err != nil {
			return err
		}

		f.mu.Lock()
		f.kept = append(f.kept, made)
		slices.SortFunc(f.kept, newestFirst)
		f.mu.Unlock()
		f.Logger.Info("the files of the release of the trade register are available", "registry", "onrc", "release", release,
			"companies", made.Release.Companies, "took", time.Since(began))
		return f.prune()
	})
}

// has reports whether the files of a load exist.
func (f *Files) has(release ro.Date, loaded time.Time) bool {
	return slices.ContainsFunc(f.kept, func(kept *folder) bool {
		return kept.Release.Date == release && kept.Loaded.Equal(loaded)
	})
}

// releaseBefore returns the newest release before a given one. It returns nil if there is none.
func (f *Files) releaseBefore(release ro.Date) *folder {
	for _, kept := range f.kept {
		if kept.Release.Date < release {
			return kept
		}
	}

	return nil
}

// prune removes the oldest releases, and earlier loads of the other releases. Files that are being read stay readable.
func (f *Files) prune() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	var kept []*folder
	for _, one := range f.kept {
		repeated := len(kept) > 0 && kept[len(kept)-1].Release.Date == one.Release.Date
		if len(kept) < f.Keep && !repeated {
			kept = append(kept, one)
			continue
		}

		err = errors.Join(err, os.RemoveAll(one.path))
	}

	f.kept = kept
	return err
}
