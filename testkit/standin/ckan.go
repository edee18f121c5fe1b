package standin

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// portal is the open-data portal of the trade register and the Ministry of Finance.
type portal struct {
	options   Options
	companies *register
	firms     []file // of every release
	names     []file // of the nomenclature package
}

// file is a file of a package.
type file struct {
	name string // in lower case, as in its link
	body []byte
}

func newPortal(o Options, companies *register) *portal {
	return &portal{options: o, companies: companies, firms: releaseFiles(companies), names: nomenclatureFiles()}
}

// dataset is a package in CKAN's description, with the content of its resources.
type dataset struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	Title        string            `json:"title"`
	License      string            `json:"license_id"`
	Created      string            `json:"metadata_created"`
	Modified     string            `json:"metadata_modified"`
	Organization map[string]string `json:"organization"`
	Resources    []resource        `json:"resources"`

	created time.Time
}

type resource struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Format   string `json:"format"`
	URL      string `json:"url"`
	Size     int    `json:"size"`
	Modified string `json:"last_modified"`

	path string
	body []byte
}

// ckanTime is CKAN's time format, in UTC.
const ckanTime = "2006-01-02T15:04:05.000000"

// datasets lists the packages published at a time, the last edited first. A release is dated the 2nd of a month and
// published on the 3rd. The newest release has no files yet, and the one before it is complete. The release before that
// was edited after the complete one appeared. A package of another owner has a similar name. Links start with base.
func (p *portal) datasets(now time.Time, base string) []dataset {
	released := 33*time.Hour + 45*time.Minute // after the date in its name
	newest, complete, edited := releaseDay(now, 0), CompleteRelease(now), releaseDay(now, 2)
	list := []dataset{
		describe(base, "firme", "onrc", newest, released, nil),
		describe(base, "firme", "onrc", complete, released, p.firms),
		describe(base, "firme", "onrc", edited, complete.Sub(edited)+10*24*time.Hour, p.firms),
		describe(base, "firme-de-exemplu", "exemplu", complete, released+time.Hour, p.names),
	}
	if !p.options.NoNomenclature {
		list = append(list, describe(base, "nomenclatoare", "onrc", complete, released-3*time.Minute, p.names))
	}

	list = append(list, statementPackages(p.companies, now, base)...)
	slices.SortFunc(list, func(a, b dataset) int { return cmp.Compare(b.Modified, a.Modified) })
	return list
}

// CompleteRelease returns the day of the portal's newest complete release at a time.
func CompleteRelease(now time.Time) time.Time { return releaseDay(now, 1) }

// releaseDay returns the day of the release that is a number of months older than the newest one.
func releaseDay(now time.Time, older time.Month) time.Time {
	year, month, _ := now.UTC().AddDate(0, 0, -3).Date()
	return time.Date(year, month-older, 2, 0, 0, 0, 0, time.UTC)
}

// describe describes a package of files. Its arguments include the day in its name, and the time from that day to the
// last edit.
func describe(base, name, owner string, day time.Time, edited time.Duration, files []file) dataset {
	created := day.Add(33 * time.Hour)
	title := name + " la data de " + day.Format("02.01.2006")
	return newDataset(base, name+day.Format("-02-01-2006"), title, owner, created, day.Add(edited), files)
}

func newDataset(base, slug, title, owner string, created, modified time.Time, files []file) dataset {
	d := dataset{
		ID: id(slug), Name: slug, Title: title, License: "cc-by",
		Created: created.Format(ckanTime), Modified: modified.Format(ckanTime),
		Organization: map[string]string{"name": owner}, Resources: []resource{}, created: created,
	}

	for _, f := range files {
		d.add(f, base)
	}

	return d
}

// add adds a file to the package.
func (d *dataset) add(f file, base string) {
	format := strings.ToUpper(f.name[strings.LastIndexByte(f.name, '.')+1:])
	r := resource{ID: id(d.Name + "/" + f.name), Name: strings.ToUpper(f.name), Format: format, Size: len(f.body),
		Modified: d.Created, body: f.body}
	r.path = "/dataset/" + d.ID + "/resource/" + r.ID + "/download/" + f.name
	r.URL = base + r.path
	d.Resources = append(d.Resources, r)
}

// id derives an identifier from a name.
func id(name string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String() }

// answer returns the portal's answer to a request.
func (p *portal) answer(r *http.Request, _ []byte) reply {
	base := "http://" + r.Host
	list := p.datasets(p.options.Now(), base)
	switch r.URL.Path {
	case "/api/3/action/package_search":
		return search(r, base, list)
	case "/api/3/action/package_show":
		wanted := r.URL.Query().Get("id")
		for _, d := range list {
			if d.Name == wanted || d.ID == wanted {
				return result(base, "package_show", d)
			}
		}

		return reply{status: http.StatusNotFound, mime: "application/json;charset=utf-8", body: encode(map[string]any{
			"help": help(base, "package_show"), "success": false,
			"error": map[string]string{"message": "Not found", "__type": "Not Found Error"},
		})}
	}

	for _, d := range list {
		for _, res := range d.Resources {
			if res.path == r.URL.Path {
				return reply{mime: "text/csv; charset=utf-8", body: res.body, modified: d.created}
			}
		}
	}

	return notFoundPage
}

// search returns the packages that match all terms of q. A term is the owner, as organization:onrc, or a word of the
// name.
func search(r *http.Request, base string, list []dataset) reply {
	query := r.URL.Query()
	for term := range strings.FieldsSeq(query.Get("q")) {
		list = slices.DeleteFunc(list, func(d dataset) bool {
			owner, named := strings.CutPrefix(term, "organization:")
			return named && owner != d.Organization["name"] ||
				!named && !slices.Contains(strings.Split(d.Name, "-"), term)
		})
	}

	rows, err := strconv.Atoi(query.Get("rows"))
	if err != nil {
		rows = 10 // CKAN's default
	}

	return result(base, "package_search", map[string]any{
		"count": len(list), "sort": "metadata_modified desc", "results": list[:min(rows, len(list))],
	})
}

func result(base, action string, value any) reply {
	return reply{mime: "application/json;charset=utf-8", body: encode(map[string]any{
		"help": help(base, action), "success": true, "result": value,
	})}
}

func help(base, action string) string {
	return base + "/api/3/action/help_show?name=" + action
}
