package onrc

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func readJSON(path string, into any) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// writeJSON replaces a file atomically.
func writeJSON(path string, value any) error {
	body, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, append(body, '\n'), 0o644, renameio.WithTempDir(filepath.Dir(path)))
}
