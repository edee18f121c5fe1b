package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestReceiptsThatAreNotThere(t *testing.T) {
	g := anyGateway(t)
	const unknown = "/v1/receipts/rcp_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	g.get(t, unknown).problem(t, http.StatusNotFound, "not-found")
	g.get(t, "/v1/receipts/rcp_1").problem(t, http.StatusBadRequest, "invalid-request")
	got := g.do(t, "GET", unknown, request{header: map[string]string{"Accept": "application/pdf"}})
	got.problem(t, http.StatusNotFound, "not-found")
}

// Verifiers get the keys without an account, from any page, and may store them.
func TestTheKeysOfReceiptsAreForEverybody(t *testing.T) {
	g := anyGateway(t)
	got := g.get(t, "/.well-known/jwks.json")
	keys, _ := got.object(t)["keys"].([]any)
	if len(keys) != 1 || keys[0].(object)["crv"] != "Ed25519" || keys[0].(object)["d"] != nil {
		t.Errorf("keys %s", got.body)
	}
	h := got.Header
	if h.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(h.Get("Cache-Control"), "public, max-age=300") || h.Get("x-credits-cost") != "0" || h.Get("Etag") == "" {
		t.Errorf("headers %v", h)
	}
}
