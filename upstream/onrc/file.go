package onrc

import (
	"encoding/json"
	"os"
)

// writeJSON replaces a file as a whole, so that a reader finds the old one or the
// new one, also after a crash.
func writeJSON(path string, value any) error {
	body, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(append(body, '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return err
}
