package api

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEmbeddedParts(t *testing.T) {
	for _, c := range []struct {
		name, query, cache string
		has, lacks         []string
	}{
		{"nothing", "", Hit, nil, []string{"balanceSheets", "legalRepresentatives"}},
		{"balance sheets", "?include=balanceSheets", Hit, []string{`"balanceSheets":[{"year":2025,`, `"name":"anaf-bilant"`}, []string{"legalRepresentatives", "missingYears"}},
		{"some years, one of them missing", "?include=balanceSheets&years=2020", Miss, []string{`"missingYears":[2020]`}, nil},
		{"representatives", "?include=legalRepresentatives", Hit, []string{`"governance":[{"name":"EXEMPLU ANA","role":"administrator"}]`}, []string{"balanceSheets"}},
		{"both", "?include=balanceSheets,legalRepresentatives", Hit, []string{`"balanceSheets"`, `"legalRepresentatives"`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := ask(t, newGateway(t), newOperations(), &Call{Authorization: "Bearer " + goodKey}, "/v1/companies/9900000010"+c.query)
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
