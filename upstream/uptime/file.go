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

	"github.com/rodata/rodata/api"
)

var errDamaged = errors.New("damaged file")

// load reads a timeline. If there is no file, the timeline is empty. If the file is damaged, load renames it and
// returns an empty timeline with errDamaged.
func load(path string) (r timeline, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return timeline{}, nil
	case err != nil:
		return timeline{}, fmt.Errorf("reading the availability of the registries: %w", err)
	}

	if err = json.Unmarshal(text, &r); err == nil {
		err = r.check()
	}
	if err != nil {
		return timeline{}, fmt.Errorf("%w %s: %w", errDamaged, path, errors.Join(err, os.Rename(path, path+".damaged")))
	}

	return r, nil
}

// check rejects content that save cannot have written.
func (r *timeline) check() error {
	for name, s := range r.Sources {
		if s == nil || s.Days == nil || len(s.Days) > api.MaxHistoryDays || len(s.Incidents) > maxIncidents {
			return fmt.Errorf("%s is not the timeline of a registry", name)
		}

		for day, t := range s.Days {
			if t.OK < 0 || t.Stale < 0 || t.Down < 0 || t.OK+t.Stale+t.Down > 24*time.Hour {
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
func (h *Recorder) save() error {
	h.mu.Lock()
	h.sample()
	through := h.timeline.Through
	text, err := json.Marshal(h.timeline)
	h.mu.Unlock()
	if err != nil || through.Equal(h.saved) {
		return err
	}

	if err := renameio.WriteFile(h.path, text, 0o600, renameio.WithTempDir(filepath.Dir(h.path))); err != nil {
		return fmt.Errorf("writing the availability of the registries: %w", err)
	}

	h.saved = through
	return nil
}
