package site

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// classificationPage is the data of the tree of activities, or of a search in it.
type classificationPage struct {
	Q        string
	Total    int
	Hits     []client.CAENCode
	Sections []*branch
}

// branch is an entry of the classification with the entries below it.
type branch struct {
	client.CAENCode
	Below []*branch
}

// maxEntries is the number of entries that are read at a time.
const maxEntries = 100

// loadClassification loads the whole classification, or the entries that match a search.
func loadClassification(v *visit) (content, error) {
	if q := v.param("q"); q != "" {
		found, err := v.call("search_caen_codes", "q", q, "limit", "50")
		if err != nil {
			return nil, err
		}

		return contentOf(found, func(page *client.CAENPage) any {
			return classificationPage{Q: q, Total: page.TotalCount, Hits: page.Items}
		}), nil
	}

	var parts []*op.Document
	for offset := 0; ; offset += maxEntries {
		part, err := v.call("search_caen_codes", "limit", strconv.Itoa(maxEntries), "offset", strconv.Itoa(offset))
		if err != nil {
			return nil, err
		}

		parts = append(parts, part)
		page, err := decode[struct{ TotalCount int }](part)
		if err != nil {
			return nil, err
		}
		if offset+maxEntries >= page.TotalCount {
			return func() (any, error) { return newTree(parts) }, nil
		}
	}
}

// newTree arranges the entries below their parents. The entries arrive in the order of the classification.
func newTree(parts []*op.Document) (any, error) {
	var sections []*branch
	known := make(map[string]*branch)
	for _, part := range parts {
		page, err := decode[client.CAENPage](part)
		if err != nil {
			return nil, err
		}

		for _, entry := range page.Items {
			b := &branch{CAENCode: entry}
			known[entry.Code] = b
			if entry.ParentCode == nil {
				sections = append(sections, b)
				continue
			}

			parent, ok := known[*entry.ParentCode]
			if !ok {
				return nil, fmt.Errorf("the entry %s comes before its parent %s", entry.Code, *entry.ParentCode)
			}

			parent.Below = append(parent.Below, b)
		}
	}

	return classificationPage{Total: len(known), Sections: sections}, nil
}

// activityPage is the data of an entry's page, or of a dropped code's.
type activityPage struct {
	*client.CAENDetails
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
	if p.CAENDetails != nil {
		for _, parent := range p.Parents {
			crumbs = append(crumbs, crumb{parent.Code, "/caen/" + parent.Code})
		}
	}

	return append(crumbs, crumb{p.Code, "/caen/" + p.Code})
}

// loadActivity loads an entry of the classification and some companies. A code of Rev.2 that was dropped has a page
// with its successors.
func loadActivity(v *visit) (content, error) {
	written := v.r.PathValue("code")
	code := strings.ToUpper(strings.ReplaceAll(written, ".", ""))
	if code != written {
		return nil, v.canonical("/caen/" + url.PathEscape(code))
	}

	entry, err := v.call("get_caen_code", "code", code)
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Kind == problem.CAENCodeReplaced {
		successors := p.Extensions.(reference.ReplacedCode).Successors
		return func() (any, error) { return activityPage{Code: code, Successors: successors}, nil }, nil
	}
	if err != nil {
		return nil, err
	}

	companies := v.someCompanies(companySearch{Activity: code})
	return func() (any, error) {
		details, err := decode[client.CAENDetails](entry)
		if err != nil {
			return nil, err
		}

		list, err := companies()
		return activityPage{CAENDetails: details, Code: code, Companies: list}, err
	}, nil
}
