package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// sheetsPatience is how long a company's page waits for balance sheets. The tax authority returns one year per
// request, and each request takes a second.
const sheetsPatience = 2 * time.Second

// persons is the part of a profile that only visitors with an account may read.
const persons = "legalRepresentatives"

// loadCompany loads the page of a company.
func loadCompany(v *visit) (any, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	page := &companyPage{words: words{v.lang}, visit: v, Today: ro.Today()}
	wanted := v.param("include") == persons
	page.Company, err = v.profileFor(cui, wanted, page)
	if err == nil {
		page.Verdict = page.judge(page.Company, page.Today)
		page.Years = page.statementYears()
		v.used.WriteString(page.describe())
	}

	page.Refused = wanted && !v.private && !v.isFromElsewhere()
	return page, err
}

// profileFor requests a profile. It includes the names of persons if the visitor's account may read them.
func (v *visit) profileFor(cui string, withPersons bool, page *companyPage) (*company.Company, error) {
	const parts = "insolvency"
	if withPersons && v.isOwnNavigation() {
		v.bySession = true
		profile, err := v.profile(cui, parts+","+persons, page)
		if !isProblem(err, problem.Forbidden) {
			v.private = err == nil
			return profile, err
		}

		v.bySession = false
	}

	return v.recentProfile(cui, parts, page)
}

// recentProfile is a profile with its parts, the sheets of all years, and the inputs that the page depends on, as in
// visit.used. The parts, balance sheets and insolvency, are large and change at most once a month, and its peers once a
// year. Further views of the same company within a few seconds load only the profile without parts.
type recentProfile struct {
	profile *company.Company
	sheets  []company.BalanceSheet
	peers   *company.Peers
	used    string
}

const (
	// recentFor is the maximum age of the parts.
	recentFor = 10 * time.Second
	// maxRecent is the maximum number of cached profiles. One with the sheets of all years has about 30 KB.
	maxRecent = 256
)

// recentProfile requests a profile without parts, and adds parts that may be a few seconds old. The key of the parts is
// the tax id with the entity tag and the freshness of the profile without parts. It caches only complete profiles,
// because the page suggests a reload for others.
func (v *visit) recentProfile(cui, parts string, page *companyPage) (*company.Company, error) {
	before := v.used.Len()
	if _, err := ask[*company.Company](v, "get_company", "cui", cui); err != nil {
		return nil, err
	}

	key := cui + v.usedSince(before)
	if known, ok := v.profiles.Get(key); ok {
		v.used.WriteString(known.used)
		page.Sheets, page.Peers = known.sheets, known.peers
		return known.profile, nil
	}

	before = v.used.Len()
	profile, err := v.profile(cui, parts, page)
	isComplete := !page.SheetsLate && !page.SheetsDown && len(page.LateYears) == 0 &&
		(page.Peers != nil || len(page.Sheets) == 0)
	if err == nil && isComplete {
		v.profiles.PutUntil(key, recentProfile{profile, page.Sheets, page.Peers, v.usedSince(before)},
			time.Now().Add(recentFor))
	}

	return profile, err
}

// profile requests a profile with parts. It omits balance sheets that do not arrive in time.
func (v *visit) profile(cui, parts string, page *companyPage) (*company.Company, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), sheetsPatience)
	defer cancel()
	profile, err := askIn[*company.Company](ctx, v, "get_company", "cui", cui, "include", parts+",balanceSheets")
	page.SheetsLate = isProblem(err, problem.UpstreamTimeout)
	page.SheetsDown = isProblem(err, problem.UpstreamError, problem.Unavailable)
	if page.SheetsLate || page.SheetsDown {
		return ask[*company.Company](v, "get_company", "cui", cui, "include", parts)
	}
	if err == nil {
		v.addStatements(ctx, profile, page)
	}

	return profile, err
}

// addStatements adds what the page shows of the statements beyond the profile. It calls operations without the
// visitor's session, because the account has paid for the profile.
func (v *visit) addStatements(ctx context.Context, profile *company.Company, page *companyPage) {
	bySession := v.bySession
	v.bySession = false
	defer func() { v.bySession = bySession }()
	page.Sheets, page.LateYears = v.allSheets(ctx, profile)
	if len(page.Sheets) > 0 {
		page.Peers, _ = askIn[*company.Peers](ctx, v, "compare_company", "cui", profile.TaxID.String())
	}
}

// isProblem reports whether an error is a problem of one of some kinds.
func isProblem(err error, kinds ...*problem.Kind) bool {
	p, ok := errors.AsType[*problem.Problem](err)
	return ok && slices.Contains(kinds, p.Kind)
}

// cui returns the tax id of a company's page. If the address has another form of it, the error is a redirect to the
// canonical one.
func (v *visit) cui() (string, error) {
	written := v.r.PathValue("cui")
	digits, _ := ro.CUIDigits(written)
	cui := strings.TrimLeft(digits, "0")
	if cui == "" || cui == written {
		return written, nil // the operation explains what is no tax id
	}

	_, rest, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, "/companies/"), "/")
	return "", v.canonical(strings.TrimSuffix("/companies/"+cui+"/"+rest, "/"))
}

// isOwnNavigation reports whether the visitor or a page of this service opened the address. Links on other sites must
// not spend credits of the visitor's account.
func (v *visit) isOwnNavigation() bool {
	from := v.r.Header.Get("Sec-Fetch-Site")
	return v.r.Method == http.MethodGet && (from == "same-origin" || from == "none")
}

// isFromElsewhere reports whether a page of another site opened the address. It records that the rendered page depends
// on this.
func (v *visit) isFromElsewhere() bool {
	from := v.r.Header.Get("Sec-Fetch-Site")
	elsewhere := from == "cross-site" || from == "same-site"
	fmt.Fprintf(&v.used, "from elsewhere: %v\n", elsewhere)
	return elsewhere
}
