package onrc

import "path/filepath"

// refusal records a release that was refused, so that it is not downloaded repeatedly in the background.
type refusal struct {
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

func refusalPath(dir string) string { return filepath.Join(dir, "refused.json") }

func recordRefusal(dir, origin string, reason error) error {
	return writeJSON(refusalPath(dir), refusal{origin, reason.Error()})
}

// lastRefusal returns the last refused release, or the zero value.
func lastRefusal(dir string) (r refusal) {
	if readJSON(refusalPath(dir), &r) != nil {
		return refusal{}
	}
	return r
}
