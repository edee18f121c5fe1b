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

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// Library holds every fixing ever fetched, in memory and on disk. There is one per directory. If one registry replaces
// another, for instance after a reload with another address, both share the library, so that nothing fetched is lost.
type Library struct {
	files yearFiles

	saving  sync.Mutex // taken before mu
	failing bool       // the last write failed; guarded by saving

	mu         sync.RWMutex
	archive    archive
	currencies map[ro.Currency]bool
	unsaved    map[int]bool
}

// OpenLibrary reads the files of a directory, and creates the directory if necessary. It fails only if it cannot create
// the directory. Unreadable files are logged, and their years are fetched again when needed.
func OpenLibrary(dir string, log *slog.Logger) (*Library, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("opening the archive of fixings: %w", err)
	}

	l := &Library{files: yearFiles{dir}, currencies: map[ro.Currency]bool{}, unsaved: map[int]bool{}}
	for _, c := range published {
		l.currencies[c] = true
	}

	volumes, failures := l.files.load()
	for _, err := range failures {
		log.Error("reading stored fixings failed; they will be fetched again", "registry", name, "error", err)
	}

	for _, v := range volumes { // their names are in ascending order
		l.archive.entries = append(l.archive.entries, v.entries...)
		for _, s := range v.known {
			l.archive.learn(s)
		}
	}

	for _, e := range l.archive.entries {
		l.learnCurrencies(e.Fixing)
	}

	return l, nil
}

// lastRetrieved returns the retrieval time of the newest fixing. It is zero if there is none.
func (l *Library) lastRetrieved() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if n := len(l.archive.entries); n > 0 {
		return l.archive.entries[n-1].retrieved
	}

	return time.Time{}
}

// save writes the unsaved years. It reports news when writing starts to fail, and when it succeeds again.
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
		if err := l.files.save(v); err != nil {
			failures = append(failures, err)
			l.mu.Lock()
			l.unsaved[v.year] = true
			l.mu.Unlock()
		}
	}

	return errors.Join(failures...)
}

// volume returns the archive's content of a year.
func (a *archive) volume(year int) volume {
	begin, end := ro.NewDate(year, time.January, 1), ro.NewDate(year, time.December, 31)
	return volume{year: year, known: a.runs(begin, end), entries: a.entriesBetween(begin, end)}
}

// published are the currencies that the bank is known to have published, so that they are recognised before their years
// have been fetched: the 37 of 2026, the lev (until 2025) and the kuna (until 2022-12-30).
var published = []ro.Currency{
	"AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
	"HRK", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KRW", "MDL", "MXN", "MYR", "NOK", "NZD",
	"PHP", "PLN", "RSD", "RUB", "SEK", "SGD", "THB", "TRY", "UAH", "USD", "XAU", "XDR", "ZAR",
}

// learnCurrencies adds the currencies of a fixing to those that the bank is known to have published.
func (l *Library) learnCurrencies(f rate.Fixing) {
	for _, r := range f.Rates {
		l.currencies[r.Currency] = true
	}
}
