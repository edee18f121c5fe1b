package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

const (
	// maxBody is the maximum size of a request body, in bytes: 500 companies need about 20 KB.
	maxBody = 64 << 10
	// maxCompanies is the maximum number of companies per request. The tax authority accepts 100; some clients send
	// 500.
	maxCompanies = 500
)

// inquiry is a request in the tax authority's protocol: companies, each with a day.
type inquiry []inquiryItem

// inquiryItem is one company of an inquiry.
type inquiryItem struct {
	number int64 // as sent, for the list of companies not found
	cui    ro.CUI
	day    ro.Date
	past   ro.Date // the day, if it was before yesterday at the time of the request; otherwise zero
}

// company returns the key of the look-up: a company on a day, or as of today.
func (a inquiryItem) company() ro.CompanyDay { return ro.CompanyDay{CUI: a.cui, Day: a.past} }

// isPossible reports whether the number can be a company's. Impossible numbers are not looked up.
func (a inquiryItem) isPossible() bool { return a.cui != 0 }

const (
	inquiryExample = `[{"cui": 1590082, "data": "2026-11-20"}]`
	inquiryForm    = "a JSON array such as " + inquiryExample
)

// invalidBody is the problem of a body that is not an inquiry.
func invalidBody(code problem.InputCode, reason string) error {
	return problem.Invalid(&problem.InputError{Code: code, Accepted: inquiryForm, Reason: reason})
}

// readInquiry reads the body of a request.
func (x *exchange) readInquiry() (body []byte, err error) {
	media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" && media != "text/json" && !strings.HasSuffix(media, "+json") {
		return nil, problem.UnsupportedMediaType.New("the body must be %s, sent with Content-Type: application/json",
			inquiryForm)
	}

	body, err = web.ReadBody(x.w, x.r, maxBody)
	return bytes.TrimPrefix(body, []byte("\ufeff")), err
}

// parseInquiry parses the companies in a body, with their days. An error names the first invalid item.
func parseInquiry(body []byte, today ro.Date) (inquiry, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, invalidBody(problem.Malformed, "the body must be "+inquiryForm)
	}

	var all inquiry
	for dec.More() {
		item, err := readItem(dec, body, today)
		if err != nil {
			return nil, invalidBody(problem.InvalidFormat, fmt.Sprintf("item %d: %v", len(all)+1, err))
		}

		all = append(all, item)
	}

	if _, err := dec.Token(); err != nil {
		return nil, invalidBody(problem.Malformed, "the JSON of the body ends before its array does")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, invalidBody(problem.Malformed, "the body goes on behind its JSON array; it must be "+inquiryForm)
	}

	switch {
	case len(all) == 0:
		return nil, invalidBody(problem.Empty, "the array is empty; send at least one company, as "+inquiryExample)
	case len(all) > maxCompanies:
		return nil, invalidBody(problem.TooMany,
			fmt.Sprintf("%d companies were asked for, and at most %d are answered at once; send the others in a "+
				"further request", len(all), maxCompanies))
	}

	return all, nil
}

// readItem parses the next object of the array in a body. Members other than cui and data are ignored.
func readItem(dec *json.Decoder, body []byte, today ro.Date) (item inquiryItem, err error) {
	if !bytes.HasPrefix(bytes.TrimLeft(body[dec.InputOffset():], ", \t\r\n"), []byte("{")) {
		return item, errors.New("it is not an object with cui and data")
	}

	var object json.RawMessage
	if err := dec.Decode(&object); err != nil {
		return item, errors.New("its JSON is malformed")
	}

	seen := map[string]bool{}
	for key, value := range jsontext.Members(object) {
		name := jsontext.Unescape(key)
		if seen[name] {
			return item, fmt.Errorf("%q occurs twice", *problem.Excerpt(name))
		}

		seen[name] = true
		switch name {
		case "cui":
			text, _ := op.ScalarText(value) // "" is no tax id
			item.number, item.cui, err = readCUI(text)
		case "data":
			if item.day, err = readDay(value); item.day < today-1 {
				item.past = item.day
			}
		}

		if err != nil {
			return item, err
		}
	}

	for _, name := range []string{"cui", "data"} {
		if !seen[name] {
			return item, fmt.Errorf("%s is missing", name)
		}
	}

	return item, nil
}

var errCUI = errors.New("cui must be a number, or a text of digits with or without RO")

// readCUI parses a tax id. A number with an invalid length or check digit is not an error: like the registry,
// the channel answers that the company was not found.
func readCUI(text string) (number int64, cui ro.CUI, err error) {
	digits, ok := ro.CUIDigits(text)
	if !ok {
		return 0, 0, errCUI
	}

	parsed, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, 0, errors.New("cui has too many digits; a company's has at most 10")
	case err != nil:
		return 0, 0, errCUI
	}

	number = int64(parsed)
	if c := ro.CUI(number); c.Valid() {
		cui = c
	}

	return number, cui, nil
}

// firstDay is the first day with answers, when the first VAT registrations took effect.
var firstDay = ro.NewDate(1993, time.July, 1)

// readDay parses the day of an item. A day in the future is answered as today, and so is yesterday, because it is still
// today in some time zones.
func readDay(value json.RawMessage) (ro.Date, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || len(value) == 0 || value[0] != '"' {
		return 0, errors.New(`data must be a day as "2026-11-20"`)
	}

	day, err := ro.ParseDate(text)
	if err != nil {
		return 0, fmt.Errorf("data must be a calendar day such as \"2026-11-20\", not %q", *problem.Excerpt(text))
	}
	if day < firstDay {
		return 0, fmt.Errorf("data is %s, but answers begin on %s, when the first VAT registrations took effect",
			day, firstDay)
	}

	return day, nil
}
