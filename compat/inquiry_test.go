package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
)

var today = ro.NewDate(2026, 11, 22)

func TestInquiries(t *testing.T) {
	yes := today
	for body, want := range map[string]inquiry{
		`[{"cui":1590082,"data":"2026-11-22"}]`:                      {{1590082, 1590082, yes, 0}},
		`[{"cui":"1590082","data":"2026-11-22"}]`:                    {{1590082, 1590082, yes, 0}},
		`[{"cui":"RO1590082","data":"2026-11-22"}]`:                  {{1590082, 1590082, yes, 0}},
		`[{"cui":" ro 1590 082 ","data":"2026-11-22"}]`:              {{1590082, 1590082, yes, 0}},
		`[{"cui":"0001590082","data":"2026-11-22"}]`:                 {{1590082, 1590082, yes, 0}},
		`[{"cui":1590082.0,"data":"2026-11-22"}]`:                    {{1590082, 1590082, yes, 0}},
		`[{"cui":1.590082E6,"data":"2026-11-22"}]`:                   {{1590082, 1590082, yes, 0}},
		`[{"cui":"1.590.082","data":"22.11.2026"}]`:                  {{1590082, 1590082, yes, 0}},
		`[{"cui":"=\"1590082\"","data":"2026-11-22T00:00:00Z"}]`:     {{1590082, 1590082, yes, 0}},
		" [ {\"data\" : \"2026-11-22\",\r\n \"cui\": 1590082 } ] \n": {{1590082, 1590082, yes, 0}},
		`[{"cui":1590082,"data":"2026-11-21"}]`:                      {{1590082, 1590082, yes - 1, 0}},
		`[{"cui":1590082,"data":"2026-11-20"}]`:                      {{1590082, 1590082, yes - 2, yes - 2}},
		`[{"cui":1590082,"data":"1993-07-01"}]`: {{1590082, 1590082,
			firstDay, firstDay}},
		`[{"cui":1590082,"data":"2026-11-23"}]`: {{1590082, 1590082, yes + 1, 0}},
		`[{"cui":1590082,"data":"2031-01-01"}]`: {{1590082, 1590082,
			ro.NewDate(2031, 1, 1), 0}},
		// The check digit is wrong.
		`[{"cui":1590083,"data":"2026-11-22"}]`:                           {{1590083, 0, yes, 0}},
		`[{"cui":0,"data":"2026-11-22"},{"cui":"7","data":"2026-11-22"}]`: {{0, 0, yes, 0}, {7, 0, yes, 0}},
		// The number has the format of a personal number.
		`[{"cui":1800101221144,"data":"2026-11-22"}]`: {{1800101221144, 0, yes, 0}},
		`[{"cui":1590082,"data":"2026-11-22"},{"cui":1590082,"data":"2026-11-20"}]`: {{1590082, 1590082, yes, 0},
			{1590082, 1590082, yes - 2, yes - 2}},
		`[{"cui":1590082,"data":"2026-11-22","tip":{"a":[1,2,{}]},"denumire":null}]`: {{1590082, 1590082, yes, 0}},
	} {
		got, err := parseInquiry([]byte(body), today)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", body, got, err, want)
		}
	}
}

// badInquiries are rejected bodies, with a part of the error sentence.
var badInquiries = map[string]string{
	``:                                    "must be a JSON array",
	`null`:                                "must be a JSON array",
	`1590082`:                             "must be a JSON array",
	`"[]"`:                                "must be a JSON array",
	`{"cui":1590082,"data":"2026-11-22"}`: "must be a JSON array",
	`<html>`:                              "must be a JSON array",
	`cui=1590082`:                         "must be a JSON array",
	`[]`:                                  "the array is empty",
	` [ ] `:                               "the array is empty",
	`[1590082]`:                           "item 1: it is not an object",
	`[null]`:                              "item 1: it is not an object",
	`[[{"cui":1590082,"data":"2026-11-22"}]]`: "item 1: it is not an object",
	`[{}]`:                                                            "item 1: cui is missing",
	`[{"data":"2026-11-22"}]`:                                         "item 1: cui is missing",
	`[{"cui":1590082}]`:                                               "item 1: data is missing",
	`[{"cui":null,"data":"2026-11-22"}]`:                              "cui must be a number",
	`[{"cui":"","data":"2026-11-22"}]`:                                "cui must be a number",
	`[{"cui":"RO","data":"2026-11-22"}]`:                              "cui must be a number",
	`[{"cui":"abc","data":"2026-11-22"}]`:                             "cui must be a number",
	`[{"cui":-1590082,"data":"2026-11-22"}]`:                          "cui must be a number",
	`[{"cui":1590082.5,"data":"2026-11-22"}]`:                         "cui must be a number",
	`[{"cui":true,"data":"2026-11-22"}]`:                              "cui must be a number",
	`[{"cui":[1590082],"data":"2026-11-22"}]`:                         "cui must be a number",
	`[{"cui":99999999999999999999,"data":"2026-11-22"}]`:              "too many digits",
	`[{"cui":1590082,"data":20261122}]`:                               "data must be a day",
	`[{"cui":1590082,"data":null}]`:                                   "data must be a day",
	`[{"cui":1590082,"data":""}]`:                                     "data must be a calendar day",
	`[{"cui":1590082,"data":"22-11-2026"}]`:                           "data must be a calendar day",
	`[{"cui":1590082,"data":"2026-02-30"}]`:                           `not "2026-02-30"`,
	`[{"cui":1590082,"data":"1993-06-30"}]`:                           "answers begin on 1993-07-01",
	`[{"cui":1590082,"cui":1590083,"data":"2026-11-22"}]`:             `"cui" occurs twice`,
	`[{"cui":1590082,"data":"2026-11-22","data":"2026-11-22"}]`:       `"data" occurs twice`,
	`[{"cui":1590082,"data":"2026-11-22"},{"cui":1}]`:                 "item 2: data is missing",
	`[{"cui":1590082,"data":"2026-11-22"}`:                            "ends before its array does",
	`[{"cui":1590082,"data":"2026-11-22"`:                             "item 1: its JSON is malformed",
	`[{"cui":1590082,"data"`:                                          "item 1: its JSON is malformed",
	`[{"cui":1590082,"data":"2026-11-22"}] x`:                         "goes on behind",
	`[{"cui":1590082,"data":"2026-11-22"}][]`:                         "goes on behind",
	`[{"cui":1590082,"data":"2026-11-22"},]`:                          "item 2",
	`[` + strings.Repeat(`[`, 30_000):                                 "item 1: it is not an object",
	`[{"cui":` + strings.Repeat(`[`, 30_000):                          "item 1: its JSON is malformed",
	`[{"x":` + strings.Repeat(`{"a":`, 9_000):                         "item 1: its JSON is malformed",
	"[{\"cui\":1590082,\"data\":\"2026-11-22\"},{\"\x00\":\"\xff\"}]": "item 2",
}

func TestBadInquiries(t *testing.T) {
	for body, says := range badInquiries {
		_, err := parseInquiry([]byte(body), today)
		var p *problem.Problem
		if !errors.As(err, &p) || p.Kind != problem.InvalidRequest || !strings.Contains(p.Detail, says) ||
			len(p.Detail) > 200 || strings.Contains(p.Detail, "%!") {
			t.Errorf("%.80s: %v, want a sentence with %q", body, err, says)
		}
	}
}

// inquire returns a body with n companies, in which each valid number occurs once.
func inquire(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"cui":%d,"data":"2026-11-22"}`, testCUI(i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// testCUI is the number of the i-th company of the tests.
func testCUI(i int) ro.CUI { return invented.Complete(980_000_000 + i) }

func TestSizeOfInquiries(t *testing.T) {
	for n, ok := range map[int]bool{1: true, 100: true, 101: true, 499: true, 500: true, 501: false, 1001: false} {
		got, err := parseInquiry([]byte(inquire(n)), today)
		if ok != (err == nil) || ok && (len(got) != n || slices.ContainsFunc(got, func(a inquiryItem) bool {
			return !a.isPossible()
		})) {
			t.Errorf("%d companies: %d, %v", n, len(got), err)
		}

		if !ok && !strings.Contains(err.Error(), fmt.Sprintf("%d companies were asked for, and at most 500", n)) {
			t.Errorf("%d companies: %v", n, err)
		}
		if body := len(inquire(n)); n <= 500 && body > maxBody {
			t.Errorf("%d companies need %d bytes", n, body)
		}
	}
}

func FuzzInquiry(f *testing.F) {
	for body := range badInquiries {
		f.Add([]byte(body))
	}

	f.Add([]byte(inquire(3)))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseInquiry(body, today)
		if (err == nil) != (len(got) > 0) {
			t.Errorf("%d companies, %v", len(got), err)
		}

		for _, a := range got {
			if a.isPossible() && int64(a.cui) != a.number || a.day < firstDay ||
				a.past != 0 && (a.past != a.day || a.day >= today) {
				t.Errorf("%+v", a)
			}
		}
	})
}

func TestSlashesAreIgnored(t *testing.T) {
	s := newService(t)
	for path, inquiry := range map[string]string{
		"/api//PlatitorTvaRest/v9/tva/": inquireAbout(knownCUI),
		"/api/PlatitorTvaRest/v9/tva//": inquireAbout(knownCUI),
		"/nbrfxrates.xml/":              "", "/files//xml/years/nbrfxrates2026.xml": "", "/legacy//nbrfxrates.xml": "",
	} {
		method := "GET"
		if inquiry != "" {
			method = "POST"
		}
		if !Handles(path) {
			t.Errorf("%s is not handled", path)
		}
		if a := s.ask(t, method, path, inquiry, "Content-Type", "application/json"); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.text)
		}
	}
}
