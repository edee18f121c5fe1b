package api

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// TestCompanyOnADay requests a company at midnight in Bucharest, where the range of days ends with today.
func TestCompanyOnADay(t *testing.T) {
	midnight := time.Date(2026, 6, 30, 21, 0, 0, 0, time.UTC) // 2026-07-01 00:00 in Bucharest
	for name, c := range map[string]struct {
		at    time.Time
		today string
	}{
		"before midnight": {midnight.Add(-time.Second), "2026-06-30"},
		"at midnight":     {midnight, "2026-07-01"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Until(c.at))
				tomorrow := ro.DateIn(c.at.Add(24*time.Hour), ro.Bucharest).String()
				for day, says := range map[string]string{
					"1993-07-01": "", "2025-03-31": "", c.today: "",
					tomorrow:     "in the future",
					"1993-06-30": "before 1993-07-01",
					"2025-02-30": "no such day",
					"31-03-2025": "YYYY-MM-DD",
				} {
					reply := gateway.Ask(t, gateway.New(t), newOperations(), &op.Call{Authorization: "Bearer " +
						gateway.GoodKey},
						"/v1/companies/9900000010?include=balanceSheets&date="+day)
					switch {
					case says == "":
						body := string(reply.Document.JSON)
						if reply.Status != 200 || !strings.Contains(body, `"statusDate":"`+day+`"`) ||
							!strings.Contains(body, `"balanceSheets":[{`) {
							t.Errorf("%s: %d %s", day, reply.Status, body)
						}
					case reply.Status != 400 || !strings.Contains(reply.Problem.Detail, says):
						t.Errorf("%s: %d %v", day, reply.Status, reply.Problem)
					case strings.HasSuffix(says, "7-01") || says == "in the future":
						if accepted := "a day from 1993-07-01 to " +
							c.today; !strings.Contains(reply.Problem.Errors[0].Accepted, accepted) {
							t.Errorf("%s: accepted is %v", day, reply.Problem.Errors[0])
						}
					}
				}
			})
		})
	}
}

// TestBatchOnDays verifies that an item with a day gets an answer for that day, that a company on two days is two
// items, and that an invalid day affects only its item.
func TestBatchOnDays(t *testing.T) {
	x := newCounter(t, 10)
	reply := x.post(t, `{"items":[
		{"taxId":9900000010,"date":"2025-03-31","reference":"a"},{"taxId":9900000010,"date":"2025-04-30"},
		{"taxId":9900000010},{"taxId":"RO9900000010","date":"2025-03-31"},{"taxId":"J12/345/2010","date":"2025-03-31"},
		{"taxId":9900000010,"date":"1993-06-30"},{"taxId":9900000010,"date":"31-03-2025"},{"taxId":9900000010,"date":null},
		{"taxId":9900000010,"date":""}],"view":"summary"}`)
	body := string(reply.Document.JSON)
	for _, want := range []string{
		`{"index":0,"reference":"a","taxId":9900000010,"date":"2025-03-31","status":200,`,
		`{"index":1,"taxId":9900000010,"date":"2025-04-30","status":200,`, `"statusDate":"2025-04-30"`,
		`{"index":2,"taxId":9900000010,"status":200,`,
		`{"index":3,"taxId":9900000010,"date":"2025-03-31","status":200,`,
		`{"index":4,"input":"J12/345/2010","taxId":9900000010,"date":"2025-03-31","status":200,`,
		`{"index":5,"taxId":9900000010,"date":"1993-06-30","status":400,`, `before 1993-07-01`,
		`{"index":6,"taxId":9900000010,"status":400,`, `"parameter":"date"`,
		`{"index":7,"taxId":9900000010,"status":200,`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}

	if strings.Count(body, `"statusDate"`) != 4 {
		t.Errorf("not four days: %s", body)
	}
	if used := x.used(t); used != 3 {
		t.Errorf("charged %d credits for a company on two days and as of today", used)
	}
}

func TestTableOfDays(t *testing.T) {
	for body, want := range map[string]string{
		`{"items":[{"taxId":9900000010,"date":"2025-03-31"},{"taxId":9900000010}],"fields":["statusDate","name"]}`: "input,reference,date,status,problem,statusDate,name,asOf\r\n" +
			"9900000010,,2025-03-31,200,,2025-03-31,EXEMPLU CLUJ SRL,2025-03-31\r\n9900000010,,,200,,,EXEMPLU CLUJ SRL," + ro.Today().String() + "\r\n",
		`{"items":[{"taxId":9900000010}],"fields":["name"]}`: "input,reference,status,problem,name,asOf\r\n" +
			"9900000010,,200,,EXEMPLU CLUJ SRL," + ro.Today().String() + "\r\n",
		`{"items":[{"taxId":1,"date":"2025-03-31"}],"fields":["name"]}`: "input,reference,date,status,problem,name,asOf\r\n1,,2025-03-31,400,",
	} {
		text := string(newCounter(t, 10).post(t, body, func(call *op.Call) {
			call.Form = lists.CSV{Delimiter: ','}
		}).Document.JSON)
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s: %q", body, text)
		}
	}
}
