package uptime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
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

	if err := json.Unmarshal(text, &t); err != nil {
		return timeline{}, fmt.Errorf("%w %s: %w", errDamaged, path, errors.Join(err, os.Rename(path, path+".damaged")))
	}

	return t, nil
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
