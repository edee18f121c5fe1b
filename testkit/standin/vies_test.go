package standin

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// askVIES sends a question, and returns the answer's text.
func askVIES(t *testing.T, r *Registries, path string, n ro.VATNumber, requester ro.VATNumber) string {
	t.Helper()
	question := map[string]string{"countryCode": string(n[:2]), "vatNumber": string(n[2:])}
	if requester != "" {
		question["requesterMemberStateCode"], question["requesterNumber"] = string(requester[:2]), string(requester[2:])
	}

	body, err := json.Marshal(question)
	testkit.NoError(t, err)

	res, err := http.Post(r.VIES.URL+path, "application/json", bytes.NewReader(body))
	testkit.NoError(t, err)
	defer res.Body.Close()

	text, err := io.ReadAll(res.Body)
	testkit.NoError(t, err)

	return string(text)
}

// The stand-in knows the numbers of the Commission's test service.
func TestServiceOfVIESForTests(t *testing.T) {
	r := For(t, Options{})
	for number, want := range map[ro.VATNumber]string{"DE100": `"valid":true`, "DE200": `"valid":false`} {
		if got := askVIES(t, r, "/check-vat-test-service", number, ""); !strings.Contains(got, want) {
			t.Errorf("%s: %s", number, got)
		}
	}

	for number, code := range testCodes {
		if got := askVIES(t, r, "/check-vat-test-service", ro.VATNumber("FR"+number),
			""); !strings.Contains(got, `"error":"`+code+`"`) {
			t.Errorf("%s: %s, want %s", number, got, code)
		}
	}
}

// Every invented trader has a well-formed number, as does every failing number.
func TestNumbersOfVIES(t *testing.T) {
	r := For(t, Options{})
	for _, trader := range Traders {
		if _, err := ro.ParseVATNumber(string(trader.Number)); err != nil {
			t.Errorf("%s: %v", trader.Number, err)
		}
		if got := askVIES(t, r, "/check-vat-number", trader.Number, ""); !strings.Contains(got, `"valid":true`) ||
			!strings.Contains(got, `"requestIdentifier":""`) {
			t.Errorf("%s: %s", trader.Number, got)
		}
	}

	for _, fault := range VATFaults {
		if _, err := ro.ParseVATNumber(string(fault.Number)); err != nil {
			t.Errorf("%s: %v", fault.Number, err)
		}
		if fault.Code == "" {
			continue
		}
		if got := askVIES(t, r, "/check-vat-number", fault.Number, ""); !strings.Contains(got, fault.Code) {
			t.Errorf("%s: %s", fault.Number, got)
		}
	}

	for _, c := range []struct {
		name         string
		n, requester ro.VATNumber
		want         string
	}{
		{"a number of nobody", "DE707168238", "", `"valid":false`},
		{"an invented company that pays VAT", "RO9900000010", "", "EXEMPLU TRANSILVAN"},
		{"another one that does not", "RO9900000029", "", `"valid":false`},
		{"on behalf of a trader", "DE445947920", "RO9900000010", `"requestIdentifier":"WAPI`},
		{"on behalf of nobody that is known", "DE445947920", "RO19", "INVALID_REQUESTER_INFO"},
		{"a wrong control digit", "DE445947921", "", "INVALID_INPUT"},
	} {
		if got := askVIES(t, r, "/check-vat-number", c.n, c.requester); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
