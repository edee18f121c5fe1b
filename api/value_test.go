package api

import (
	"encoding"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// FuzzValues checks that no text makes a value type panic.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"14399840", "2026-11-20", "EUR", "EUR, usd",
		"100", "999999", "-2500.10", "6210", "K", "fixing", "balanceSheets", "ana@example.ro", "ș"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []encoding.TextUnmarshaler{
			new(ro.Currency), new(ro.Amount), new(op.List[ro.Currency]), new(op.List[company.Include]),
			new(op.List[company.StateFilter]), new(op.Limit), new(op.Offset), new(op.Text), new(company.NACECode),
			new(company.IndustryID),
			new(company.SortBy), new(company.SortDirection), new(rate.Basis), new(customer.ContactName),
			new(customer.ContactMessage),
			new(customer.Email),
			new(customer.Honeypot),
		} {
			_ = v.UnmarshalText([]byte(text))
		}
	})
}

// Both patterns of a list of names accept the same texts as UnmarshalText. The pattern for tools is shorter: it
// contains each name once.
func TestPatternsOfLists(t *testing.T) {
	s := op.List[company.Include]{}.Schema()
	for _, pattern := range []string{s.Pattern, s.Precise.Pattern} {
		form := regexp.MustCompile(pattern)
		for text, want := range map[string]bool{
			"registers": true, "registers,insolvency": true, "registers , insolvency": true,
			"": false, "registers,": false, ",registers": false, "registersinsolvency": false,
			"registers insolvency": false, "register": false,
		} {
			if got := form.MatchString(text); got != want {
				t.Errorf("%s: %q is %t", pattern, text, got)
			}
		}
	}

	if n := strings.Count(s.Pattern, "insolvency"); n != 1 {
		t.Errorf("the tools' pattern names a value %d times", n)
	}
}
