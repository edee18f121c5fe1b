package anaf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// element is one record of an answer, both raw and parsed.
type element[R any] struct {
	raw  []byte
	read R
}

func (e *element[R]) UnmarshalJSON(raw []byte) error {
	e.raw = bytes.Clone(raw)
	return unmarshal(raw, &e.read)
}

// answer holds the records of a response, and the unknown numbers. It is complete if it has at least one of the two
// lists. Not all answers have an envelope.
type answer[R any] struct {
	envelope
	Found    list[element[R]]
	NotFound list[number]
}

// results returns the results about companies. The function result gets a company's records, and whether the register
// does not know its number. If the answer is usable for none of the companies, the error is a failure for the whole
// answer, so that a breaker counts it.
func (a *answer[R]) results(companies []ro.CompanyDay, cui func(*R) number,
	result func(company ro.CompanyDay, found []*element[R], missing bool) Result) (map[ro.CompanyDay]Result, error) {
	found, missing := make(map[ro.CUI][]*element[R], len(a.Found)), make(map[ro.CUI]bool, len(a.NotFound))
	for i := range a.Found {
		number := ro.CUI(cui(&a.Found[i].read))
		found[number] = append(found[number], &a.Found[i])
	}

	for _, n := range a.NotFound {
		missing[ro.CUI(n)] = true
	}

	results, usable := make(map[ro.CompanyDay]Result, len(companies)), false
	var last error
	for _, company := range companies {
		r := result(company, found[company.CUI], missing[company.CUI])
		results[company] = r
		if r.Err == nil || r.Err == op.ErrUnknown || r.Misdated {
			usable = true
		} else {
			last = r.Err
		}
	}

	if !usable {
		return nil, last
	}

	return results, nil
}

// decode parses a response of any status, because the answer that none of the numbers is known has status 404. The
// error describes an unexpected body.
func decode[R any](status int, body []byte) (*answer[R], error) {
	body, err := findObject(status, body)
	if err != nil {
		return nil, err
	}

	var a answer[R]
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}

	complete := a.Found != nil || a.NotFound != nil
	if err := a.check(status, body, complete); err != nil {
		return nil, err
	}
	if !complete {
		return nil, errors.New("it has neither found nor notFound")
	}

	return &a, nil
}

// findObject returns the JSON object of a response. It does not check the status first, because the firewall's pages
// and the maintenance page have status 200.
func findObject(status int, body []byte) ([]byte, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("{")) {
		return nil, foreign(status, body)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the text is not UTF-8")
	}

	return body, nil
}

// envelope is the part common to the answers of all services.
type envelope struct {
	Code    *number `json:"cod"`
	Message text    `json:"message"`
}

// check rejects an answer that reports an error by its status or its code. A 404 with the requested data is a valid
// answer.
func (e *envelope) check(status int, body []byte, complete bool) error {
	switch {
	case status == http.StatusBadRequest:
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	case status == http.StatusNotFound && complete:
	case e.Code != nil && *e.Code != http.StatusOK:
		return fmt.Errorf("the register reports error %d: %.200q", *e.Code, e.Message)
	case status != http.StatusOK:
		return errors.New("the register failed")
	}

	return nil
}

// foreign describes a body that is not a JSON object.
func foreign(status int, body []byte) error {
	switch {
	case bytes.Contains(body, []byte("Request Rejected")):
		return errors.New("the firewall rejected the request")
	case bytes.Contains(body, []byte("Mentenan")):
		return errors.New("the register is under maintenance")
	case len(body) == 0:
		return errors.New("the answer is empty")
	case status == http.StatusBadRequest && body[0] != '<':
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	}

	return fmt.Errorf("not JSON: %.80q", body)
}

// shapeSample is the minimum number of records that show on their own that the shape of answers has changed. With fewer
// records, VAT data may be missing for other reasons.
const shapeSample = 3

// errShape marks an answer with records of a changed shape. It does not incriminate any number.
var errShape = errors.New("changed in shape")

// checkShape rejects an answer in which most records do not say whether the company pays VAT. After such an answer, it
// rejects even answers with few records until one has VAT data again.
func (c *Client) checkShape(records []element[taxpayer]) error {
	lacking := 0
	for i := range records {
		if records[i].read.lacksVAT() {
			lacking++
		}
	}

	switch {
	case 2*lacking < len(records):
		c.changed.Store(false)
	case len(records) >= shapeSample && 2*lacking > len(records):
		c.changed.Store(true)
	}

	if 2*lacking > len(records) && c.changed.Load() {
		return fmt.Errorf("%w: %d of %d records do not say whether the company pays VAT",
			errShape, lacking, len(records))
	}

	return nil
}
