package api

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// oneProfile returns the same profile until it is replaced.
type oneProfile struct {
	fakeCompanies
	profile *company.Company
}

func (p *oneProfile) Company(context.Context, ro.CompanyDay) (op.Answer[*company.Company], error) {
	return op.Answer[*company.Company]{Value: p.profile, Freshness: op.Freshness{Cache: op.Hit,
		RetrievedAt: time.Now()}}, nil
}

// countingHistory counts how often it is asked about a supplier, whose profile it passes on.
type countingHistory struct {
	fakeHistory
	calls int
}

func (h *countingHistory) Supplier(_ context.Context, known company.Found, _ ro.CUI,
	day, _ ro.Date) (company.Supplier, error) {
	h.calls++
	return company.Supplier{Profile: known.Answer, Release: day}, nil
}

// A verdict is kept while everything that it depends on stays the same, and for at most five minutes.
func TestVerdictsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)))
		profile := func(name string) *company.Company {
			return &company.Company{TaxID: exampleCUI, Name: name, StateRegistration: company.InOperation,
				Sources: []company.Source{{Name: "onrc", RetrievedAt: new(time.Now())}}}
		}

		companies, h := &oneProfile{fakeCompanies{}, profile("EXEMPLU UNU SRL")}, &countingHistory{}
		g, operations := gateway.New(t), []*op.Operation{verdict.Verify(companies, h, fakeReceipts{})}
		for i, step := range []struct {
			query  string
			change func()
			calls  int
		}{
			{"", nil, 1},
			{"", nil, 1},
			{"?name=Exemplu", nil, 2},
			{"?name=exemplu", nil, 3},
			{"?knownAt=2026-11-21", nil, 4},
			{"?date=2026-11-21", nil, 5},
			{"", nil, 5},
			{"", func() { companies.profile = profile("EXEMPLU DOI SRL") }, 6},
			{"", nil, 6},
			{"", func() { <-time.After(5*time.Minute + time.Second) }, 7},
			{"", func() { <-time.After(24 * time.Hour) }, 8},
		} {
			if step.change != nil {
				step.change()
			}

			reply := gateway.Ask(t, g, operations, &op.Call{Authorization: "Bearer " + gateway.GoodKey},
				"/v1/companies/9900000010/verdict"+step.query)
			got := reply.Value.(*verdict.Verdict)
			if reply.Status != 200 || h.calls != step.calls || *got.Name != companies.profile.Name ||
				got.Receipt == nil {
				t.Errorf("step %d: status %d, %d calls, %+v", i, reply.Status, h.calls, got)
			}
		}
	})
}

// The rule on statements uses what is stored about the last year that was due, and requests nothing.
func TestVerdictOfStatements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)))
		f := &filer{files: []int{2024}}
		f.profile = &company.Company{TaxID: exampleCUI, TradeNumber: new("J12/345/2010"), Sources: []company.Source{}}
		operations := []*op.Operation{verdict.Verify(f, &countingHistory{}, fakeReceipts{})}
		for query, want := range map[string]string{
			"": "unknown not_in_published_files 2025", "?date=2026-05-31": "unknown published_later 2024",
			"?date=2026-05-31&knownAt=2026-06-18": "pass 2024",
		} {
			reply := gateway.Ask(t, gateway.New(t), operations, &op.Call{Authorization: "Bearer " + gateway.GoodKey},
				"/v1/companies/9900000010/verdict"+query)
			v := reply.Value.(*verdict.Verdict)
			i := slices.IndexFunc(v.Rules, func(r verdict.Finding) bool { return r.ID == "statements" })
			rule := v.Rules[i]
			got := string(rule.Result)
			if rule.Reason != nil {
				got += " " + string(*rule.Reason)
			}
			if got += fmt.Sprint(" ", rule.Facts.Year); got != want || *rule.Source != "anaf-bilant" ||
				*rule.AsOf != ro.NewDate(2026, 6, 18) {
				t.Errorf("%s: %s, %+v; want %s", query, got, rule, want)
			}
			if last := v.Sources[len(v.Sources)-1]; last.Name != "anaf-bilant" || *last.AsOf != *rule.AsOf {
				t.Errorf("%s: sources %+v", query, v.Sources)
			}
		}

		if f.requested != nil {
			t.Errorf("the statements of %v were requested", f.requested)
		}
	})
}

// Somebody with a receipt cannot find what was sent by sending guesses: another caller gets another hash and entity tag
// for the same parameters, from the memory of verdicts, too.
func TestGuessesOfOtherCallers(t *testing.T) {
	companies := &oneProfile{fakeCompanies{}, &company.Company{TaxID: exampleCUI, Name: "EXEMPLU UNU SRL",
		Sources: []company.Source{{Name: "onrc", RetrievedAt: new(time.Now())}}}}
	g, operations := gateway.New(t), []*op.Operation{verdict.Verify(companies, &countingHistory{}, fakeReceipts{})}
	ask := func(address, query string) (hash, tag string) {
		reply := gateway.Ask(t, g, operations, &op.Call{Authorization: "Bearer " + gateway.GoodKey,
			Address: netip.MustParseAddr(address)}, "/v1/companies/9900000010/verdict"+query)
		if sent := reply.Value.(*verdict.Verdict).ParametersSHA256; sent != nil {
			hash = *sent
		}
		return hash, reply.Document.ETag()
	}

	hash, tag := ask("192.0.2.1", "?amount=4900")
	guessed, other := ask("192.0.2.2", "?amount=4900")
	if guessed == hash || other == tag {
		t.Errorf("another caller gets the hash %s and the tag %s, too", hash, tag)
	}
	if again, same := ask("192.0.2.1", "?amount=4900"); again != hash || same != tag {
		t.Errorf("the same caller gets the hash %s and the tag %s again", again, same)
	}

	_, tag = ask("192.0.2.1", "")
	if _, other = ask("192.0.2.2", ""); other != tag {
		t.Error("the verdicts of two callers who sent nothing differ")
	}
}

// Names and addresses may have as many characters as the description says, in any alphabet.
func TestLongTextsOfAllAlphabets(t *testing.T) {
	companies := &oneProfile{fakeCompanies{}, &company.Company{TaxID: exampleCUI, Sources: []company.Source{}}}
	g, operations := gateway.New(t), []*op.Operation{verdict.Verify(companies, &countingHistory{}, fakeReceipts{})}
	for name, most := range map[string]int{"name": 200, "address": 300} {
		for _, letter := range []string{"a", "ș", "ﷺ", "𐍈"} {
			for length, want := range map[int]int{most: 200, most + 1: 400} {
				query := url.Values{name: {strings.Repeat(letter, length)}}
				reply := gateway.Ask(t, g, operations, &op.Call{Authorization: "Bearer " + gateway.GoodKey},
					"/v1/companies/9900000010/verdict?"+query.Encode())
				if reply.Status != want {
					t.Errorf("%s of %d times %s: status %d", name, length, letter, reply.Status)
				}
			}
		}
	}
}
