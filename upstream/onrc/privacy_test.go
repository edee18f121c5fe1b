package onrc

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/traderegister"
)

// secrets are personal data that must never be stored.
type secrets struct {
	days    map[string]bool // birth dates, in all formats
	numbers map[string]bool
	// Only places of birth and homes of the invented persons have these endings.
	endings []string
}

func secretsOf(firms int) secrets {
	s := secrets{days: map[string]bool{}, numbers: map[string]bool{}, endings: []string{
		"naștenii", "naştenii", "nastenii", "locuinții", "locuinţii", "locuintii"}}
	for f := range traderegister.Firms(firms, 1) {
		for _, p := range f.Persons {
			s.numbers[p.CNP] = true
			if born := p.Born.UTC(); born.Year() < 1992 { // a later one may be a registration, or J16/12/1998
				for _, form := range []string{"02/01/2006", "02.01.2006", "2006-01-02"} {
					s.days[born.Format(form)] = true
				}
			}
		}
	}

	return s
}

// in returns the secrets in a text.
func (s secrets) in(body []byte) []string {
	var found []string
	lower := bytes.ToLower(body)
	for _, ending := range s.endings {
		if bytes.Contains(lower, []byte(ending)) {
			found = append(found, "a place with "+ending)
		}
	}

	for i := range body {
		if i+10 <= len(body) && s.days[string(body[i:i+10])] {
			found = append(found, "the day "+string(body[i:i+10]))
		}
		if i+13 <= len(body) && s.numbers[string(body[i:i+13])] {
			found = append(found, "the number "+string(body[i:i+13]))
		}
	}

	return found
}

// inDir returns the secrets in the files of a directory, and the number of its files.
func (s secrets) inDir(t *testing.T, dir string) (found []string, files int, all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}

		files++
		body, err := os.ReadFile(path)
		for _, secret := range s.in(body) {
			found = append(found, secret+" in "+d.Name())
		}

		all = append(all, body...)
		return err
	})
	testkit.NoError(t, err)

	return found, files, all
}

func TestNothingOfPersonsIsKept(t *testing.T) {
	const n = 2000
	secrets := secretsOf(n)
	raw, _, _ := secrets.inDir(t, written(t, "firme-02-09-2026", n, false))
	for _, kind := range []string{"a place with naș", "a place with naş", "a place with locuinț", "the day ",
		"the number "} {
		if !slices.ContainsFunc(raw, func(s string) bool { return strings.HasPrefix(s, kind) }) {
			t.Fatalf("the release itself does not have %q, so this test proves nothing", kind)
		}
	}

	f, dir := newFiles(t), t.TempDir()
	f.release(t, "firme-02-09-2026", n)
	o := Options{Portal: mustPortal(t, f.URL), Dir: dir}

	t.Run("once the files are read", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o, joining := o, false
		o.Progress = func(p Progress) {
			if p.Unit != "rows" || joining {
				return
			}

			joining = true // no part has been joined and removed yet
			if found, files, _ := secrets.inDir(t, dir); len(found) > 0 || files < partCount {
				t.Errorf("in %d files there are %q", files, found)
			}

			cancel()
		}
		if _, err := Load(ctx, o); !errors.Is(err, context.Canceled) || !joining {
			t.Fatalf("the error is %v", err)
		}
	})
	t.Run("after the load", func(t *testing.T) {
		mustLoad(t, o)
		found, _, kept := secrets.inDir(t, dir)
		if len(found) > 0 {
			t.Errorf("there are %q", found)
		}

		persons, there := 0, 0
		for f := range traderegister.Firms(n, 1) { // to verify that the search works
			for _, p := range f.Persons {
				persons++
				if bytes.Contains(kept, []byte(p.Name)) {
					there++
				}
			}
		}

		if there < persons*99/100 {
			t.Errorf("the names of %d of %d representatives were found", there, persons)
		}
	})
}
