package onrc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/rodata/rodata/ro"
)

// folderRelease returns the release in a directory. Its files have the same names as on the portal. Its day comes from
// the directory's name (firme-02-09-2026), or else from the main file. The files are left unchanged.
func folderRelease(dir string) (*release, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	r := &release{files: map[string]sourceFile{}}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}

		path := filepath.Join(dir, e.Name())
		r.files[fileName(e.Name())] = sourceFile{
			origin: fmt.Sprintf("%s %d %s", path, info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)),
			size:   info.Size(),
			get:    func(context.Context, string, func(int64)) (string, bool, error) { return path, false, nil },
		}
		if fileName(e.Name()) == firmTable.name {
			r.date = ro.DateIn(info.ModTime(), ro.Bucharest)
		}
	}

	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}

	if day, ok := slugDay(dayInName, filepath.Base(absolute)); ok {
		r.date = day
	}

	if !r.isComplete() {
		return nil, fmt.Errorf("%s: it needs at least %s, %s and %s, each as .csv", dir, firmTable.name,
			stateTable.name, activityTable.name)
	}

	return r, nil
}

var dayInName = regexp.MustCompile(`(\d\d-\d\d-\d{4})$`)
