package uptime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/api/system"
)

var errDamaged = errors.New("damaged file")

// load reads a timeline. If there is no file, the timeline is empty. If the file is damaged, load renames it and
// returns an empty timeline with errDamaged.
func load(path string) (t timeline, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return timeline{}, nil
	case err != nil:
		return timeline{}, fmt.Errorf("reading the availability of the registries: %w", err)
	}

	if err = json.Unmarshal(text, &t); err == nil {
		err = t.check()
	}
	if err != nil {
		return timeline{}, fmt.Errorf("%w %s: %w", errDamaged, path, errors.Join(err, os.Rename(path, path+".damaged")))
	}

	return t, nil
}

// check rejects content that save cannot have written.
func (t *timeline) check() error {
	for name, s := range t.Sources {
		if s == nil || s.Days == nil || len(s.Days) > system.MaxHistoryDays || len(s.Incidents) > maxIncidents {
			return fmt.Errorf("%s is not the timeline of a registry", name)
		}

		for day, d := range s.Days {
			if d.OK < 0 || d.Stale < 0 || d.Down < 0 || d.OK+d.Stale+d.Down > 24*time.Hour {
				return fmt.Errorf("%s: %s has impossible durations", name, day)
			}
		}

		for n, i := range s.Incidents {
			if i.State != stale && i.State != down ||
				i.To == nil && n < len(s.Incidents)-1 || i.To != nil && i.To.Before(i.From) {
				return fmt.Errorf("%s: impossible incident at %s", name, i.From)
			}
		}
	}

	return nil
}

// save replaces the file atomically, if anything was recorded since the last time.
func (r *Recorder) save() error {
	r.mu.Lock()
	r.sample()
	through := r.timeline.Through
	text, err := json.Marshal(r.timeline)
	r.mu.Unlock()
	if err != nil || through.Equal(r.saved) {
		return err
	}

	if err := renameio.WriteFile(r.path, text, 0o600, renameio.WithTempDir(filepath.Dir(r.path))); err != nil {
		return fmt.Errorf("writing the availability of the registries: %w", err)
	}

	r.saved = through
	return nil
}
