package site

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op/problem"
)

// classificationPage is the data of the tree of activities, or of a search in it.
type classificationPage struct {
	Q       string
	Total   int
	Hits    []reference.Activity
	entries []reference.Activity // the whole classification, in its order
}

// branch is an entry of the classification with the entries below it.
type branch struct {
	reference.Activity
	Below []*branch
}

// maxEntries is the number of entries that are read at a time.
const maxEntries = 100

// loadClassification loads the whole classification, or the entries that match a search.
func loadClassification(v *visit) (any, error) {
	if q := v.param("q"); q != "" {
		found, err := ask[reference.ActivityPage](v, "search_caen_codes", "q", q, "limit", "50")
		return classificationPage{Q: q, Total: found.TotalCount, Hits: found.Items}, err
	}

	var page classificationPage
	for offset := 0; ; offset += maxEntries {
		part, err := ask[reference.ActivityPage](v, "search_caen_codes", "limit", strconv.Itoa(maxEntries), "offset",
			strconv.Itoa(offset))
		page.entries = append(page.entries, part.Items...)
		if err != nil || offset+maxEntries >= part.TotalCount {
			return page, err
		}
	}
}

// Sections are the sections of the whole classification, with all entries below them.
func (p classificationPage) Sections() (sections []*branch) {
	known := make(map[reference.CAENCode]*branch)
	for _, entry := range p.entries {
		b := &branch{Activity: entry}
		known[entry.Code] = b
		if entry.ParentCode == nil {
			sections = append(sections, b)
			continue
		}

		parent := known[*entry.ParentCode] // comes before the entries below it
		parent.Below = append(parent.Below, b)
	}

	return sections
}

// activityPage is the data of an entry's page, or of a dropped code's.
type activityPage struct {
	reference.ActivityDetail
	// Code is the code in the address.
	Code       string
	Successors []reference.Successor // of a code that Rev.3 dropped
	Companies  *companyList          // of the activity
}

// Rev2 are the replaced codes of Rev.2, with their leading zeros.
func (p activityPage) Rev2() string {
	codes := make([]string, len(p.ReplacesRev2Codes))
	for i, code := range p.ReplacesRev2Codes {
		codes[i] = fmt.Sprintf("%0*d", len(p.Code), code)
	}
	return strings.Join(codes, ", ")
}

// Crumbs are the steps from the classification down to the entry.
func (p activityPage) Crumbs() []crumb {
	crumbs := []crumb{{Name: "CAEN Rev.3", Path: "/caen"}}
	for _, parent := range p.Parents {
		crumbs = append(crumbs, crumb{string(parent.Code), "/caen/" + string(parent.Code)})
	}

	return append(crumbs, crumb{p.Code, "/caen/" + p.Code})
}

// loadActivity loads an entry of the classification and some companies. A code of Rev.2 that was dropped has a page
// with its successors.
func loadActivity(v *visit) (any, error) {
	written := v.r.PathValue("code")
	code := strings.ToUpper(strings.ReplaceAll(written, ".", ""))
	if code != written {
		return nil, v.canonical("/caen/" + url.PathEscape(code))
	}

	entry, err := ask[reference.ActivityDetail](v, "get_caen_code", "code", code)
	if isProblem(err, problem.CAENCodeReplaced) {
		return activityPage{Code: code, Successors: successorsIn(err)}, nil
	}
	if err != nil {
		return nil, err
	}

	companies := v.someCompanies(companySearch{Activity: code})
	return activityPage{ActivityDetail: entry, Code: code, Companies: companies}, nil
}

// successorsIn returns the successors in the problem of a code that Rev.3 dropped.
func successorsIn(err error) []reference.Successor {
	return err.(*problem.Problem).Extensions.(reference.ReplacedCode).Successors
}
