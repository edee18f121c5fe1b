package customer

import (
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

func TestUsageByDay(t *testing.T) {
	usage := usageDays([]metering.Calls{
		{Day: "2026-11-19", Operation: "get_company", Calls: 3, Hits: 1, Credits: 2},
		{Day: "2026-11-19", Operation: "list_plans", Calls: 4},
		{Day: "2026-11-20", Operation: "get_company", Calls: 1, Credits: 1},
	})
	doc, err := op.EncodeDocument(usage)
	want := `[{"date":"2026-11-19","credits":2,"calls":7,"operations":[{"operation":"get_company","credits":2,"calls":3,"hits":1},{"operation":"list_plans","credits":0,"calls":4,"hits":0}]},` +
		`{"date":"2026-11-20","credits":1,"calls":1,"operations":[{"operation":"get_company","credits":1,"calls":1,"hits":0}]}]`
	if err != nil || string(doc.JSON) != want {
		t.Errorf("got  %s\nwant %s", doc.JSON, want)
	}
}
