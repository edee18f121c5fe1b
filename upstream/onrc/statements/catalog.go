package statements

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Catalog describes what the portal had at the last check. It is kept beside the files.
type Catalog struct {
	// Checked is the time of the check. It is zero before the first one.
	Checked time.Time `json:"checked"`
	// Changed is the time of the last change of the files here.
	Changed time.Time `json:"changed"`
	// First is the first year for which the portal was checked.
	First int `json:"first"`
	// Published has the origins of the files on the portal.
	Published map[Key]string `json:"published"`
	// Refused has the files of the portal whose content is not understood. For these, older files here stay.
	Refused map[Key]Refusal `json:"refused"`
}

// Refusal is the refusal of a file.
type Refusal struct {
	Origin string `json:"origin"`
	Reason string `json:"reason"`
}

func catalogPath(dir string) string { return filepath.Join(dir, "catalog.json") }

// ReadCatalog reads the catalog of a directory. It is empty before the first check, or if it is damaged.
func ReadCatalog(dir string) (Catalog, error) {
	c := Catalog{}
	body, err := os.ReadFile(catalogPath(dir))
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil {
		c = Catalog{}
	}
	if c.Published == nil {
		c.Published = map[Key]string{}
	}
	if c.Refused == nil {
		c.Refused = map[Key]Refusal{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}

	return c, err
}

// Write writes the catalog of a directory.
func (c Catalog) Write(dir string) error {
	body, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	return renameio.WriteFile(catalogPath(dir), append(body, '\n'), 0o600)
}

// FilesOf returns the coverage of the files of a year.
func (s *Store) FilesOf(year int) (files []company.StatementFile) {
	for _, family := range Families {
		file := company.StatementFile{Form: family}
		file.Coverage, file.AsOf = s.Coverage(Key{year, family})
		files = append(files, file)
	}
	return files
}

// IsComplete reports whether all files of all years that the portal had at the last check are here or refused.
func (s *Store) IsComplete() bool {
	for key := range s.Catalog.Published {
		if c, _ := s.Coverage(key); c == company.FileNotLoaded {
			return false
		}
	}
	return true
}

// Coverage returns whether the files of a year and family are here, and the day of those that are; 0 if there are none.
func (s *Store) Coverage(key Key) (c company.Coverage, asOf ro.Date) {
	for _, f := range s.files {
		if f.Key == key {
			c, asOf = company.FileLoaded, f.Date
		}
	}

	if _, refused := s.Catalog.Refused[key]; refused {
		return company.FileRefused, asOf
	}
	if _, published := s.Catalog.Published[key]; c == "" {
		c = company.FileNotLoaded
		if !published && !s.Catalog.Checked.IsZero() && key.Year >= s.Catalog.First {
			c = company.FileNotPublished
		}
	}

	return c, asOf
}

// completeYears returns the years whose files are all here, the newest first.
func (s *Store) completeYears() (years []int) {
	for _, f := range s.files {
		filings := company.Filings{Year: f.Key.Year, Files: s.FilesOf(f.Key.Year)}
		if !slices.Contains(years, filings.Year) && filings.MissingFiles() == "" {
			years = append(years, filings.Year)
		}
	}

	return years
}
