package standin

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/ro"
)

// The path of a day's file of the register of VAT on collection, before and after its date.
const (
	collectionPrefix = "/static/10/Anaf/TVA_incasare/ultim_"
	collectionSuffix = ".zip"
)

// collectionMember is the only file in the archive.
const collectionMember = "istoric.txt"

// collectionDays is the number of days for which files exist, including today.
const collectionDays = 10

// files are the static files of the tax authority.
type files struct {
	options   Options
	companies *register
}

// answer returns the server's answer to a request.
func (f *files) answer(r *http.Request, _ []byte) reply {
	name, isOurs := strings.CutPrefix(r.URL.Path, collectionPrefix)
	name, isZip := strings.CutSuffix(name, collectionSuffix)
	at, err := time.Parse("20060102", name)
	today := ro.DateIn(f.options.Now(), ro.Bucharest)
	day := ro.NewDate(at.Date())
	if !isOurs || !isZip || err != nil || day > today || day <= today-collectionDays {
		return notFoundPage
	}

	y, m, d := day.UTC().Date()
	return reply{
		mime: "application/zip", body: zipText(f.lines(day)), modified: time.Date(y, m, d, 0, 0, 0, 0, ro.Bucharest),
		latest: day == today,
	}
}

// lines returns the text of a day's file: all entries up to that day, ordered by id.
func (f *files) lines(day ro.Date) string {
	type numbered struct {
		id   int
		text string
	}
	var all []numbered
	for i := range f.companies.companies {
		c := &f.companies.companies[i]
		for _, l := range c.collection().lines {
			if l.entered <= day {
				all = append(all, numbered{l.id, l.write(c.CUI)})
			}
		}
	}

	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
	var text strings.Builder
	for _, l := range all {
		text.WriteString(l.text)
	}

	return text.String()
}

// zipText returns an archive with a text as its only member.
func zipText(text string) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	member, err := z.Create(collectionMember)
	if err == nil {
		_, err = io.WriteString(member, text)
	}

	must(errors.Join(err, z.Close()))
	return archive.Bytes()
}
