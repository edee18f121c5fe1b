package onrc

import (
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
)

// Summary is what a load did. It is kept beside the index.
type Summary struct {
	// Release is the day of the release.
	Release api.Date `json:"release"`
	// Origin says which files it was made of.
	Origin string `json:"origin"`
	// From is the directory that they were in, empty when the portal had them.
	From string `json:"from,omitempty"`
	// Loaded is when the load ended, Took how long it took without what an
	// interrupted one had done before.
	Loaded time.Time     `json:"loaded"`
	Took   time.Duration `json:"took"`
	// Companies are how many the index has.
	Companies int64 `json:"companies"`
	// Rows and Bytes are those of each file, by its name: OD_FIRME.
	Rows  map[string]int64 `json:"rows"`
	Bytes map[string]int64 `json:"bytes"`
	// Missing are the files that the release lacked.
	Missing []string `json:"missing,omitempty"`
	// Dropped is what was left out or mended, and how often.
	Dropped map[Reason]int64 `json:"dropped"`
	// Warnings are what an operator should know, a sentence each.
	Warnings []string `json:"warnings,omitempty"`
}

// ErrRefused tells of a release that was not loaded because it cannot be what it
// claims to be: a wrong header, an empty file, far fewer rows than before.
var ErrRefused = errors.New("release refused")

// leastShare is how many of the rows of the previous release one must have, in
// percent.
const leastShare = 90

// plausible is nil when a release may follow on a previous one, which may be nil.
func (s *Summary) plausible(previous *Summary) error {
	for _, t := range tables {
		rows, present := s.Rows[t.name]
		if present && rows == 0 {
			return fmt.Errorf("%w: %s has no rows", ErrRefused, t.name)
		}
		if previous == nil || !present {
			continue
		}
		if before := previous.Rows[t.name]; rows < before*leastShare/100 {
			return fmt.Errorf("%w: %s has %d rows; the release of %s had %d, and at least %d %% of them are expected",
				ErrRefused, t.name, rows, previous.Release, before, leastShare)
		}
	}
	return nil
}

// enough is nil when the companies are as many as a release with its rows, and
// the one before, let expect.
func (s *Summary) enough(previous *Summary) error {
	least := s.Rows[firmTable.name] * leastShare / 100
	if previous != nil {
		least = max(least, previous.Companies*leastShare/100)
	}
	if s.Companies < least || s.Companies == 0 {
		return fmt.Errorf("%w: only %d companies could be read, and at least %d are expected", ErrRefused, s.Companies, least)
	}
	return nil
}
