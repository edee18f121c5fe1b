package onrc

import "path/filepath"

// rejection records a release that was rejected, so that it is not downloaded repeatedly in the background.
type rejection struct {
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

func rejectionPath(dir string) string { return filepath.Join(dir, "refused.json") }

func recordRejection(dir, origin string, reason error) error {
	return writeJSON(rejectionPath(dir), rejection{origin, reason.Error()})
}

// lastRejection returns the last rejected release, or the zero value.
func lastRejection(dir string) (r rejection) {
	if readJSON(rejectionPath(dir), &r) != nil {
		return rejection{}
	}
	return r
}
