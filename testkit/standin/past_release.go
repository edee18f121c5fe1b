package standin

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/rodata/rodata/ro"
)

// newPastRegister returns the companies of the release before the portal's newest complete one. Since then a company
// was added and another removed, one was renamed, one moved, and one was dissolved.
func newPastRegister() (*register, error) {
	companies, err := newRegister()
	if err != nil {
		return nil, err
	}

	places, err := readPlaces()
	if err != nil {
		return nil, err
	}

	past := slices.Clone(companies.companies)
	past = past[:len(past)-1]
	past[20].Name = "EXEMPLU CU NUMELE DE DINAINTE"
	past[21].street, past[21].number = "Str. Veche a Exemplului", "1"
	if i := slices.IndexFunc(past, func(c Company) bool { return c.State == Dissolved }); i >= 0 {
		past[i].State = Registered
	}

	removed := newCompany(909, recipe{"EXEMPLU CARE A DISPĂRUT", "Oradea", "SRL", Registered, neverPaid, "4711",
		ro.NewDate(2016, time.May, 12)}, places)
	companies.companies = append(past, removed)
	return companies, nil
}

// WritePastRelease writes the release before the portal's newest complete one into a folder below dir, and returns the
// folder.
func WritePastRelease(dir string, now time.Time) (folder string, err error) {
	companies, err := newPastRegister()
	if err != nil {
		return "", err
	}

	folder = filepath.Join(dir, releaseDay(now, 2).Format("firme-02-01-2006"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}

	files := releaseFiles(companies)
	for _, statements := range statementPackages(companies, now, "") {
		for _, r := range statements.Resources {
			files = append(files, file{path.Base(r.path), r.body})
		}
	}

	for _, file := range files {
		if err := os.WriteFile(filepath.Join(folder, file.name), file.body, 0o600); err != nil {
			return "", fmt.Errorf("writing a past release: %w", err)
		}
	}

	return folder, nil
}
