package onrc

import (
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/ro"
)

// Summary describes a load. It is stored beside the index.
type Summary struct {
	// Release is the day of the release.
	Release ro.Date `json:"release"`
	// Origin identifies the source files.
	Origin string `json:"origin"`
	// From is the directory of the source files. It is empty if they came from the portal.
	From string `json:"from,omitempty"`
	// Loaded is the end of the load. Took is its duration, without the time of an interrupted load before.
	Loaded time.Time     `json:"loaded"`
	Took   time.Duration `json:"took"`
	// Companies is the number of companies in the index.
	Companies int64 `json:"companies"`
	// Rows and Bytes are the sizes of the files, by their names, such as OD_FIRME.
	Rows  map[string]int64 `json:"rows"`
	Bytes map[string]int64 `json:"bytes"`
	// Missing are the files that the release lacks.
	Missing []string `json:"missing,omitempty"`
	// Dropped counts dropped and corrected rows and values.
	Dropped map[Reason]int64 `json:"dropped"`
	// Warnings are sentences for the operator.
	Warnings []string `json:"warnings,omitempty"`
}

// ErrRefused means that a release was refused as implausible, for instance because of a wrong header, an empty file,
// or far fewer rows than before.
var ErrRefused = errors.New("release refused")

// minRowsPercent is the minimum number of rows of a release, in percent of the previous one.
const minRowsPercent = 90

// plausible returns an error if a release cannot plausibly follow the previous one, which may be nil.
func (s *Summary) plausible(previous *Summary) error {
	for _, t := range tables {
		rows, present := s.Rows[t.name]
		if present && rows == 0 {
			return fmt.Errorf("%w: %s has no rows", ErrRefused, t.name)
		}
		if previous == nil || !present {
			continue
		}
		if before := previous.Rows[t.name]; rows < before*minRowsPercent/100 {
			return fmt.Errorf("%w: %s has %d rows; the release of %s had %d, and at least %d %% of them are expected",
				ErrRefused, t.name, rows, previous.Release, before, minRowsPercent)
		}
	}

	return nil
}

// enough returns an error if there are fewer companies than the rows and the previous release suggest.
func (s *Summary) enough(previous *Summary) error {
	least := s.Rows[firmTable.name] * minRowsPercent / 100
	if previous != nil {
		least = max(least, previous.Companies*minRowsPercent/100)
	}
	if s.Companies < least || s.Companies == 0 {
		return fmt.Errorf("%w: only %d companies could be read, and at least %d are expected", ErrRefused, s.Companies,
			least)
	}

	return nil
}

// Reason is the reason why rows or values of a release were dropped or corrected, for the summary of a load.
type Reason string

// The reasons.
const (
	joinedRow       Reason = "rows cut by line breaks, joined"
	brokenRow       Reason = "rows with too few columns"
	wideRow         Reason = "rows with too many columns"
	longRow         Reason = "rows over 20 KB"
	keylessRow      Reason = "rows without a register number"
	namelessFirm    Reason = "companies without a name"
	repeatedFirm    Reason = "repeated rows of a company"
	personalNumber  Reason = "personal numbers in place of a tax id"
	personalText    Reason = "personal numbers and dates inside other texts"
	noTaxID         Reason = "companies without a tax id"
	wrongTaxID      Reason = "tax ids with a wrong control digit"
	noDay           Reason = "companies without a day of registration"
	wrongDay        Reason = "days of registration not understood"
	unknownCounty   Reason = "registered offices in a county not understood"
	unknownPlace    Reason = "registered offices in a place not found"
	wrongPostalCode Reason = "postal codes not understood"
	notWebsite      Reason = "malformed websites"
	wrongStatement  Reason = "yearly statements not understood"
	wrongActivity   Reason = "activity codes not understood"
	unknownState    Reason = "state codes not understood"
	orphanState     Reason = "state rows without a company"
	orphanActivity  Reason = "activity rows without a company"
	orphanPerson    Reason = "representatives without a company"
	namelessPerson  Reason = "representatives without a name"
	repeatedPerson  Reason = "repeated representatives"
	tooManyPersons  Reason = "representatives past the 500th of a company"
)

// reasons counts occurrences. It is not safe for concurrent use.
type reasons map[Reason]int64
