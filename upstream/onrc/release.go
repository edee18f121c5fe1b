package onrc

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// release is one publication of the trade register, of which the files can be
// had.
type release struct {
	date  api.Date
	files map[string]sourceFile // by name: OD_FIRME
}

// sourceFile is a file of a release.
type sourceFile struct {
	// origin says which file it is: it changes when the content does.
	origin string
	// size is how long it should be, in bytes; 0 when that is not known.
	size int64
	// get gives the path of the file, which is downloaded into the directory if
	// that is needed, and says whether it may be deleted once it is read. What
	// arrives is told to read.
	get func(ctx context.Context, dir string, read func(int64)) (path string, disposable bool, err error)
}

// stateNames is the nomenclature of states, which is published in a package of
// its own.
const stateNames = "N_STARE_FIRMA"

// complete reports whether the release has what every load needs.
func (r *release) complete() bool {
	for _, t := range tables {
		if _, ok := r.files[t.name]; !ok && !t.optional {
			return false
		}
	}
	return true
}

// origin says which release it is, with the origins of its files.
func (r *release) origin() string {
	var text strings.Builder
	for _, t := range tables {
		fmt.Fprintln(&text, t.name, r.files[t.name].origin)
	}
	return text.String()
}

// errNoRelease tells that the portal has none that could be loaded.
var errNoRelease = errors.New("no complete release was found")

// organization is the trade register's name on the portal.
const organization = "onrc"

// latest is the newest release that is complete. The date in a package's name
// counts: old packages are edited after new ones appear, and a package is listed
// before its files are.
func (p *Portal) latest(ctx context.Context) (*release, error) {
	list, err := p.search(ctx, organization)
	if err != nil {
		return nil, err
	}
	var newest *release
	nomenclatures := map[api.Date]dataset{}
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
		if r := p.release(day, d); r.complete() {
			newest = r
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("among %d packages of the trade register: %w", len(list), errNoRelease)
	}
	p.addStateNames(newest, nomenclatures)
	return newest, nil
}

// addStateNames takes the nomenclature of the release's day, else the newest.
func (p *Portal) addStateNames(r *release, nomenclatures map[api.Date]dataset) {
	var day api.Date
	for d := range nomenclatures {
		if day == 0 || d == r.date || day != r.date && d > day {
			day = d
		}
	}
	for name, file := range p.release(day, nomenclatures[day]).files {
		if name == stateNames {
			r.files[name] = file
		}
	}
}

// release is a package as a release: the files that the portal itself has.
func (p *Portal) release(day api.Date, d dataset) *release {
	r := &release{date: day, files: map[string]sourceFile{}}
	for _, res := range d.Resources {
		if res.URL != "" {
			r.files[res.fileName()] = p.file(res)
		}
	}
	return r
}

var (
	firmSlug         = regexp.MustCompile(`^firme-(?:.*-)?(\d\d-\d\d-\d{4})$`)
	nomenclatureSlug = regexp.MustCompile(`^nomenclatoare-(?:.*-)?(\d\d-\d\d-\d{4})$`)
)

// slugDay is the day that a package bears in its name: firme-02-09-2026.
func slugDay(form *regexp.Regexp, slug string) (api.Date, bool) {
	match := form.FindStringSubmatch(slug)
	if match == nil {
		return 0, false
	}
	t, err := time.Parse("02-01-2006", match[1])
	if err != nil {
		return 0, false
	}
	return api.NewDate(t.Date()), true
}

// follows reports whether a release is news after what is loaded: a later one, or
// the same with files that have changed. What an operator loaded from a directory
// stays until a later release appears.
func (r *release) follows(loaded *Summary) bool {
	return loaded == nil || r.date > loaded.Release ||
		r.date == loaded.Release && loaded.From == "" && r.origin() != loaded.Origin
}
