package api

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/gateway"
)

// goodArgs are arguments with which each operation succeeds, or at least reaches its data.
var goodArgs = map[string]map[string]string{
	"get_company":         {"cui": "9900000010"},
	"get_company_status":  {"cui": "9900000010", "date": "2020-12-05"},
	"get_company_history": {"cui": "9900000010"},
	"get_statement_state": {"cui": "9900000010"},
	"compare_company":     {"cui": "9900000010"},
	"watch_company":       {"id": "default", "cui": "9900000010"},
	"unwatch_company":     {"id": "default", "cui": "9900000010"},
	"create_watchlist":    {"name": "Suppliers"},
	"list_watchlists":     {},
	"get_watchlist":       {"id": "default"},
	"update_watchlist":    {"id": "default", "name": "Customers"},
	"delete_watchlist":    {"id": "wl_abcdefghijklmnopqrstuvwxyz"},
	"watch_companies":     {"id": "default", "taxIds": "[9900000010]"},
	"get_caen_code":       {"code": "6210"},
	"get_fx_rate_history": {"currency": "EUR", "to": "2026-06-12"},
	"convert_currency":    {"amount": "1", "from": "EUR", "to": "RON"},
	"send_contact": {"name": "Ana Exemplu", "email": "ana@example.ro",
		"message": "Bună ziua!\nO întrebare."},
	"get_fx_rates":            {},
	"get_holidays":            {"year": "2027"},
	"add_business_days":       {"from": "2026-12-23", "days": "-5"},
	"search_companies":        {},
	"list_watched_companies":  {"id": "default"},
	"suggest_companies":       {"q": "ex"},
	"list_releases":           {},
	"get_companies_table":     {"taxIds": "9900000010"},
	"get_release_parquet":     {"date": "2026-10-02"},
	"get_release_csv":         {"date": "latest"},
	"get_release_changes":     {"date": "2026-10-02"},
	"search_caen_codes":       {},
	"search_counties":         {},
	"search_cities":           {},
	"create_key":              {"name": "ERP"},
	"list_keys":               {},
	"revoke_key":              {"id": "key1"},
	"list_plans":              {},
	"create_checkout":         {"plan": "starter"},
	"create_portal":           {},
	"list_invoices":           {},
	"get_invoice_pdf":         {"id": "019aa000-0000-7000-8000-000000000001"},
	"get_status":              {},
	"get_receipt":             {"id": "rcp_abcdefghijklmnopqrstuvwxyz"},
	"get_signing_keys":        {},
	"get_status_history":      {"days": "90"},
	"get_health":              {},
	"create_webhook":          {"url": "https://receiver.example/hook"},
	"list_webhooks":           {},
	"get_webhook":             {"id": "wh_1"},
	"update_webhook":          {"id": "wh_1", "state": "active"},
	"delete_webhook":          {"id": "wh_1"},
	"rotate_webhook_secret":   {"id": "wh_1"},
	"test_webhook":            {"id": "wh_1"},
	"list_webhook_deliveries": {"id": "wh_1"},
	"retry_webhook_delivery":  {"id": "wh_1", "delivery": "evt_1"},
	"replay_webhook":          {"id": "wh_1", "after": "AAAAAAAAAAAAAAAAAAAAAAAAAAA"},
	"get_watchlist_atom_feed": {"id": "default"},
	"get_watchlist_json_feed": {"id": "default"},
	"list_changes":            {},
	"list_all_changes":        {},
}

func argsOf(o *op.Operation, change func(name, text string) []op.Arg) op.Args {
	var args op.Args
	for name, text := range goodArgs[o.Name] {
		if changed := change(name, text); changed != nil {
			args = append(args, changed...)
		} else {
			args = append(args, op.Arg{Name: name, Text: text})
		}
	}

	return args
}

func TestEveryParameterRejectsUnacceptableValues(t *testing.T) {
	for _, o := range newOperations() {
		for _, p := range o.Params() {
			for _, c := range []struct {
				name string
				args []op.Arg
				want string
			}{
				{"empty", []op.Arg{{Name: p.Name}}, "is empty"},
				{"repeated", []op.Arg{{Name: p.Name, Text: "1"}, {Name: p.Name, Text: "1"}}, "more than once"},
				{"over-long", []op.Arg{{Name: p.Name, Text: strings.Repeat("1", max(30_000, int(p.MaxBytes())+1))}},
					"too long"},
				{"control character", []op.Arg{{Name: p.Name, Text: "1\x001"}}, "control character (U+0000)"},
				{"invalid UTF-8", []op.Arg{{Name: p.Name, Text: "1\xff"}}, "not valid UTF-8"},
			} {
				if c.name == "empty" && p.MayBeEmpty() {
					continue
				}

				t.Run(o.Name+"/"+p.Name+"/"+c.name, func(t *testing.T) {
					args := argsOf(o, func(name, _ string) []op.Arg {
						if name == p.Name {
							return []op.Arg{}
						}
						return nil
					})
					reply := gateway.New(t).Do(t.Context(), o,
						&op.Call{Authorization: "Bearer " + gateway.GoodKey, Args: append(args, c.args...)})
					if i := slices.IndexFunc(reply.Problem.Errors, func(e *problem.InputError) bool {
						return e.Parameter == p.Name
					}); i < 0 {
						t.Errorf("no error of %s: %v", p.Name, reply.Problem.Errors)
					} else if e := reply.Problem.Errors[i]; !slices.Contains(e.Code.Schema().Enum, string(e.Code)) ||
						e.Accepted == "" {
						t.Errorf("%+v", e)
					}

					if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, c.want) ||
						!strings.Contains(reply.Problem.Detail, p.Name) {
						t.Errorf("got %d %v, want a 400 that names %s and says %q", reply.Status, reply.Problem,
							p.Name, c.want)
					}
				})
			}
		}
	}
}

func TestEveryOperationRefusesUnknownParameters(t *testing.T) {
	for _, o := range newOperations() {
		args := argsOf(o, func(string, string) []op.Arg { return nil })
		reply := gateway.New(t).Do(t.Context(), o,
			&op.Call{Authorization: "Bearer " + gateway.GoodKey, Args: append(args, op.Arg{Name: "limitt", Text: "1"})})
		if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, `"limitt"`) {
			t.Errorf("%s: got %d %v", o.Name, reply.Status, reply.Problem)
		}

		for _, p := range o.Params() {
			if !strings.Contains(reply.Problem.Detail, p.Name) {
				t.Errorf("%s does not list %s among the accepted: %s", o.Name, p.Name, reply.Problem.Detail)
			}
		}
	}
}

func TestRequiredParameters(t *testing.T) {
	for _, o := range newOperations() {
		for _, p := range o.Params() {
			if !p.Required {
				continue
			}

			args := argsOf(o, func(name, text string) []op.Arg {
				if name == p.Name {
					return []op.Arg{}
				}
				return nil
			})
			reply := gateway.New(t).Do(t.Context(), o, &op.Call{Authorization: "Bearer " + gateway.GoodKey, Args: args})
			if reply.Status != 400 || !strings.HasPrefix(reply.Problem.Detail, p.Name+" is missing") {
				t.Errorf("%s without %s: got %d %v", o.Name, p.Name, reply.Status, reply.Problem)
			}
		}
	}
}

func TestArgsFromJSON(t *testing.T) {
	args, err := op.ArgsFromJSON([]byte(` {"cui": 14837428, "limit": 5.0, "offset": 1E1, "amount": 0.10, "big": 9007199254740993, "flag": true, "gone": null, "q": "ș"} `))
	want := op.Args{
		{Name: "cui", Text: "14837428", Literal: true}, {Name: "limit", Text: "5", Literal: true},
		{Name: "offset", Text: "10", Literal: true}, {Name: "amount", Text: "0.10", Literal: true},
		{Name: "big", Text: "9007199254740993", Literal: true},
		{Name: "flag", Text: "true", Literal: true}, {Name: "q", Text: "ș"},
	}
	if err != nil || !slices.Equal(args, want) {
		t.Errorf("got %v, %v", args, err)
	}

	for _, c := range []struct{ json, want string }{
		{``, "ends too early"},
		{`{`, "ends too early"},
		{`{"a":1`, "ends too early"},
		{`[]`, "object is needed"},
		{`null`, "object is needed"},
		{`{"a":}`, "broken at byte"},
		{`{"a":[1]`, "ends too early"},
		{`{} {}`, "data after the JSON object"},
		{"{\"a\":\"\xff\"}", "not valid UTF-8"},
		{`{` + strings.Repeat(`"a":1,`, 40) + `"a":1}`, "more than 32"},
		{strings.Repeat(`[`, 100_000), "object is needed"},
	} {
		if _, err := op.ArgsFromJSON([]byte(c.json)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want %q", c.json, err, c.want)
		}
	}
}

// FuzzQuery checks that every query gets a success or a problem with a status below 500 and a readable detail.
func FuzzQuery(f *testing.F) {
	ops := newOperations()
	f.Add("/v1/companies/9900000010", "include=balanceSheets")
	f.Add("/v1/fx-rates", "date=2026-06-10&currency=eur,usd&basis=invoice")
	f.Add("/v1/fx-rates/history", "currency=EUR&from=2026-06-01&to=2026-06-30")
	f.Add("/v1/fx-rates/convert", "amount=-2500.10&from=EUR&to=ron")
	f.Add("/v1/companies", "q=%C8%99&limit=100&offset=0")
	f.Fuzz(func(t *testing.T, path, query string) {
		o, inPath := gateway.Find(ops, "GET", path)
		if o == nil {
			return
		}

		call := &op.Call{InPath: inPath}
		call.Args, call.Malformed = op.ArgsFromQuery(query)
		reply := gateway.New(t).Do(t.Context(), o, call)
		if reply.Status == 500 || reply.Status == 503 && o.Name != "search_companies" && o.Name != "get_company" {
			t.Fatalf("%s?%s: %d %v", path, query, reply.Status, reply.Problem)
		}
		if reply.Problem != nil && strings.ContainsFunc(reply.Problem.Detail, unicode.IsControl) {
			t.Fatalf("unreadable detail %q", reply.Problem.Detail)
		}
	})
}
