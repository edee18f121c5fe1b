package api

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestEmbeddedParts(t *testing.T) {
	for _, c := range []struct {
		name, query, cache string
		has, lacks         []string
	}{
		{"nothing", "", op.Hit, nil, []string{"balanceSheets", "legalRepresentatives"}},
		{"balance sheets", "?include=balanceSheets", op.Hit,
			[]string{`"balanceSheets":[{"year":2025,`, `"name":"anaf-bilant"`},
			[]string{"legalRepresentatives", "missingYears"}},
		{"some years, one of them missing", "?include=balanceSheets&years=2020", op.Miss,
			[]string{`"missingYears":[2020]`}, nil},
		{"representatives", "?include=legalRepresentatives", op.Hit,
			[]string{`"governance":[{"name":"EXEMPLU ANA","role":"administrator"}]`}, []string{"balanceSheets"}},
		{"registers", "?include=registers", op.Miss, []string{
			`"registers":{"farmers":{"registered":true,"from":"2019-01-01","to":null},"nonProfits":{"registered":null,"from":null,"to":null},"eInvoice":{"registered":null,"from":null,"to":null,"entries":null}}`,
			`"name":"anaf-farmers","retrievedAt":null,"asOf":null,"cache":"HIT"`, `"name":"anaf-nonprofits"`,
			`"name":"anaf-efactura"`,
		}, []string{"insolvency"}},
		{"insolvency", "?include=insolvency", op.Hit, []string{
			`"insolvency":{"state":"insolvent","proceedings":"insolvency","label":{"ro":"în insolvență","en":"in insolvency proceedings"},"codes":[{"code":"1107","name":"insolvență"}],"since":null,` +
				`"representatives":[{"name":"EXEMPLU INSOLVENȚĂ SPRL","role":"administrator judiciar"}],"dataThrough":"2026-09-02"}`,
		}, []string{"registers"}},
		{"both", "?include=balanceSheets,legalRepresentatives", op.Hit,
			[]string{`"balanceSheets"`, `"legalRepresentatives"`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := gateway.Ask(t, gateway.New(t), newOperations(), &op.Call{Authorization: "Bearer " +
				gateway.GoodKey},
				"/v1/companies/9900000010"+c.query)
			if reply.Status != 200 || reply.Cache != c.cache || !json.Valid(reply.Document.JSON) {
				t.Fatalf("%d %s %v", reply.Status, reply.Cache, reply.Problem)
			}

			body := string(reply.Document.JSON)
			for _, part := range c.has {
				if !strings.Contains(body, part) {
					t.Errorf("no %s in %s", part, body)
				}
			}

			for _, part := range c.lacks {
				if strings.Contains(body, part) {
					t.Errorf("%s in %s", part, body)
				}
			}
		})
	}
}

// Anonymous callers may read whether a company is insolvent, but not the names of persons.
func TestInsolvencyWithoutKeyOmitsNames(t *testing.T) {
	reply := get(t, "/v1/companies/9900000010?include=insolvency")
	if body := string(reply.Document.JSON); reply.Status != 200 || !strings.Contains(body, `"state":"insolvent"`) ||
		!strings.Contains(body, `"representatives":null`) || strings.Contains(body, "SPRL") {
		t.Errorf("%d %s", reply.Status, body)
	}
}

// An answer with several parts has the age of the oldest part and expires with the first part that does.
func TestFreshnessOfSeveralParts(t *testing.T) {
	now := time.Now()
	a := op.Freshness{Cache: op.Hit, RetrievedAt: now, FreshUntil: now.Add(time.Hour), MaxAge: time.Minute}
	b := op.Freshness{Cache: op.Miss, RetrievedAt: now.Add(-time.Hour), FreshUntil: now.Add(time.Minute),
		MaxAge: time.Second}
	for name, c := range map[string]struct{ a, b, want op.Freshness }{
		"older": {a, b, b}, "newer": {b, a, b}, "the same": {a, a, a},
		"without data":     {a, op.Freshness{Cache: op.Hit, MaxAge: time.Hour}, a},
		"to what has none": {op.Freshness{Cache: op.Hit, MaxAge: time.Hour}, a, a},
	} {
		if got := c.a.With(c.b); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
