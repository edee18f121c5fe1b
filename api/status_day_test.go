package api

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
