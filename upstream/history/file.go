package history

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

// load reads a record; one that there is not is empty. A damaged one is moved
// aside, and empty too; the error is errDamaged then.
func load(path string) (r record, err error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return record{}, nil
	case err != nil:
		return record{}, fmt.Errorf("reading the history of the registries: %w", err)
	}
	if err = json.Unmarshal(text, &r); err == nil {
		err = r.check()
	}
	if err != nil {
		return record{}, fmt.Errorf("%w %s: %w", errDamaged, path, errors.Join(err, os.Rename(path, path+".damaged")))
	}
	return r, nil
}

// check refuses what cannot have been written here.
func (r *record) check() error {
	for name, s := range r.Sources {
		if s == nil || s.Days == nil || len(s.Days) > api.MaxHistoryDays || len(s.Incidents) > maxIncidents {
			return fmt.Errorf("%s is not a registry's history", name)
		}
		for day, t := range s.Days {
			if t.OK < 0 || t.Stale < 0 || t.Down < 0 || t.OK+t.Stale+t.Down > 24*time.Hour {
				return fmt.Errorf("%s: %s is not a day's length", name, day)
			}
		}
		for n, i := range s.Incidents {
			if i.State != stale && i.State != down || i.To == nil && n < len(s.Incidents)-1 || i.To != nil && i.To.Before(i.From) {
				return fmt.Errorf("%s: there is no such incident as that of %s", name, i.From)
			}
		}
	}
	return nil
}

// save replaces the file if time has passed since the last one: after a crash
// there is either the old one or the new one, whole.
func (h *History) save() error {
	h.mu.Lock()
	h.look()
	through := h.record.Through
	text, err := json.Marshal(h.record)
	h.mu.Unlock()
	if err != nil || through.Equal(h.saved) {
		return err
	}
	if err := renameio.WriteFile(h.path, text, 0o600, renameio.WithTempDir(filepath.Dir(h.path))); err != nil {
		return fmt.Errorf("writing the history of the registries: %w", err)
	}
	h.saved = through
	return nil
}
