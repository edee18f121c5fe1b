package api

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/gateway"
)

// askValue requests a company as text.
func askValue(t *testing.T, query string) op.Reply {
	t.Helper()
	return gateway.Ask(t, gateway.New(t), newOperations(), &op.Call{Authorization: "Bearer " + gateway.GoodKey,
		Media: "text/plain"},
		"/v1/companies/9900000010"+query)
}

func TestSingleValueOfCompany(t *testing.T) {
	for query, want := range map[string]string{
		"?fields=name":                              "EXEMPLU CLUJ SRL",
		"?fields=taxId":                             "9900000010",
		"?fields=vatPayer":                          "unknown", // null is not false
		"?fields=seat.city":                         "unknown", // the seat is null
		"?fields=insolvency.state":                  "insolvent",
		"?fields=insolvency.label.ro":               "în insolvență",
		"?fields=registers.farmers.registered":      "true",
		"?fields=registers.nonProfits.registered":   "unknown",
		"?fields=statusDate":                        "unknown",
		"?fields=statusDate&date=2025-03-31":        "2025-03-31",
		"?fields=stateRegistration&date=2025-03-31": "in_operation",
	} {
		reply := askValue(t, query)
		if reply.Status != 200 {
			t.Errorf("%s: %v", query, reply.Problem)
			continue
		}
		if got := string(reply.Document.JSON); got != want ||
			reply.Document.File.Type[0] != "text/plain; charset=utf-8" {
			t.Errorf("%s: %q as %s, want %q", query, got, reply.Document.File.Type, want)
		}
		if reply.Cost != 1 || reply.ETag() == "" || reply.RetrievedAt.IsZero() {
			t.Errorf("%s: cost %d, tag %q, retrieved at %s", query, reply.Cost, reply.ETag(),
				reply.RetrievedAt)
		}
	}
}

func TestSingleValueNeedsOneField(t *testing.T) {
	for query, want := range map[string]struct {
		code problem.InputCode
		says string
	}{
		"":                             {problem.Required, "fields=name"},
		"?fields=name,vatPayer":        {problem.TooMany, "several fields"},
		"?fields=seat":                 {problem.InvalidType, "choose a field inside it"},
		"?fields=vatPeriods":           {problem.InvalidType, "more than one value"},
		"?fields=vatPeriods.from":      {problem.InvalidType, "more than one value"},
		"?fields=vatPayr":              {problem.NotOneOf, "vatPayer"},
		"?fields=name&include=x":       {problem.UnknownParameter, "include"},
		"?fields=name&date=1990-01-01": {problem.OutOfRange, "1993-07-01"},
	} {
		reply := askValue(t, query)
		if reply.Status != 400 || len(reply.Problem.Errors) != 1 {
			t.Errorf("%s: %d %v", query, reply.Status, reply.Problem)
			continue
		}

		wrong := reply.Problem.Errors[0]
		if wrong.Code != want.code || !strings.Contains(string(reply.Problem.JSON("")), want.says) {
			t.Errorf("%s: %s, without %q: %s", query, wrong.Code, want.says, reply.Problem.Detail)
		}
	}
}

// The tool and the JSON form of the profile reject both parameters of the text form, and say what fields needs.
func TestSingleValueNeedsTextFormat(t *testing.T) {
	reply := get(t, "/v1/companies/9900000010?fields=name")
	if reply.Status != 400 || reply.Problem.Errors[0].Code != problem.Conflict ||
		!strings.Contains(reply.Problem.Detail, "format=text") {
		t.Errorf("fields without format=text: %d %v", reply.Status, reply.Problem)
	}

	for _, o := range newOperations() {
		if o.Name != "get_company" {
			continue
		}

		for _, p := range o.Input().Properties {
			if p.Name == "fields" || p.Name == "format" {
				t.Errorf("the tool takes %s", p.Name)
			}
		}

		if offers := o.Offers(); len(offers) != 1 {
			t.Errorf("an Accept header chooses from %v", offers)
		}
	}
}
