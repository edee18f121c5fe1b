package onrc

import (
	"encoding/json"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeJSON replaces a file atomically.
func writeJSON(path string, value any) error {
	body, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, append(body, '\n'), 0o644, renameio.WithTempDir(filepath.Dir(path)))
}
