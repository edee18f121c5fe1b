package onrc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestRefused(t *testing.T) {
	tests := map[string]struct {
		spoil  func(dir string) error
		says   string
		forced bool // Force loads the release anyway
	}{
		"far fewer companies": {func(dir string) error { return halve(filepath.Join(dir, "od_firme.csv")) },
			"OD_FIRME has", true},
		"far fewer states": {func(dir string) error { return halve(filepath.Join(dir, "od_stare_firma.csv")) },
			"OD_STARE_FIRMA has", true},
		"an empty file": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "od_caen_autorizat.csv"), 0)
		}, "OD_CAEN_AUTORIZAT", false},
		"a header alone": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "od_caen_autorizat.csv"),
				[]byte("COD_INMATRICULARE^COD_CAEN_AUTORIZAT^VER_CAEN_AUTORIZAT\r\n"), 0o600)
		}, "OD_CAEN_AUTORIZAT has no rows", false},
		"another header": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "od_firme.csv"), []byte("NAME;NUMBER\r\nEXEMPLU;1\r\n"), 0o600)
		}, "COD_INMATRICULARE is missing", false},
		"names that are none": {func(dir string) error { return namesGone(filepath.Join(dir, "od_firme.csv")) },
			"could be read", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, after := t.TempDir(), written(t, "firme-02-09-2026", 400, true)
			mustLoad(t, Options{From: written(t, "firme-08-07-2026", 400, true), Dir: dir})
			testkit.NoError(t, test.spoil(after))

			_, err := Load(t.Context(), Options{From: after, Dir: dir})
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v", err)
			}
			if n, day := served(t, dir); n != 400 || day != "2026-07-08" {
				t.Errorf("%d companies of %s are served", n, day)
			}
			if s, err := Load(t.Context(), Options{From: after, Dir: dir, Force: true}); test.forced != (err == nil) ||
				err == nil && s.Companies == 0 {
				t.Errorf("forced, it gave %+v, %v", s, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "loading")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the files already read are still there: %v", err)
			}
			if r := lastRefusal(dir); !strings.Contains(r.Origin, "firme-02-09-2026") ||
				!strings.Contains(r.Reason, test.says) {
				t.Errorf("the recorded refusal is %+v", r)
			}
		})
	}
}

func halve(path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	end := strings.Index(string(body[len(body)/2:]), "\r\n") + 2
	return os.WriteFile(path, body[:len(body)/2+end], 0o600)
}

func namesGone(path string) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	lines := strings.Split(string(body), "\r\n")
	for i := range lines {
		if _, rest, ok := strings.Cut(lines[i], "^"); ok && i > 0 {
			lines[i] = "-^" + rest
		}
	}

	return os.WriteFile(path, []byte(strings.Join(lines, "\r\n")), 0o600)
}
