package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

const (
	// maxBody is the largest request body that is read, in bytes: 500 companies need about
	// 20 KB.
	maxBody = 64 << 10
	// mostAsked is how many companies one request may ask for. The tax authority takes 100;
	// clients believe in 500.
	mostAsked = 500
)

// inquiry is a request in the tax authority's protocol: companies, each with the day that
// the answer is to be about.
type inquiry []asked

// asked is one company of an inquiry.
type asked struct {
	number int64 // as it was sent, for the list of those that were not found
	cui    api.CUI
	day    api.Date
	past   api.Date // the day, if it was in the past when the request was read; else zero
}

// company is what is looked up: a company on a day, or as of today.
func (a asked) company() api.CompanyDay { return api.CompanyDay{CUI: a.cui, Day: a.past} }

// possible reports whether the number can be a company's. The others are not looked up:
// nobody has them.
func (a asked) possible() bool { return a.cui != 0 }

const inquiryForm = `a JSON array such as [{"cui": 1590082, "data": "2026-11-20"}]`

// readInquiry reads the body of a request.
func (x *exchange) readInquiry() (body []byte, err error) {
	media, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" && media != "text/json" && !strings.HasSuffix(media, "+json") {
		return nil, problem.UnsupportedMediaType.New("the body must be %s, sent with Content-Type: application/json", inquiryForm)
	}

	body, err = api.ReadBody(x.w, x.r, maxBody)
	return bytes.TrimPrefix(body, []byte("\ufeff")), err
}

// parseInquiry reads the companies that a body asks for, on a day. An error names the first
// item that is wrong.
func parseInquiry(body []byte, today api.Date) (inquiry, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, problem.InvalidRequest.New("the body must be %s", inquiryForm)
	}

	var all inquiry
	for dec.More() {
		item, err := readItem(dec, today)
		if err != nil {
			return nil, problem.InvalidRequest.New("item %d: %v", len(all)+1, err)
		}
		all = append(all, item)
	}

	if _, err := dec.Token(); err != nil {
		return nil, problem.InvalidRequest.New("the JSON of the body ends before its array does")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, problem.InvalidRequest.New("the body goes on behind its JSON array; it must be %s", inquiryForm)
	}
	switch {
	case len(all) == 0:
		return nil, problem.InvalidRequest.New("the array is empty; send at least one company, as [{\"cui\": 1590082, \"data\": \"2026-11-20\"}]")
	case len(all) > mostAsked:
		return nil, problem.InvalidRequest.New("%d companies were asked for, and at most %d are answered at once; send the others in a further request", len(all), mostAsked)
	}

	return all, nil
}

// readItem reads one object of the array. Members other than cui and data have no meaning.
func readItem(dec *json.Decoder, today api.Date) (item asked, err error) {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return item, errors.New("it is no object with cui and data")
	}

	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return item, errors.New("its JSON is broken")
		}
		name, _ := t.(string)
		if seen[name] {
			return item, fmt.Errorf("%q is there twice", *problem.Shown(name))
		}
		seen[name] = true

		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return item, errors.New("its JSON is broken")
		}
		switch name {
		case "cui":
			item.number, item.cui, err = readCUI(value)
		case "data":
			if item.day, err = readDay(value); item.day < today {
				item.past = item.day
			}
		}
		if err != nil {
			return item, err
		}
	}

	if _, err := dec.Token(); err != nil {
		return item, errors.New("its JSON is broken")
	}
	for _, name := range []string{"cui", "data"} {
		if !seen[name] {
			return item, fmt.Errorf("%s is missing", name)
		}
	}
	return item, nil
}

var errCUI = errors.New("cui must be a number, or a text of digits with or without RO")

// readCUI reads a number or a text. A number that cannot be a company's, for its length or
// its control digit, is none of the caller's mistakes: the registry answers that it does not
// know it.
func readCUI(value json.RawMessage) (number int64, cui api.CUI, err error) {
	text := string(value)
	if len(value) > 0 && value[0] == '"' {
		if err := json.Unmarshal(value, &text); err != nil {
			return 0, 0, errCUI
		}
		text = strings.TrimPrefix(strings.ToUpper(strings.Join(strings.Fields(text), "")), "RO")
	}

	if text == "" {
		return 0, 0, errCUI
	}
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			return 0, 0, errCUI
		}
		if number > (math.MaxInt64-9)/10 {
			return 0, 0, errors.New("cui has too many digits; a company's has at most 10")
		}
		number = number*10 + int64(digit-'0')
	}

	if c := api.CUI(number); c.Valid() {
		cui = c
	}
	return number, cui, nil
}

// firstDay is the first of which there are answers, when the first registrations for VAT
// began.
var firstDay = api.NewDate(1993, time.July, 1)

// readDay reads the day that an answer is to be about. What holds today is the best answer
// about the future.
func readDay(value json.RawMessage) (api.Date, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || len(value) == 0 || value[0] != '"' {
		return 0, errors.New(`data must be a day as "2026-11-20"`)
	}
	day, err := api.ParseDate(text)
	if err != nil {
		return 0, fmt.Errorf("data must be a day of the calendar as \"2026-11-20\", not %q", *problem.Shown(text))
	}
	if day < firstDay {
		return 0, fmt.Errorf("data is %s, and there are answers from %s on, when the first registrations for VAT began", day, firstDay)
	}

	return day, nil
}
