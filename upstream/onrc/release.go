package onrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/ro"
)

// release is one publication of the trade register, with its files.
type release struct {
	date  ro.Date
	files map[string]sourceFile // by name: OD_FIRME
}

// sourceFile is a file of a release.
type sourceFile struct {
	// origin identifies the file's content: it changes whenever the content does.
	origin string
	// size is the file's expected length in bytes. It is 0 if unknown.
	size int64
	// open returns the content of the file, which it downloads if necessary.
	open func(context.Context) (io.ReadCloser, error)
}

// stateNamesFile is the nomenclature of states, which is published in a package of its own.
const stateNamesFile = "N_STARE_FIRMA"

// isComplete reports whether the release has the files that every load needs.
func (r *release) isComplete() bool {
	for _, t := range tables {
		if _, ok := r.files[t.name]; !ok && !t.optional {
			return false
		}
	}

	return true
}

// origin identifies the release by the origins of its files.
func (r *release) origin() string {
	var text strings.Builder
	for _, t := range tables {
		fmt.Fprintln(&text, t.name, r.files[t.name].origin)
	}
	return text.String()
}

// errNoRelease means that the portal has no release that could be loaded.
var errNoRelease = errors.New("no complete release was found")

// organization is the trade register's name on the portal.
const organization = "onrc"

// latest returns the newest complete release. It compares the dates in the packages' names, because old packages are
// edited after new ones appear. A package may be listed before its files.
func (p *Portal) latest(ctx context.Context) (*release, error) {
	list, err := p.search(ctx, organization)
	if err != nil {
		return nil, err
	}

	var newest *release
	nomenclatures := map[ro.Date]dataset{}
	for _, d := range list {
		if d.Organization.Name != organization {
			continue
		}
		if day, ok := slugDay(nomenclatureSlug, d.Name); ok {
			nomenclatures[day] = d
		}

		day, ok := slugDay(firmSlug, d.Name)
		if !ok || newest != nil && newest.date >= day {
			continue
		}
		if r := p.release(day, d); r.isComplete() {
			newest = r
		}
	}

	if newest == nil {
		return nil, fmt.Errorf("among %d packages of the trade register: %w", len(list), errNoRelease)
	}

	p.addStateNames(newest, nomenclatures)
	return newest, nil
}

// addStateNames adds the nomenclature of the release's day. If there is none, it adds the newest one.
func (p *Portal) addStateNames(r *release, nomenclatures map[ro.Date]dataset) {
	var day ro.Date
	for d := range nomenclatures {
		if day == 0 || d == r.date || day != r.date && d > day {
			day = d
		}
	}

	if file, ok := p.release(day, nomenclatures[day]).files[stateNamesFile]; ok {
		r.files[stateNamesFile] = file
	}
}

// release converts a package to a release. Downloading a file from another host than the portal will fail.
func (p *Portal) release(day ro.Date, d dataset) *release {
	r := &release{date: day, files: map[string]sourceFile{}}
	for _, res := range d.Resources {
		if res.URL != "" {
			r.files[res.fileName()] = p.file(res)
		}
	}

	return r
}

// file returns the file of a resource.
func (p *Portal) file(res resource) sourceFile {
	return sourceFile{
		origin: res.URL + " " + res.Modified, size: res.Size,
		open: func(ctx context.Context) (io.ReadCloser, error) { return p.open(ctx, res) },
	}
}

var (
	firmSlug         = regexp.MustCompile(`^firme-(?:.*-)?(\d\d-\d\d-\d{4})$`)
	nomenclatureSlug = regexp.MustCompile(`^nomenclatoare-(?:.*-)?(\d\d-\d\d-\d{4})$`)
)

// slugDay returns the day in a package's name, such as firme-02-09-2026.
func slugDay(pattern *regexp.Regexp, slug string) (ro.Date, bool) {
	match := pattern.FindStringSubmatch(slug)
	if match == nil {
		return 0, false
	}

	t, err := time.Parse("02-01-2006", match[1])
	if err != nil {
		return 0, false
	}

	return ro.NewDate(t.Date()), true
}

// follows reports whether a release is newer than the loaded one: it is a later release, or the same one with changed
// files. If an operator loaded a release from a directory, it stays until a later one appears.
func (r *release) follows(loaded *Summary) bool {
	return loaded == nil || r.date > loaded.Release ||
		r.date == loaded.Release && loaded.From == "" && r.origin() != loaded.Origin
}

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
			open:   func(context.Context) (io.ReadCloser, error) { return os.Open(path) },
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
