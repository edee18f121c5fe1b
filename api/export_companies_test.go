package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/fake"
	"github.com/rodata/rodata/testkit/gateway"
)

// manyTrade finds a given number of companies.
type manyTrade struct {
	fakeTrade
	total int
}

func (m *manyTrade) Search(_ context.Context, q company.Query) (company.Matches, error) {
	m.asked = q
	found := company.Matches{Total: m.total, Through: ro.NewDate(2026, 10, 2), Items: []company.Summary{}}
	for i := int(q.Offset); i < min(m.total, int(q.Offset)+int(q.Limit)); i++ {
		found.Items = append(found.Items,
			company.Summary{Name: fmt.Sprintf("EXEMPLU %d SRL", i), StateRegistration: company.InOperation})
	}

	return found, nil
}

// exporting returns a till with a search that finds a given number of companies.
func exporting(t *testing.T, total int, monthly int64) *till {
	x := newTill(t, monthly)
	x.operations = Operations(Registries{Trade: &manyTrade{total: total}, Gazetteer: fakePlaces{},
		Classification: fakeActivities{}, Usage: new(fake.Journal)}, x.Plans, system.About{})
	return x
}

func asMedia(media string) func(*op.Call) { return func(c *op.Call) { c.Media = media } }

func TestExportAsCSV(t *testing.T) {
	trade := &fakeTrade{}
	ops := Operations(Registries{Trade: trade, Gazetteer: fakePlaces{}, Classification: fakeActivities{}}, nil,
		system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{Media: "text/csv"},
		"/v1/companies?q=exemplu&county=Cluj&vatPayer=true&sortBy=name&delimiter=%3B")
	if reply.Status != 200 {
		t.Fatal(reply.Problem)
	}

	want := "\ufeff" + strings.Join(company.ExportColumns, ";") + "\r\n" +
		"9900000010;EXEMPLU CLUJ SRL;;;CLUJ;;;;in_operation;;;;;1500000;-2000;0;2025\r\n" +
		";EXEMPLU FĂRĂ NUMĂR SRL;;;;;;;struck_off;;;;;;;;2025\r\n"
	if got := string(reply.Document.JSON); got != want {
		t.Errorf("got\n%s", got)
	}

	asked := company.Query{Text: "exemplu", County: 12, VATPayer: ro.Yes, Sort: "name", Direction: "asc", Limit: 10_000,
		Stored: true, WithFigures: true}
	if !reflect.DeepEqual(trade.asked, asked) {
		t.Errorf("asked for %+v, want %+v", trade.asked, asked)
	}
	if reply.Next != "" {
		t.Errorf("goes on at %s after the last row", reply.Next)
	}
	if file := reply.Document.File; file.Type[0] != op.CSVType ||
		file.Disposition[0] != `attachment; filename="companies.csv"` {
		t.Errorf("the file is %v", file)
	}
}

func TestExportAsXLSX(t *testing.T) {
	x := exporting(t, 5, 100)
	reply, _ := x.call(t, "/v1/companies?limit=3&after=2026-10-02.1", asMedia(op.XLSXType))
	if reply.Status != 200 {
		t.Fatal(reply.Problem)
	}

	book, err := excelize.OpenReader(bytes.NewReader(reply.Document.JSON))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()

	rows, err := book.GetRows("data")
	if err != nil || len(rows) != 4 || !slices.Equal(rows[0], company.ExportColumns) || rows[1][1] != "EXEMPLU 1 SRL" ||
		rows[3][1] != "EXEMPLU 3 SRL" {
		t.Errorf("the rows are %q, %v", rows, err)
	}

	info, err := book.GetRows("info")
	if output := fmt.Sprint(info); err != nil || !strings.Contains(output, "[date 1 2026-10-02]") ||
		!strings.Contains(output, "CC BY 4.0") ||
		!strings.Contains(output, "[rows 2 to 4 of 5] [after 2026-10-02.4]") {
		t.Errorf("the sheet of sources says %v, %v", info, err)
	}
}

func TestExportGoesOn(t *testing.T) {
	x := exporting(t, 23_456, 1000)
	target, seen := "/v1/companies", 0
	for _, rows := range []int{10_000, 10_000, 3_456} {
		reply, h := x.call(t, target, asMedia("text/csv"))
		if reply.Status != 200 {
			t.Fatal(reply.Problem)
		}

		lines := strings.Split(strings.TrimSpace(string(reply.Document.JSON)), "\r\n")[1:]
		if len(lines) != rows || !strings.Contains(lines[0], fmt.Sprintf("EXEMPLU %d SRL", seen)) {
			t.Errorf("%s: %d rows, the first %s", target, len(lines), lines[0])
		}
		if cost := gateway.Header(h, "x-credits-cost"); cost != fmt.Sprint((rows+99)/100) {
			t.Errorf("%d rows cost %s", rows, cost)
		}

		seen += len(lines)
		target = "/v1/companies?after=" + reply.Next
	}

	if target != "/v1/companies?after=" {
		t.Errorf("after the last row it goes on at %s", target)
	}
}

func TestCreditsOfExports(t *testing.T) {
	for _, c := range []struct {
		name   string
		total  int
		change func(*op.Call)
		cost   int
	}{
		{"no row", 0, nil, 0},
		{"one row", 1, nil, 1},
		{"100 rows", 100, nil, 1},
		{"101 rows", 101, nil, 2},
		{"without a key", 101, func(c *op.Call) { c.Authorization = "" }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := exporting(t, c.total, 10)
			reply, _ := x.call(t, "/v1/companies", func(call *op.Call) {
				call.Media = "text/csv"
				if c.change != nil {
					c.change(call)
				}
			})
			if reply.Status != 200 || reply.Cost != c.cost || x.used(t) != int64(c.cost) {
				t.Errorf("%d, cost %d, used %d, %v; want a cost of %d", reply.Status, reply.Cost, x.used(t),
					reply.Problem, c.cost)
			}
		})
	}
}

func TestUnchangedExportIsFree(t *testing.T) {
	x := exporting(t, 101, 10)
	first, _ := x.call(t, "/v1/companies", asMedia("text/csv"))
	again, _ := x.call(t, "/v1/companies", func(c *op.Call) { c.Media, c.IfNoneMatch = "text/csv", first.ETag() })
	if again.Status != http.StatusNotModified || again.Cost != 0 || x.used(t) != 2 {
		t.Errorf("%d, cost %d, used %d", again.Status, again.Cost, x.used(t))
	}
}

func TestExportThatCannotBePaid(t *testing.T) {
	x := exporting(t, 1001, 10)
	reply, _ := x.call(t, "/v1/companies", asMedia("text/csv"))
	if reply.Status != http.StatusPaymentRequired || x.used(t) != 0 || reply.Document != nil ||
		!strings.Contains(reply.Problem.Detail, "this costs 11 credits") ||
		!strings.Contains(reply.Problem.Detail, "nothing was sent or charged") {
		t.Errorf("%d, used %d: %v", reply.Status, x.used(t), reply.Problem)
	}

	if reply, _ := x.call(t, "/v1/companies?limit=1000", asMedia("text/csv")); reply.Status != 200 || reply.Cost != 10 {
		t.Errorf("fewer rows: %d, cost %d, %v", reply.Status, reply.Cost, reply.Problem)
	}
}

func TestExportsDrawOnTheDay(t *testing.T) {
	x := exporting(t, 250, 10)
	x.Daily, x.Allowances = op.Daily{Companies: 5}, metering.NewDays()
	for i, status := range []int{200, 429} {
		reply, _ := x.call(t, "/v1/companies", func(c *op.Call) { c.Authorization, c.Media = "", "text/csv" })
		if reply.Status != status || reply.Quota.Remaining != 2 {
			t.Errorf("export %d: %d, %d are left of the day's", i+1, reply.Status, reply.Quota.Remaining)
		}
	}
}

// A large file counts as several requests in the rate limit.
func TestExportsTakeTokens(t *testing.T) {
	x := exporting(t, 10_000, 1000)
	x.Anonymous = metering.Rate{N: 1, Per: time.Hour, Burst: 10}
	anonymous := func(c *op.Call) { c.Authorization, c.Media = "", "text/csv" }
	if reply, _ := x.call(t, "/v1/companies", anonymous); reply.Status != 200 || reply.Allowance.Remaining != 0 {
		t.Errorf("the first: %d, %d tokens left", reply.Status, reply.Allowance.Remaining)
	}
	if reply, _ := x.call(t, "/v1/companies?limit=1", anonymous); reply.Status != http.StatusTooManyRequests {
		t.Errorf("the second: %d", reply.Status)
	}
}

func TestBadExportsSayHowToGoOn(t *testing.T) {
	x := exporting(t, 5, 10)
	for query, want := range map[string]string{
		"after=2026-09-02.3": "start again without after",
		"after=3":            "in the header Link (rel=next) of the previous file",
		"after=2026-10-02.":  "in the header Link (rel=next) of the previous file",
		"limit=10001":        "a whole number from 1 to 10000; for more rows, follow the header Link",
		"limit=0":            "a whole number from 1 to 10000",
		"delimiter=%7C":      "a comma, a semicolon (%3B) or tab",
		"offset=25":          `"suggestion":"after"`,
		"industryId=629":     "there is no CAEN division or group",
	} {
		reply, _ := x.call(t, "/v1/companies?"+query, asMedia("text/csv"))
		if reply.Problem == nil || !strings.Contains(string(reply.Problem.JSON("")), want) || x.used(t) != 0 {
			t.Errorf("%s: %v, want %s", query, reply.Problem, want)
		}
	}
}

// JSON pages do not accept the parameters of exports.
func TestJSONStaysAsItIs(t *testing.T) {
	x := exporting(t, 5, 10)
	for _, query := range []string{"after=2026-10-02.3", "delimiter=,", "limit=101"} {
		if reply, _ := x.call(t, "/v1/companies?"+query); reply.Status != 400 {
			t.Errorf("%s: %d", query, reply.Status)
		}
	}

	addressed := func(c *op.Call) { c.Address = netip.MustParseAddr("192.0.2.7") }
	if reply, _ := x.call(t, "/v1/companies?limit=5", addressed); reply.Status != 200 || reply.Next != "" ||
		reply.Cost != 1 {
		t.Errorf("%d, next %q, cost %d", reply.Status, reply.Next, reply.Cost)
	}
}
