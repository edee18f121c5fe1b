package site

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/client"
)

// sheetsPatience is how long a company's page waits for balance sheets. The tax authority gives
// them year by year, a second each.
const sheetsPatience = 2 * time.Second

// persons is the part of a profile that only the accounts of visitors may read.
const persons = "legalRepresentatives"

// loadCompany loads the page of a company.
func loadCompany(v *visit) (content, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	page := companyPage{words: words{v.lang}, Today: today()}
	wanted := v.param("include") == persons
	document, err := v.profileFor(cui, wanted, &page)
	if err != nil {
		return nil, err
	}
	page.Refused = wanted && !v.private && !v.fromElsewhere()

	return func() (any, error) {
		if page.Company, err = decode[client.Company](document); err != nil {
			return nil, err
		}
		page.Verdict = page.judge(page.Company, page.Today)
		page.activity, err = v.activity(page.MainNACECode)
		return &page, err
	}, nil
}

// profileFor asks for a profile, with names of persons if the visitor's account may read them.
func (v *visit) profileFor(cui string, withPersons bool, page *companyPage) (*api.Document, error) {
	const parts = "insolvency"
	if withPersons && v.ownNavigation() {
		v.bySession = true
		document, err := v.profile(cui, parts+","+persons, page)
		if !isProblem(err, problem.Forbidden) {
			v.private = err == nil
			return document, err
		}
		v.bySession = false
	}
	return v.recentProfile(cui, parts, page)
}

// missingYears is in a profile some of whose balance sheets are still being fetched: the page suggests to reload it.
var missingYears = []byte(`"missingYears":`)

// recentProfile asks for a profile, to which it adds parts that may be a few seconds old.
func (v *visit) recentProfile(cui, parts string, page *companyPage) (*api.Document, error) {
	before := v.used.Len()
	if _, err := v.call("get_company", "cui", cui); err != nil {
		return nil, err
	}
	key := cui + v.usedSince(before)
	if known, ok := v.recent.get(key); ok {
		v.used.WriteString(known.used)
		return known.document, nil
	}

	before = v.used.Len()
	document, err := v.profile(cui, parts, page)
	if err == nil && !page.SheetsLate && !page.SheetsDown && !bytes.Contains(document.JSON, missingYears) {
		v.recent.keep(key, document, v.usedSince(before))
	}
	return document, err
}

// profile asks for a profile with parts. Balance sheets are left out if they cannot be had in time.
func (v *visit) profile(cui, parts string, page *companyPage) (*api.Document, error) {
	document, err := v.callWithin(sheetsPatience, "get_company", "cui", cui, "include", parts+",balanceSheets")
	page.SheetsLate, page.SheetsDown = isProblem(err, problem.UpstreamTimeout), isProblem(err, problem.UpstreamError, problem.Unavailable)
	if page.SheetsLate || page.SheetsDown {
		return v.call("get_company", "cui", cui, "include", parts)
	}
	return document, err
}

// activity asks for the name of an activity; nil if it has none, as codes of CAEN Rev.2. The
// classification is part of the program, so content may ask for it: it is the same in every view.
func (v *visit) activity(code *string) (*client.CAENDetails, error) {
	if code == nil {
		return nil, nil
	}
	document, err := v.call("get_caen_code", "code", *code)
	if err != nil {
		return nil, nil
	}
	return decode[client.CAENDetails](document)
}

// isProblem reports whether an error is a problem of one of some kinds.
func isProblem(err error, kinds ...*problem.Kind) bool {
	p := (*problem.Problem)(nil)
	if !errors.As(err, &p) {
		return false
	}
	for _, k := range kinds {
		if p.Kind == k {
			return true
		}
	}
	return false
}

// writtenCUI matches the ways in which people write a tax id: RO 0123 456.
var writtenCUI = regexp.MustCompile(`^(?i:ro)?[\s.]*0*([1-9][0-9\s]*)$`)

// cui returns the tax id of a company's page. The error is a redirect if it is written in another
// way in the address.
func (v *visit) cui() (string, error) {
	written := v.r.PathValue("cui")
	found := writtenCUI.FindStringSubmatch(strings.TrimSpace(written))
	if found == nil {
		return written, nil // the operation says what is wrong with it
	}

	cui := strings.Join(strings.Fields(found[1]), "")
	if cui == written {
		return cui, nil
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, "/companies/"), "/")
	return "", v.respelled(strings.TrimSuffix("/companies/"+cui+"/"+rest, "/"))
}

// ownNavigation reports whether a page of the service itself, or the visitor, opened the address:
// another site's link must not spend credits of the visitor's account.
func (v *visit) ownNavigation() bool {
	from := v.r.Header.Get("Sec-Fetch-Site")
	return v.r.Method == http.MethodGet && (from == "same-origin" || from == "none")
}

// fromElsewhere reports whether another site's page opened the address. The page then depends on that.
func (v *visit) fromElsewhere() bool {
	from := v.r.Header.Get("Sec-Fetch-Site")
	elsewhere := from == "cross-site" || from == "same-site"
	fmt.Fprintf(&v.used, "from elsewhere: %v\n", elsewhere)
	return elsewhere
}

// today is the date in Bucharest, as midnight in UTC.
func today() time.Time {
	year, month, day := time.Now().In(bucharest).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
