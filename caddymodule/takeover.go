package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/company"
	watchstore "github.com/rodata/rodata/watch/store"
)

// takeover converts records that versions before observations left in the cache's file into observations, once per data
// directory. It continues where it was stopped.
type takeover struct {
	cache *cache.Cache
	store *watchstore.Recorder
	file  string // stores its progress
	log   *slog.Logger
	pause time.Duration

	stop    context.CancelFunc
	running sync.WaitGroup
}

type takeoverKey struct{ dataDir, history string }

// progress is the progress of a takeover, in the format of the file.
type progress struct {
	After string `json:"after"` // the key of the last processed entry
	Done  bool   `json:"done"`
}

const (
	// The takeover leaves the disk to others most of the time: 4.2 million companies take an hour.
	takenAtOnce   = 100
	takeoverPause = 100 * time.Millisecond
	takeoverAgain = time.Minute // after an error
)

// openTakeover takes a share in the takeover of a data directory, and starts it if there is no other share.
func openTakeover(l *shares, dataDir string, c *core, h sharedHistory, w *watching) error {
	_, err := share(l, takeoverKey{dataDir, h.place}, func() (*takeover, error) {
		t := &takeover{
			cache: c.cache, store: w.recorder, file: filepath.Join(dataDir, "history-takeover.json"),
			log: slog.New(liveLog{}), pause: takeoverPause,
		}
		ctx, cancel := context.WithCancel(context.Background())
		t.stop = cancel
		t.running.Go(func() { t.run(ctx) })
		return t, nil
	})
	return err
}

// Destruct stops the takeover.
func (t *takeover) Destruct() error {
	t.stop()
	t.running.Wait()
	return nil
}

// run processes everything, in chunks with pauses between them.
func (t *takeover) run(ctx context.Context) {
	failed := false
	for {
		wait := t.pause
		done, err := t.step(ctx)
		switch {
		case done || ctx.Err() != nil:
			return
		case err != nil:
			if !failed {
				t.log.Error("taking over stored companies as observations failed; trying again every minute", "error", err)
			}
			wait = takeoverAgain
		}
		failed = err != nil

		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// step processes the next chunk, and reports whether there is none left.
func (t *takeover) step(ctx context.Context) (done bool, err error) {
	p, err := t.progress()
	if err != nil || p.Done {
		return p.Done, err
	}
	stored, last, err := cache.OnDisk[*anaf.Record](t.cache, company.Kind, p.After, takenAtOnce)
	if err != nil {
		return false, err
	}

	if answer := answerIn(stored); len(answer.Observations) > 0 {
		if err := t.store.Keep(ctx, answer); err != nil {
			return false, err
		}
	}
	p = progress{After: last, Done: last == ""}
	return p.Done, t.save(p)
}

// answerIn combines the records among entries of the cache. For some only the profile was stored. One that cannot be
// read could not be served either.
func answerIn(stored []cache.Stored[*anaf.Record]) (a watchstore.Answer) {
	for _, s := range stored {
		var cui api.CUI
		if s.Value == nil || s.Value.Outdated() || cui.UnmarshalText([]byte(s.Key)) != nil {
			continue
		}
		_ = appendRecord(&a, cui, api.DateIn(s.RetrievedAt, api.Bucharest), s.RetrievedAt, s.Value)
	}
	return a
}

func (t *takeover) progress() (p progress, err error) {
	text, err := os.ReadFile(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("reading how far the takeover is: %w", err)
	}
	return p, nil
}

// save replaces the file. After a power loss a chunk may be processed twice, which has no further effect.
func (t *takeover) save(p progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return renameio.WriteFile(t.file, text, 0o600, renameio.WithTempDir(filepath.Dir(t.file)))
}
