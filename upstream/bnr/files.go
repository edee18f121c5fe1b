package bnr

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/ro"
)

// yearFiles is the archive on disk: one text file per year, in the format described in the package documentation.
type yearFiles struct{ dir string }

// volume is the content of one file.
type volume struct {
	year    int
	known   []span
	entries []entry
}

const (
	title    = "rodata fixings 1: RON per unit, as published by the National Bank of Romania"
	checksum = "crc32 "
	suffix   = ".txt"
)

func (f yearFiles) path(year int) string {
	return filepath.Join(f.dir, fmt.Sprintf("fixings-%04d%s", year, suffix))
}

// load reads all files, and returns an error for each that cannot be read. A damaged file is renamed for inspection,
// and its year counts as not fetched.
func (f yearFiles) load() ([]volume, []error) {
	paths, err := filepath.Glob(filepath.Join(f.dir, "fixings-????"+suffix))
	if err != nil {
		return nil, []error{err}
	}

	var volumes []volume
	var failures []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			failures = append(failures, err)
			continue
		}

		v, err := decodeVolume(text)
		if err == nil && f.path(v.year) != path {
			err = fmt.Errorf("it holds the year %d", v.year)
		}

		if err != nil {
			failures = append(failures, errors.Join(fmt.Errorf("damaged file %s: %w", path, err),
				os.Rename(path, path+".damaged")))
			continue
		}

		volumes = append(volumes, v)
	}

	return volumes, failures
}

// save replaces a year's file atomically: a crash leaves either the old or the new one.
func (f yearFiles) save(v volume) error {
	return renameio.WriteFile(f.path(v.year), v.encode(), 0o644, renameio.WithTempDir(f.dir))
}

func (v volume) encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nyear %04d\n", title, v.year)
	for _, s := range v.known {
		fmt.Fprintf(&b, "known %s %s\n", s.from, s.to)
	}

	for _, e := range v.entries {
		fmt.Fprintf(&b, "%s %s", e.Date, e.retrieved.UTC().Format(time.RFC3339))
		for _, r := range e.Rates {
			fmt.Fprintf(&b, " %s=%s", r.Currency, r.Rate)
		}

		b.WriteByte('\n')
	}

	fmt.Fprintf(&b, "%s%08x\n", checksum, crc32.ChecksumIEEE(b.Bytes()))
	return b.Bytes()
}

func decodeVolume(text []byte) (volume, error) {
	end := bytes.LastIndex(text, []byte("\n"+checksum)) + 1
	if want := fmt.Sprintf("%s%08x\n", checksum, crc32.ChecksumIEEE(text[:end])); string(text[end:]) != want {
		return volume{}, errors.New("the checksum does not match the content")
	}

	lines := strings.Split(strings.TrimSuffix(string(text[:end]), "\n"), "\n")
	if len(lines) < 2 || lines[0] != title {
		return volume{}, errors.New("the first line does not have this format")
	}

	var v volume
	if _, err := fmt.Sscanf(lines[1], "year %d", &v.year); err != nil {
		return volume{}, fmt.Errorf("second line: %w", err)
	}

	for i, line := range lines[2:] {
		if err := v.decodeLine(strings.Split(line, " ")); err != nil {
			return volume{}, fmt.Errorf("line %d: %w", i+3, err)
		}
	}

	ascending := func(a, b entry) int { return int(a.Date - b.Date) }
	if !slices.IsSortedFunc(v.entries, ascending) ||
		slices.ContainsFunc(v.entries, func(e entry) bool { return e.Date.Year() != v.year }) {
		return volume{}, errors.New("the fixings are not all from the year, or not in order")
	}

	return v, nil
}

func (v *volume) decodeLine(words []string) error {
	if words[0] == "known" && len(words) == 3 {
		from, fromErr := ro.ParseDate(words[1])
		to, toErr := ro.ParseDate(words[2])
		v.known = append(v.known, span{from, to})
		return errors.Join(fromErr, toErr)
	}

	if len(words) < 3 {
		return errors.New("a fixing has a day, a retrieval time and at least one rate")
	}

	day, err := ro.ParseDate(words[0])
	if err != nil {
		return err
	}

	retrieved, err := time.Parse(time.RFC3339, words[1])
	if err != nil {
		return err
	}

	rates := make([]rate.Rate, 0, len(words)-2)
	for _, word := range words[2:] {
		code, text, _ := strings.Cut(word, "=")
		currency, err := readCurrency(code)
		if err != nil {
			return err
		}

		r, err := ro.ParseDecimal(text)
		if err != nil || r.Sign() <= 0 {
			return fmt.Errorf("%q is not a rate", word)
		}

		rates = append(rates, rate.Rate{Currency: currency, Rate: r})
	}

	v.entries = append(v.entries, entry{rate.Fixing{Date: day, Rates: rates}, retrieved})
	return sortRates(rates)
}
