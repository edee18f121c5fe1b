package blackbox

import (
	"strings"
	"testing"
)

func refusals(t *testing.T, g *gateway) {
	cui := company(t)
	jsonBody := map[string]string{"Content-Type": "application/json"}
	for name, c := range map[string]struct {
		method, path string
		more         request
		status       int
		slug         string
		detail       string // part of it
	}{
		"no such address":         {path: "/nothing", status: 404, slug: "not-found"},
		"no such address of ours": {path: "/v1/nothing", status: 404, slug: "not-found", detail: "openapi.json"},
		"an address too long":     {path: "/v1/companies/" + cui + "/x", status: 404, slug: "not-found"},
		"method on no address":    {method: "POST", path: "/v1/nothing", status: 404, slug: "not-found"},
		"preflight on no address": {method: "OPTIONS", path: "/v1/nothing", status: 404, slug: "not-found"},
		"letters for a number": {path: "/v1/companies/RO123", status: 400, slug: "invalid-request",
			detail: `received "RO123"`},
		"wrong control digit": {path: "/v1/companies/9900000011", status: 400, slug: "invalid-request"},
		"encoded twice": {path: "/v1/companies/%2539900000010", status: 400, slug: "invalid-request",
			detail: `%39900000010`},
		"encoded slash":     {path: "/v1/companies/990000%2F0010", status: 400, slug: "invalid-request"},
		"control character": {path: "/v1/companies/99%00", status: 400, slug: "invalid-request"},
		"invalid UTF-8":     {path: "/v1/companies/%ff", status: 400, slug: "invalid-request"},
		"broken query":      {path: "/v1/plans?a=%zz", status: 400, slug: "invalid-request"},
		"unknown parameter": {path: "/v1/plans?colour=blue", status: 400, slug: "invalid-request", detail: `"colour"`},
		"repeated parameter": {path: "/v1/fx-rates?date=2026-06-10&date=2026-06-11", status: 400,
			slug: "invalid-request", detail: "more than once"},
		"empty parameter": {path: "/v1/fx-rates?date=", status: 400, slug: "invalid-request", detail: "empty"},
		"impossible date": {path: "/v1/fx-rates?date=2026-02-30", status: 400, slug: "invalid-request",
			detail: "2026-02-30"},
		"long parameter": {path: "/v1/caen-codes?q=" + strings.Repeat("x", 600), status: 400,
			slug: "invalid-request", detail: "too long"},
		"key in the query": {path: "/v1/plans?key=x", status: 400, slug: "invalid-request", detail: "Authorization"},
		"api_key in the query": {path: "/v1/plans?api_key=x", status: 400, slug: "invalid-request",
			detail: "Authorization"},
		"token in the query": {path: "/v1/companies/" + cui + "?token=x", status: 400, slug: "invalid-request",
			detail: "Authorization"},
		"unknown key": {path: "/v1/plans", more: request{header: map[string]string{"Authorization": "Bearer x"}},
			status: 401, slug: "unauthorized"},
		"another scheme": {path: "/v1/plans",
			more: request{header: map[string]string{"Authorization": "Basic eDp5"}}, status: 401, slug: "unauthorized"},
		"persons without a key": {path: "/v1/companies/" + cui + "?include=legalRepresentatives", status: 403,
			slug: "forbidden"},
		"dropped activity code": {path: "/v1/caen-codes/6201", status: 404, slug: "caen-code-replaced"},
		"body that is not JSON": {method: "POST", path: "/v1/contact", more: request{body: "name=Ana"}, status: 415,
			slug: "unsupported-media-type"},
		"body that is broken JSON": {method: "POST", path: "/v1/contact",
			more:   request{body: `{"name":`, header: jsonBody},
			status: 400, slug: "invalid-request"},
		"body that is a list": {method: "POST", path: "/v1/contact", more: request{body: `[]`, header: jsonBody},
			status: 400, slug: "invalid-request"},
		"no body": {method: "POST", path: "/v1/contact", more: request{header: jsonBody}, status: 400,
			slug: "invalid-request"},
		"query beside a body": {method: "POST", path: "/v1/contact?name=Ana",
			more:   request{body: `{}`, header: jsonBody},
			status: 400, slug: "invalid-request"},
		"body that is too large": {method: "POST", path: "/v1/contact",
			more: request{body: `{"message":"` + strings.Repeat("x", 70<<10) + `"}`, header: jsonBody}, status: 413,
			slug: "payload-too-large"},
		"compressed body": {method: "POST", path: "/v1/contact", more: request{body: `{}`, header: map[string]string{
			"Content-Type": "application/json", "Content-Encoding": "gzip"}}, status: 415,
			slug: "unsupported-media-type"},
	} {
		t.Run(name, func(t *testing.T) {
			method := c.method
			if method == "" {
				method = "GET"
			}

			got := g.do(t, method, c.path, c.more)
			if detail := got.problem(t, c.status, c.slug); !strings.Contains(detail, c.detail) {
				t.Errorf("the detail %q does not say %q", detail, c.detail)
			}
			if c.status == 401 && !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("no WWW-Authenticate: %v", got.Header)
			}
		})
	}
}

func decodedOnce(t *testing.T, g *gateway) {
	cui := company(t)
	if got := g.get(t, "/v1/companies/%39"+cui[1:]); got.StatusCode != 200 {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}
