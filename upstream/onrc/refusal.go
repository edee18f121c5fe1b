package onrc

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// refusal remembers a release that was refused, so that it is not fetched again
// and again in the background.
type refusal struct {
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

func refusalPath(dir string) string { return filepath.Join(dir, "refused.json") }

func noteRefusal(dir, origin string, reason error) error {
	return writeJSON(refusalPath(dir), refusal{origin, reason.Error()})
}

// lastRefusal is the last release that was refused; the zero value when there is
// none.
func lastRefusal(dir string) (r refusal) {
	if body, err := os.ReadFile(refusalPath(dir)); err != nil || json.Unmarshal(body, &r) != nil {
		return refusal{}
	}
	return r
}
