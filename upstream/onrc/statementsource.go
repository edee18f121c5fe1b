package onrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// statementFormat begins the origins of statements. A change of what is kept of a file, or of the legends that are
// understood, must raise it, so that the files are read again.
const statementFormat = "2"

// maxLegend bounds a legend, in bytes. Legends have half a kilobyte.
const maxLegend = 64 << 10

// statementSource is where the statements of a year and a family come from: a file and its legend.
type statementSource struct {
	key          statements.Key
	file         statements.File  // without the content's checksum and codes
	data, legend sourceFile       // a missing legend has no open
	replaced     *statementSource // the source of the next lower rank; nil if there is none

	// The rank of the source among those of its key.
	reissue  bool // the package replaces another one
	marked   bool // the file replaces another one
	modified string
}

// compare compares the ranks of sources: files of a package that replaces another one, files that replace others, and
// newer files have higher ranks.
func (s *statementSource) compare(other *statementSource) int {
	return cmp.Or(compareBool(s.reissue, other.reissue), compareBool(s.marked, other.marked),
		cmp.Compare(s.modified, other.modified))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// readLegend reads the legend. A missing one is a reason to refuse the file.
func (s *statementSource) readLegend(ctx context.Context) (statements.Legend, error) {
	if s.legend.open == nil {
		return statements.Legend{}, fmt.Errorf("%w: it has no legend", statements.ErrFormat)
	}

	content, err := s.legend.open(ctx)
	if err != nil {
		return statements.Legend{}, err
	}
	defer content.Close()

	body, err := io.ReadAll(io.LimitReader(content, maxLegend+1))
	if err != nil {
		return statements.Legend{}, err
	}
	if len(body) > maxLegend {
		return statements.Legend{}, fmt.Errorf("%w: its legend has more than %d bytes", statements.ErrFormat, maxLegend)
	}

	return statements.ReadLegend(body, s.key)
}

// statements finds the files of some years on the portal. A package may also have files of earlier years.
func (p *Portal) statements(ctx context.Context, first, last int) (map[statements.Key]*statementSource, error) {
	found := map[statements.Key]*statementSource{}
	for year := first; year <= last; year++ {
		base := "situatii_financiare_" + strconv.Itoa(year)
		if year == 2023 {
			base = "situatii_financiare2023"
		}

		for _, id := range []string{base, base + reissued} {
			d, err := p.show(ctx, id)
			if errors.Is(err, op.ErrUnknown) {
				continue
			}
			if err != nil {
				return nil, err
			}

			d.Name = id // which answers of the API repeat
			addStatements(found, d, p.file)
		}
	}

	for key := range found {
		if key.Year < first || key.Year > last {
			delete(found, key)
		}
	}

	return found, nil
}

// folderStatements finds the files in a folder.
func folderStatements(dir string) (map[statements.Key]*statementSource, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	d := dataset{Name: filepath.Base(dir)}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}

		d.Resources = append(d.Resources, resource{Name: e.Name(), URL: filepath.Join(dir, e.Name()),
			Size: info.Size(), Modified: info.ModTime().UTC().Format(time.RFC3339Nano)})
	}

	found := map[statements.Key]*statementSource{}
	addStatements(found, d, func(r resource) sourceFile {
		return sourceFile{origin: fmt.Sprint(r.URL, " ", r.Size, " ", r.Modified), size: r.Size,
			open: func(context.Context) (io.ReadCloser, error) { return os.Open(r.URL) }}
	})
	return found, nil
}

// reissued is the end of the names of packages and files that replace others.
const reissued = "_actualizat"

// addStatements adds the files of a package to those that were found. A file and its legend have the same name; a
// file that replaces another one may share its legend.
func addStatements(found map[statements.Key]*statementSource, d dataset, file func(resource) sourceFile) {
	legends := map[bool]map[statements.Key]resource{false: {}, true: {}}
	var data []*statementSource
	for _, r := range d.Resources {
		key, marked, ok := r.statements()
		switch kind := r.kind(); {
		case !ok || r.URL == "":
		case kind == "csv":
			if before, twice := legends[marked][key]; !twice || r.date() >= before.date() {
				legends[marked][key] = r
			}
		case kind == "txt":
			data = append(data, &statementSource{key: key, data: file(r), modified: r.date(), marked: marked,
				reissue: strings.HasSuffix(d.Name, reissued),
				file: statements.File{Key: key, Package: d.Name, Resource: r.Name, License: d.license(),
					Date: r.day()}})
		}
	}

	for _, s := range data {
		legend, ok := legends[s.marked][s.key]
		if !ok {
			legend, ok = legends[false][s.key]
		}
		if ok {
			s.legend = file(legend)
		}

		s.file.Origin = strings.Join([]string{statementFormat, s.data.origin, s.legend.origin}, "\n")
		found[s.key] = found[s.key].with(s)
	}
}

// with adds a source to those of its key, and returns the one of the highest rank. Of equal ranks, the added one
// counts.
func (s *statementSource) with(other *statementSource) *statementSource {
	if s == nil || s.compare(other) <= 0 {
		other.replaced = s
		return other
	}

	s.replaced = s.replaced.with(other)
	return s
}

// licenseID matches CKAN's ids of licences.
var licenseID = regexp.MustCompile(`^[\w.-]{1,100}$`)

// license returns the licence of a package, or nil if there is none.
func (d dataset) license() *string {
	if d.License == nil || *d.License == "notspecified" || !licenseID.MatchString(*d.License) {
		return nil
	}
	return d.License
}

// statementName matches the squeezed name of a file: its family, its year, and whether it replaces another file.
var statementName = regexp.MustCompile(`^web(uu|blbssl|ir)(?:an)?(20\d\d)(actualizat)?$`)

// squeeze removes what differs between the spellings of a file's name, and its extension.
var squeeze = strings.NewReplacer("_", "", "-", "", " ", "", ".txt", "", ".csv", "")

// maxDescription bounds the texts that are kept of a resource, in bytes.
const maxDescription = 2 << 10

// statements returns the year and family of a file of statements or of its legend, and whether it is marked as a
// replacement of another file. It reports false for other files, and for those whose name cannot be shown in answers.
func (r resource) statements() (key statements.Key, marked, ok bool) {
	if len(r.Name)+len(r.URL)+len(r.date()) > maxDescription || strings.ContainsFunc(r.Name, spelling.IsHidden) {
		return key, false, false
	}

	for _, name := range []string{r.Name, path.Base(r.URL)} {
		match := statementName.FindStringSubmatch(squeeze.Replace(strings.ToLower(name)))
		if match == nil {
			continue
		}

		year, _ := strconv.Atoi(match[2]) // four digits
		key, ok = statements.Key{Year: year, Family: company.SheetForm(match[1][:2])}, year >= company.FirstFiledYear
		marked = marked || match[3] != ""
	}

	return key, marked, ok
}

// kind returns the extension of a resource's file, or else its format: txt.
func (r resource) kind() string {
	for _, name := range []string{r.URL, r.Name} {
		if kind := strings.ToLower(path.Ext(name)); kind == ".txt" || kind == ".csv" {
			return kind[1:]
		}
	}
	return strings.ToLower(r.Format)
}

// date returns the time of the last change of a resource, as CKAN writes it.
func (r resource) date() string { return cmp.Or(r.Modified, r.Created) }

// day returns the day of that time; 0 if it is malformed.
func (r resource) day() ro.Date {
	var day ro.Date
	if text := r.date(); len(text) >= len("2006-01-02") {
		_ = day.UnmarshalText([]byte(text[:len("2006-01-02")]))
	}
	return day
}
