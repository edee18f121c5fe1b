package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestCompaniesAsATable(t *testing.T) {
	x := newTill(t, 10)
	reply, h := x.call(t, "/v1/companies.csv?taxIds=RO9900000010,%209900000010,9900000011,19&fields=taxId,vatPayer&delimiter=%3B")
	if reply.Status != 200 {
		t.Fatal(reply.Problem)
	}

	lines := strings.Split(strings.TrimSpace(string(reply.Document.JSON)), "\r\n")
	if len(lines) != 5 || lines[0] != "\ufeffinput;reference;status;problem;taxId;vatPayer;asOf" ||
		!strings.HasPrefix(lines[1], "RO9900000010;;200;;9900000010;;"+ro.Today().String()) ||
		"RO"+lines[2] != lines[1] || !strings.HasPrefix(lines[3], "9900000011;;400;") ||
		!strings.HasPrefix(lines[4], "19;;404;") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}

	if cost := gateway.Header(h, "x-credits-cost"); cost != "1" || x.used(t) != 1 {
		t.Errorf("it cost %s, and %d are used: one company was found, twice", cost, x.used(t))
	}
	if reply.Document.File == nil || reply.Document.File.Type[0] != op.CSVType {
		t.Errorf("the file is %+v", reply.Document.File)
	}
}

func TestTableWithoutFieldsHasThoseOfTheSearch(t *testing.T) {
	reply := get(t, "/v1/companies.csv?taxIds=9900000010")
	header, _, _ := strings.Cut(string(reply.Document.JSON), "\r\n")
	if want := "input,reference,status,problem," + strings.Join(company.SummaryFields, ",") + ",asOf"; header != want {
		t.Errorf("the columns are %s", header)
	}
}

func TestBadTablesSayHowToGoOn(t *testing.T) {
	for target, want := range map[string]string{
		"":                                    "taxIds",
		"?taxIds=" + strings.Repeat("1,", 50): "with POST /v1/companies/batch",
		"?taxIds=1&fields=nam":                "name",
		"?taxIds=1&delimiter=x":               "a comma, a semicolon (%3B) or tab",
		"?taxIds=1&q=exemplu":                 "waitSeconds",
	} {
		if reply := get(t, "/v1/companies.csv"+target); reply.Status != http.StatusBadRequest ||
			!strings.Contains(string(reply.Problem.JSON("")), want) {
			t.Errorf("%s: %d %v", target, reply.Status, reply.Problem)
		}
	}

	if reply := get(t, "/v1/companies.csv?taxIds=9900000010&fields=legalRepresentatives"); reply.Status != http.StatusForbidden {
		t.Errorf("names of persons: %d", reply.Status)
	}
}

func TestTablesDrawOnTheDay(t *testing.T) {
	x := newTill(t, 10)
	x.Daily, x.Allowances = op.Daily{Companies: 1}, metering.NewDays()
	anonymous := func(c *op.Call) { c.Authorization = "" }
	if reply, _ := x.call(t, "/v1/companies.csv?taxIds=9900000010,19",
		anonymous); reply.Status != http.StatusTooManyRequests {
		t.Errorf("two companies with an allowance of one: got %d", reply.Status)
	}
	if reply, _ := x.call(t, "/v1/companies.csv?taxIds=9900000010", anonymous); reply.Status != http.StatusOK ||
		reply.Quota.Remaining != 0 {
		t.Errorf("one company: %d, %d left", reply.Status, reply.Quota.Remaining)
	}
}
