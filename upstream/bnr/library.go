package bnr

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

// Library is every fixing ever fetched, in memory and on disk. There is one for a
// directory: registries that follow each other, as when the bank's address
// changes, share it, so that what one has just learned the next knows.
type Library struct {
	shelf shelf

	saving  sync.Mutex // taken before mu
	failing bool       // the last write failed; guarded by saving

	mu         sync.RWMutex
	archive    archive
	currencies []api.Currency
	unsaved    map[int]bool
}

// OpenLibrary reads the files of a directory, which is made when it is missing. It
// fails only when there can be none; files that cannot be read are logged, and
// what they held is fetched again when it is needed.
func OpenLibrary(dir string, log *slog.Logger) (*Library, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("opening the archive of fixings: %w", err)
	}
	l := &Library{shelf: shelf{dir}, currencies: published, unsaved: map[int]bool{}}
	volumes, failures := l.shelf.load()
	for _, err := range failures {
		log.Error("reading stored fixings failed; they will be fetched anew", "registry", name, "error", err)
	}
	for _, v := range volumes { // their names make them ascend
		l.archive.entries = append(l.archive.entries, v.entries...)
		for _, s := range v.known {
			l.archive.learn(s)
		}
	}
	for _, e := range l.archive.entries {
		l.currencies = withCurrencies(l.currencies, e.Fixing)
	}
	return l, nil
}

// lastRetrieved is when the newest fixing was fetched, zero when there is none.
func (l *Library) lastRetrieved() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if n := len(l.archive.entries); n > 0 {
		return l.archive.entries[n-1].retrieved
	}
	return time.Time{}
}

// save writes the years that have changed since they were last written. It is news
// when that begins to fail, and when it succeeds again.
func (l *Library) save() (news bool, err error) {
	l.saving.Lock()
	defer l.saving.Unlock()
	err = l.saveChanged()
	news = l.failing != (err != nil)
	l.failing = err != nil
	return news, err
}

func (l *Library) saveChanged() error {
	l.mu.Lock()
	var volumes []volume
	for _, year := range slices.Sorted(maps.Keys(l.unsaved)) {
		volumes = append(volumes, l.archive.volume(year))
	}
	clear(l.unsaved)
	l.mu.Unlock()
	var failures []error
	for _, v := range volumes {
		if err := l.shelf.save(v); err != nil {
			failures = append(failures, err)
			l.mu.Lock()
			l.unsaved[v.year] = true
			l.mu.Unlock()
		}
	}
	return errors.Join(failures...)
}

// volume is what the archive has of a year.
func (a *archive) volume(year int) volume {
	begin, end := api.NewDate(year, time.January, 1), api.NewDate(year, time.December, 31)
	v := volume{year: year, entries: a.entries[a.last(begin-1)+1 : a.last(end)+1]}
	for _, s := range a.known {
		if s.from <= end && s.to >= begin {
			v.known = append(v.known, span{max(s.from, begin), min(s.to, end)})
		}
	}
	return v
}
