package api

import (
	"encoding/json"
	"reflect"
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
		"/v1/companies?q=exemplu&county=Cluj&city=Mun.%20Dej&naceCode=62.10&industryId=k&sortBy=name&sortDirection=desc&limit=7&offset=20&vatPayer=true&inactive=false&state=in_operation,struck_off&seatExpired=true")
	if reply.Status != 200 {
		t.Fatalf("%d %v", reply.Status, reply.Problem)
	}

	want := company.Query{Text: "exemplu", County: 12, City: "Dej", Class: "6210", Industry: "K", Sort: "name",
		Direction: "desc", Limit: 7, Offset: 20, SeatExpired: ro.Yes, VATPayer: ro.Yes,
		Inactive: ro.No,
		States:   []company.StateRegistration{company.InOperation, company.StruckOff}}
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

func TestSearchByFigures(t *testing.T) {
	trade := &fakeTrade{}
	ops := Operations(Registries{Trade: trade, Gazetteer: fakePlaces{}}, nil, system.About{})
	gateway.Ask(t, gateway.New(t), ops, &op.Call{},
		"/v1/companies?turnoverMin=1&turnoverMax=2&netResultMin=-3&netResultMax=4&employeesMin=5&employeesMax=5&statement=filed&sortBy=netResult")
	want := company.Query{Direction: "asc", Limit: 25, Sort: "netResult", WithFigures: true}
	want.Statement = company.StatementFiled
	want.Ranges = [company.FigureCount]company.FigureRange{
		company.TurnoverFigure:  {Min: new(int64(1)), Max: new(int64(2))},
		company.NetResultFigure: {Min: new(int64(-3)), Max: new(int64(4))},
		company.EmployeesFigure: {Min: new(int64(5)), Max: new(int64(5))},
	}
	if !reflect.DeepEqual(trade.asked, want) {
		t.Errorf("asked for %+v, want %+v", trade.asked, want)
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
