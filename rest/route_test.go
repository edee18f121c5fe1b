package rest

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

func TestRouter(t *testing.T) {
	r := NewRouter(api.Operations(api.Registries{}, nil, system.About{}))
	for _, c := range []struct{ method, path, operation, argument, allow string }{
		{"GET", "/v1/companies/19", "get_company", "19", "GET, HEAD, OPTIONS"},
		{"HEAD", "/v1/companies", "search_companies", "", "GET, HEAD, OPTIONS"},
		{"GET", "/v1/companies/", "get_company", "", "GET, HEAD, OPTIONS"},
		{"GET", "/v1/companies/1/2", "", "", ""},
		{"POST", "/v1/companies", "", "", "GET, HEAD, OPTIONS"},
		{"POST", "/v1/contact", "send_contact", "", "POST, OPTIONS"},
		{"GET", "/v1/contact", "", "", "POST, OPTIONS"},
		{"FOO", "/health", "", "", "GET, HEAD, OPTIONS"},
		{"GET", "/v2/companies", "", "", ""},
		{"GET", "/v1/fx-rates/", "", "", ""},
	} {
		o, inPath, found := r.Match(c.method, c.path)
		var name string
		if o != nil {
			name = o.Name
		}
		if name != c.operation || inPath[0].Text != c.argument || found.Allow != c.allow {
			t.Errorf("%s %s: %s(%s), allow %q", c.method, c.path, name, inPath[0].Text, found.Allow)
		}
	}
}

func TestTwoArgumentsInAPath(t *testing.T) {
	item := &op.Operation{Spec: op.Spec{Name: "item", Method: "PUT", Path: "/v1/lists/{id}/items/{n}"}}
	list := &op.Operation{Spec: op.Spec{Name: "list", Method: "GET", Path: "/v1/lists/{id}/items"}}
	r := NewRouter([]*op.Operation{item, list})
	for path, want := range map[string]op.PathArgs{
		"/v1/lists/a/items/7":   {{Name: "id", Text: "a"}, {Name: "n", Text: "7"}},
		"/v1/lists//items/":     {{Name: "id"}, {Name: "n"}},
		"/v1/lists/a/items/7/":  {},
		"/v1/lists/a/b/items/7": {},
	} {
		if o, inPath, _ := r.Match("PUT", path); inPath != want || (o == item) != (want != op.PathArgs{}) {
			t.Errorf("%s: %v", path, inPath)
		}
	}

	if o, inPath, _ := r.Match("GET", "/v1/lists/a/items"); o != list || inPath[0].Text != "a" {
		t.Errorf("the list: %v", inPath)
	}
	if p := r.NothingAt("/v1/list/a/item/7", ""); p.Errors[0].Suggestion != "/v1/lists/a/items/7" {
		t.Errorf("suggested %q", p.Errors[0].Suggestion)
	}
}

func TestNothingAtSuggestsAPath(t *testing.T) {
	router := NewRouter(api.Operations(api.Registries{}, nil, system.About{}))
	for path, want := range map[string]string{
		"/v1/company": "/v1/companies", "/v1/company/14399840": "/v1/companies/14399840",
		"/companies/14399840": "/v1/companies/14399840",
		"/api/v1/companies":   "/v1/companies", "/v2/companies": "/v1/companies", "/V1/Companies": "/v1/companies",
		"/v1/fx":                "/v1/fx-rates",
		"/v1/fx-rates/convertt": "/v1/fx-rates/convert", "/v1/caen/6210": "/v1/caen-codes/6210", "/v1/caen/search": "",
		"/v1/plan": "/v1/plans", "/v1/stat": "/v1/status",
		"/v1/xyzzy": "", "/v1/": "", "/": "", "/v1/companies/1/2/3": "", "/wp-login.php": "",
	} {
		p := router.NothingAt(path, "https://example.test")
		if e := p.Errors[0]; p.Kind != problem.NotFound || e.Code != problem.UnknownPath || e.Suggestion != want ||
			strings.Contains(p.Detail, "did you mean "+want+"?") != (want != "") {
			t.Errorf("%s: %q, %s", path, e.Suggestion, p.Detail)
		}
	}
}

// An escaped slash belongs to an argument, whose own check explains it; the path is not unknown.
func TestEscapedSlashes(t *testing.T) {
	router := NewRouter(api.Operations(api.Registries{}, nil, system.About{}))
	for path, want := range map[string]string{
		"/v1/companies/J12%2F101%2f2012":        "J12/101/2012",
		"/v1/companies/J12%2F101%2F2012/status": "J12/101/2012",
		"/v1/%63ompanies/a%2Fb":                 "a/b",
		"/v1/caen-codes/62%252F10":              "62%2F10",
		"/v1/companies/J12/101/2012":            "",
		"/v1/companies/99%00":                   "99\x00",
	} {
		o, inPath, _ := router.Match("GET", routePath(httptest.NewRequest("GET", path, nil)))
		if inPath[0].Text != want || (o != nil) != (want != "") {
			t.Errorf("%s: got %q", path, inPath[0].Text)
		}
	}
}
