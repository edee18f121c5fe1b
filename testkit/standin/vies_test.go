package standin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/standin"
)

// TestNumbersOfVIES verifies that the numbers of traders and of errors are well-formed, and lead to them.
func TestNumbersOfVIES(t *testing.T) {
	r := start(t, standin.Options{})
	answers := map[ro.VATNumber]string{}
	for _, trader := range standin.Traders {
		answers[trader.Number] = `"valid":true`
	}

	for _, fault := range standin.VATFaults {
		if _, err := ro.ParseVATNumber(string(fault.Number)); err != nil {
			t.Errorf("%s: %v", fault.Number, err)
		}
		if fault.Code != "" {
			answers[fault.Number] = `"error":"` + fault.Code + `"`
		}
	}

	for number, want := range answers {
		a, err := send(t, conversation.Request{Method: http.MethodPost, Address: r.VIES.URL + "/check-vat-number",
			Body: fmt.Sprintf(`{"countryCode":%q,"vatNumber":%q}`, number.State(), number.National())})
		testkit.NoError(t, err)
		if !strings.Contains(a.Body, want) {
			t.Errorf("%s: %s, want %s", number, a.Body, want)
		}
	}
}
