package api

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// Every plan has a number as its price, as in the contract. The list price tells a free plan, 0, from a plan without a
// list price, null.
func TestPlanPrices(t *testing.T) {
	ops := Operations(Registries{}, metering.DefaultPlans(), system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{}, "/v1/plans")
	got := string(reply.Document.JSON)
	for _, plan := range []struct{ code, price, list string }{{"free", "0", "0"}, {"starter", "19", "19"},
		{"pro", "79", "79"}, {"enterprise", "0", "null"}} {
		_, item, _ := strings.Cut(got, `"code":"`+plan.code+`"`)
		item, _, _ = strings.Cut(item, "}")
		if !strings.Contains(item, `"priceEurMonthly":`+plan.price+`,`) ||
			!strings.HasSuffix(item, `"listPriceEurMonthly":`+plan.list) {
			t.Errorf("%s: %s", plan.code, item)
		}
	}
}
