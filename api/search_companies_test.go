package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestSearchCompanies(t *testing.T) {
	trade := &fakeTrade{}
	ops := Operations(Registries{Trade: trade, Gazetteer: fakePlaces{}, Classification: fakeActivities{}},
		metering.DefaultPlans(), system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{},
		"/v1/companies?q=exemplu&county=Cluj&city=Mun.%20Dej&naceCode=6210&industryId=k&sortBy=name&sortDirection=desc&limit=7&offset=20&vatPayer=true&inactive=false&state=in_operation,struck_off")
	if reply.Status != 200 {
		t.Fatalf("%d %v", reply.Status, reply.Problem)
	}

	want := company.Query{Text: "exemplu", County: 12, City: "Dej", Class: "6210", Industry: "K", Sort: "name",
		Direction: "desc", Limit: 7, Offset: 20, VATPayer: ro.Yes, Inactive: ro.No,
		States: []company.StateRegistration{company.InOperation, company.StruckOff}}
	if !reflect.DeepEqual(trade.asked, want) {
		t.Errorf("asked for %+v, want %+v", trade.asked, want)
	}

	var page map[string]any
	if err := json.Unmarshal(reply.Document.JSON, &page); err != nil {
		t.Fatal(err)
	}
	if page["totalCount"] != 2.0 || page["limit"] != 7.0 || page["offset"] != 20.0 ||
		page["dataThrough"] != "2026-09-02" || len(page["items"].([]any)) != 2 {
		t.Errorf("got %s", reply.Document.JSON)
	}
	if last := page["items"].([]any)[1].(map[string]any); last["taxId"] != nil || len(last) != 13 {
		t.Errorf("a company without a number: %v", last)
	}
}

func TestSearchByStatuses(t *testing.T) {
	reply := get(t, "/v1/companies?eInvoice=true")
	if got := string(reply.Document.JSON); !strings.Contains(got, `"totalCount":2,"notObserved":7,`) {
		t.Error(got)
	}
	if got := string(get(t, "/v1/companies").Document.JSON); !strings.Contains(got, `"notObserved":null,`) {
		t.Error(got)
	}

	for _, value := range []string{"yes", "1", "TRUE"} {
		if reply := get(t, "/v1/companies?vatPayer="+value); reply.Status != 400 ||
			!strings.Contains(string(reply.Problem.JSON("")), "true or false") {
			t.Errorf("%s: %d %v", value, reply.Status, reply.Problem)
		}
	}
}

func TestSearchDefaults(t *testing.T) {
	trade := &fakeTrade{}
	ops := Operations(Registries{Trade: trade, Gazetteer: fakePlaces{}}, nil, system.About{})
	gateway.Ask(t, gateway.New(t), ops, &op.Call{}, "/v1/companies")
	if want := (company.Query{Direction: "asc", Limit: 25}); !reflect.DeepEqual(trade.asked, want) {
		t.Errorf("asked for %+v, want %+v", trade.asked, want)
	}
}

func TestSuggestCompanies(t *testing.T) {
	reply := get(t, "/v1/companies/suggest?q=ex")
	if got := string(reply.Document.JSON); got != `{"items":[{"taxId":9900000010,"name":"EXEMPLU CLUJ SRL","county":"CLUJ","city":null,"stateRegistration":"in_operation"},`+
		`{"taxId":null,"name":"EXEMPLU FĂRĂ NUMĂR SRL","county":null,"city":null,"stateRegistration":"struck_off"}]}` {
		t.Error(got)
	}
}

func TestSearchBeforeTheFirstLoad(t *testing.T) {
	ops := Operations(Registries{Trade: &fakeTrade{unloaded: true}, Gazetteer: fakePlaces{}}, nil, system.About{})
	for _, target := range []string{"/v1/companies?q=x", "/v1/companies/suggest?q=exemplu"} {
		reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{}, target)
		if reply.Status != 503 || !strings.Contains(reply.Problem.Detail, "41 % done") {
			t.Errorf("%s: %d %v", target, reply.Status, reply.Problem)
		}
	}
}

func TestSearchByADroppedActivityNamesItsSuccessors(t *testing.T) {
	trade := &fakeTrade{}
	ops := Operations(Registries{Trade: trade, Gazetteer: fakePlaces{}, Classification: fakeActivities{}}, nil,
		system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{}, "/v1/companies?q=exemplu&naceCode=6201")
	if reply.Status != 200 || trade.asked.Class != "6201" {
		t.Fatalf("%d %v, asked for %+v", reply.Status, reply.Problem, trade.asked)
	}
	if got := string(reply.Document.JSON); !strings.Contains(got, `"naceCodeReplacedBy":["6210"]`) {
		t.Error(got)
	}

	reply = gateway.Ask(t, gateway.New(t), ops, &op.Call{}, "/v1/companies?naceCode=62.10")
	if reply.Status != 200 || trade.asked.Class != "6210" ||
		strings.Contains(string(reply.Document.JSON), "naceCodeReplacedBy") {
		t.Errorf("%d, asked for %+v: %s", reply.Status, trade.asked, reply.Document.JSON)
	}
}
