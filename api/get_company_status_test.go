package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeHistory returns its configured answers and number of facts.
type fakeHistory struct {
	down         error
	facts        int
	older        bool
	record       sentRecord
	day, knownAt ro.Date
}

func (f *fakeHistory) Status(_ context.Context, cui ro.CUI, day, knownAt ro.Date) (op.Answer[*company.Status],
	error) {
	if cui != exampleCUI {
		return op.Answer[*company.Status]{}, op.ErrUnknown
	}
	if f.down != nil {
		return op.Answer[*company.Status]{}, f.down
	}

	f.day, f.knownAt = day, knownAt
	return op.Answer[*company.Status]{Value: &company.Status{TaxID: cui, Date: day, Record: f.record,
		Sources: []company.Source{{Name: "anaf", Cache: op.Hit}}}, Freshness: op.Freshness{Cache: op.Hit}}, nil
}

// Supplier returns the company as both registers have it, without further facts.
func (f *fakeHistory) Supplier(ctx context.Context, _ company.Found, cui ro.CUI,
	day, knownAt ro.Date) (company.Supplier, error) {
	answer, err := f.Status(ctx, cui, day, knownAt)
	s := company.Supplier{TaxErr: err, Status: answer.Value, Release: day}
	if err == nil {
		s.Profile.Value = &company.Company{TaxID: cui, Name: "EXEMPLU SRL", StateRegistration: company.InOperation,
			Sources: answer.Value.Sources}
		s.Profile.Freshness = answer.Freshness
	}

	return s, nil
}

func (f *fakeHistory) Facts(_ context.Context, cui ro.CUI) ([]company.Fact, []company.Source, op.Freshness,
	error) {
	if cui != exampleCUI {
		return nil, nil, op.Freshness{}, op.ErrUnknown
	}
	if f.down != nil {
		return nil, nil, op.Freshness{}, f.down
	}

	facts := make([]company.Fact, f.facts)
	for i := range facts {
		facts[i] = company.Fact{Field: "vatPayer", Value: company.FactValue{Bool: new(true)},
			ValidFrom: new(ro.NewDate(2000, 1, 1+i)), Source: "anaf"}
	}
	if f.older {
		facts = append(facts, company.Fact{Field: "vatPayer", Value: company.FactValue{Bool: new(true)},
			ValidFrom: new(ro.NewDate(1999, 1, 1)), Source: "anaf"})
	}

	return facts, []company.Source{}, op.Freshness{Cache: op.Hit}, nil
}

// sentRecord is a record as sent; an empty one is unknown.
type sentRecord string

func (r sentRecord) Raw() ([]byte, error) {
	if r == "" {
		return nil, errors.New("only the profile is known")
	}
	return []byte(r), nil
}

// An answer without a receipt is still valid.
func TestReceiptOfStatus(t *testing.T) {
	askHistory(t, func(t *testing.T, f *fakeHistory, get func(string) op.Reply) {
		const path = "/v1/companies/9900000010/status"
		if reply := get(path); reply.Status != 200 || !strings.Contains(string(reply.Document.JSON), `"receipt":null`) {
			t.Errorf("without a record: %d %s", reply.Status, reply.Document.JSON)
		}

		f.record = "{}"
		reply := get(path)
		if body := string(reply.Document.JSON); reply.Status != 200 ||
			!strings.Contains(body, `"receipt":"rcp_abcdefghijklmnopqrstuvwxyz"`) ||
			!strings.Contains(body, `"cache":"HIT"`) {
			t.Errorf("%d %s", reply.Status, body)
		}
	})
}

// askHistory requests a company's history at noon of a day.
func askHistory(t *testing.T, test func(t *testing.T, f *fakeHistory, get func(path string) op.Reply)) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)))
		f := &fakeHistory{}
		g, operations := gateway.New(t), []*op.Operation{company.GetStatus(f, fakeReceipts{}), company.GetHistory(f)}
		test(t, f, func(path string) op.Reply {
			return gateway.Ask(t, g, operations, &op.Call{Authorization: "Bearer " + gateway.GoodKey}, path)
		})
	})
}

func TestDaysOfStatus(t *testing.T) {
	askHistory(t, func(t *testing.T, f *fakeHistory, get func(string) op.Reply) {
		for query, want := range map[string]string{
			"":                                    "2026-11-22 0001-01-01",
			"?date=2026-11-22":                    "2026-11-22 0001-01-01",
			"?date=1993-07-01&knownAt=1993-07-01": "1993-07-01 1993-07-01",
			"?date=2026-01-01&knownAt=2025-12-01": "2026-01-01 2025-12-01", // the expected values
		} {
			reply := get("/v1/companies/9900000010/status" + query)
			if got := fmt.Sprint(f.day, f.knownAt); reply.Status != 200 || got != want {
				t.Errorf("%s: status %d, the history was asked for %s", query, reply.Status, got)
			}
		}

		for query, want := range map[string]string{
			"?date=2026-11-23":    "2026-11-23 is in the future",
			"?date=1993-06-30":    "before 1993-07-01, when the first registrations",
			"?knownAt=2026-11-23": "2026-11-23 is in the future",
			"?knownAt=1990-01-01": "before 1993-07-01",
			"?date=31-03-2025":    "YYYY-MM-DD",
		} {
			reply := get("/v1/companies/9900000010/status" + query)
			if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, want) {
				t.Errorf("%s: %d, %+v", query, reply.Status, reply.Problem)
			}
		}

		for _, path := range []string{"/v1/companies/9900000029/status", "/v1/companies/9900000029/history"} {
			if reply := get(path); reply.Status != 404 ||
				!strings.Contains(reply.Problem.Detail, "knows no taxpayer with the CUI 9900000029") {
				t.Errorf("%s: %d, %+v", path, reply.Status, reply.Problem)
			}
		}
	})
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	askHistory(t, func(t *testing.T, f *fakeHistory, get func(string) op.Reply) {
		f.down = fmt.Errorf("%w: the database is away", company.ErrHistoryDown)
		for _, path := range []string{"/v1/companies/9900000010/status", "/v1/companies/9900000010/history"} {
			if reply := get(path); reply.Status != 503 || reply.RetrySeconds() == 0 ||
				strings.Contains(reply.Problem.Detail, "database") {
				t.Errorf("%s: %d, %+v", path, reply.Status, reply.Problem)
			}
		}
	})
}

// The pages of a history contain every fact once, the newest first, even if a fact is added in between.
func TestPagesOfHistory(t *testing.T) {
	askHistory(t, func(t *testing.T, f *fakeHistory, get func(string) op.Reply) {
		f.facts = 23
		var days []string
		path := "/v1/companies/9900000010/history?limit=10"
		for next := ""; ; {
			reply := get(path + next)
			if reply.Status != 200 {
				t.Fatalf("%d, %+v", reply.Status, reply.Problem)
			}

			var page struct {
				Facts []struct {
					ValidFrom string
					Value     any
				}
				Next *string
			}
			if err := json.Unmarshal(reply.Document.JSON, &page); err != nil {
				t.Fatal(err)
			}

			for _, fact := range page.Facts {
				if fact.Value != true {
					t.Errorf("a value of %v", fact.Value)
				}
				days = append(days, fact.ValidFrom)
			}

			if page.Next == nil {
				break
			}

			next = "&cursor=" + url.QueryEscape(*page.Next)
			f.facts, f.older = 24, true // one that is newer, and one that is older than all
		}

		if got := strings.Join(days, " "); len(days) != 24 || !strings.HasPrefix(got, "2000-01-23 2000-01-22") ||
			!strings.HasSuffix(got, "2000-01-02 2000-01-01 1999-01-01") {
			t.Errorf("%d facts: %s", len(days), got)
		}

		for _, cursor := range []string{"10", "MA", "!"} {
			if reply := get(path + "&cursor=" + cursor); reply.Status != 400 ||
				!strings.Contains(reply.Problem.Detail, "next of") {
				t.Errorf("%s: %d, %+v", cursor, reply.Status, reply.Problem)
			}
		}
	})
}
