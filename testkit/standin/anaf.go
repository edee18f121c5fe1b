package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/ro"
)

// taxpayerPath is the path of version 9 of the taxpayer registry, in use since 2025.
const taxpayerPath = "/api/PlatitorTvaRest/v9/tva"

// maxBatch is the maximum number of numbers in one request, according to the registry's documentation.
const maxBatch = 100

// authority is the tax authority.
type authority struct {
	options   Options
	companies *register

	mu      sync.Mutex
	last    time.Time // the last request in strict mode
	changes int       // requests for NumberChanging
}

func newAuthority(o Options, companies *register) *authority {
	return &authority{options: o, companies: companies}
}

// answer returns the tax authority's answer to any request.
func (a *authority) answer(r *http.Request, body []byte) reply {
	switch r.URL.Path {
	case taxpayerPath, eInvoicePath, farmersPath, nonProfitsPath:
		if r.Method != http.MethodPost {
			return plain(http.StatusMethodNotAllowed, "Request method is not supported", "Allow", http.MethodPost)
		}
	case "/bilant":
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return plain(http.StatusMethodNotAllowed, "Request method is not supported", "Allow", http.MethodGet)
		}
	default: // including the paths of older versions
		return notFoundPage
	}

	if a.options.Strict && a.isTooSoon() {
		return plain(http.StatusTooManyRequests, "Too many requests", "Retry-After", "1")
	}

	switch r.URL.Path {
	case "/bilant":
		return a.statement(r)
	case eInvoicePath:
		return a.eInvoices(body)
	case farmersPath:
		return a.farmers(body)
	case nonProfitsPath:
		return a.nonProfits(body)
	}

	return a.taxpayers(body)
}

// isTooSoon reports whether the last admitted request was less than a second ago, minus a tenth for jitter.
func (a *authority) isTooSoon() bool {
	a.mu.Lock()
	defer a.mu.Unlock()

	now := time.Now()
	if now.Sub(a.last) < 900*time.Millisecond {
		return true
	}

	a.last = now
	return false
}

// taxpayers answers from the register of taxpayers.
func (a *authority) taxpayers(body []byte) reply {
	return batch(body, func(q question) any {
		if company := a.company(q.cui); company != nil {
			return taxpayerOf(company, q.day)
		}
		return nil
	})
}

// batch answers a batch of numbers: with 200 if one of them is known, and with 404 and the same kind of body if none
// is. The function record returns the record of a number, or nil if the number is unknown.
func batch(body []byte, record func(question) any) reply {
	questions, err := readQuestions(body, maxBatch)
	if err != nil {
		return plain(http.StatusBadRequest, err.Error())
	}

	answer := struct {
		Found    []any    `json:"found"`
		NotFound []ro.CUI `json:"notFound"`
	}{Found: []any{}, NotFound: []ro.CUI{}}

	p := reply{status: http.StatusOK, mime: "application/json", numbers: len(questions)}
	for _, q := range questions {
		if q.cui == NumberOmitted {
			continue
		}

		if found := record(q); found != nil {
			answer.Found = append(answer.Found, found)
		} else {
			answer.NotFound = append(answer.NotFound, q.cui)
		}

		if p.fault == (Fault{}) {
			p.fault = faultOf(q.cui)
		}
	}

	if len(answer.Found) == 0 {
		p.status = http.StatusNotFound
	}

	p.body = encode(answer)
	return p
}

// company returns the company with a number. It returns nil if there is none.
func (a *authority) company(cui ro.CUI) *Company {
	if cui == NumberChanging {
		return a.nextChange(ro.DateIn(a.options.Now(), ro.Bucharest))
	}

	company := a.companies.byCUI[cui]
	if company != nil || !a.options.Everybody || !cui.Valid() {
		return company
	}

	namesake := a.companies.companies[int(cui)%len(a.companies.companies)]
	namesake.CUI = cui
	return &namesake
}

// question is a number to look up, and the day of the statuses.
type question struct {
	cui ro.CUI
	day ro.Date
}

// readQuestions reads the body of a request, with at most a given number of questions. Numbers may be digits in a
// string. Like the registry, it does not verify their check digits.
func readQuestions(body []byte, most int) ([]question, error) {
	var items []struct {
		CUI  json.RawMessage `json:"cui"`
		Date string          `json:"data"`
	}

	if err := json.Unmarshal(body, &items); err != nil {
		return nil, fmt.Errorf("the body is not a JSON array of {cui, data}: %w", err)
	}
	if len(items) == 0 || len(items) > most {
		return nil, fmt.Errorf("%d numbers: a request has 1 to %d", len(items), most)
	}

	questions := make([]question, 0, len(items))
	for _, item := range items {
		n, err := strconv.ParseInt(strings.Trim(string(item.CUI), `"`), 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("cui %s is not a number", item.CUI)
		}

		day, err := ro.ParseDate(item.Date)
		if err != nil || day.String() != item.Date { // the tax authority takes one form only
			return nil, fmt.Errorf("data %q is not a date such as 2026-11-20", item.Date)
		}

		questions = append(questions, question{ro.CUI(n), day})
	}

	return questions, nil
}
