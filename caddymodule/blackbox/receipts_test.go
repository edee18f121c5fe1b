package blackbox

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Verifiers get the keys without an account, from any page, and may cache them.
func receiptKeys(t *testing.T, g *gateway) {
	got := g.get(t, "/.well-known/jwks.json")
	keys, _ := got.object(t)["keys"].([]any)
	if len(keys) != 1 || keys[0].(object)["crv"] != "Ed25519" || keys[0].(object)["d"] != nil {
		t.Errorf("keys %s", got.body)
	}

	h := got.Header
	if h.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.HasPrefix(h.Get("Cache-Control"), "public, max-age=300") || h.Get("x-credits-cost") != "0" ||
		h.Get("Etag") == "" {
		t.Errorf("headers %v", h)
	}
}

// accepting requests a media type.
func accepting(media string) request { return request{header: map[string]string{"Accept": media}} }

// An answer about a company's status has a receipt, available in every form, immediately and later, which the published
// keys verify.
func receiptOfAnswer(t *testing.T, g *gateway) {
	path := companies(t)[12] + "/status?date=2020-12-05&knownAt=2020-12-05"
	id, _ := g.get(t, path).object(t)["receipt"].(string)
	later := "/v1/receipts/" + id
	shown := g.get(t, later).object(t)
	if shown["id"] != id || member(shown, "statement.status.vatPayer.value") != true ||
		member(shown, "statement.status.receipt") != nil {
		t.Fatalf("receipt %s: %v", id, shown)
	}

	jwt := g.do(t, "GET", path, accepting("application/jwt"))
	if jwt.Header.Get("Content-Type") != "application/jwt" || string(jwt.body) != shown["jwt"] {
		t.Errorf("with the answer: %s %s", jwt.Header.Get("Content-Type"), jwt.body)
	}
	if again := g.do(t, "GET", later, accepting("application/jwt")); !bytes.Equal(again.body, jwt.body) {
		t.Errorf("later: %s", again.body)
	}

	verifyJWT(t, string(jwt.body), g.get(t, "/.well-known/jwks.json").body)

	for _, path := range []string{path, later} {
		page := g.do(t, "GET", path, accepting("application/pdf"))
		if page.Header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(page.body, []byte("%PDF-")) ||
			!strings.HasSuffix(page.Header.Get("Content-Disposition"), `-2020-12-05.pdf"`) {
			t.Errorf("%s: %v", path, page.Header)
		}
	}
	// HEAD is free, as is the receipt.
	for _, media := range []string{"application/json", "application/jwt", "application/pdf"} {
		if head := g.do(t, "HEAD", path, accepting(media)); head.StatusCode != 200 ||
			strings.Contains(fmt.Sprint(head.Header), id) {
			t.Errorf("HEAD as %s: %d, %v", media, head.StatusCode, head.Header)
		}
	}

	if again := g.get(t, path).object(t)["receipt"]; again != id {
		t.Errorf("asked again, the receipt is %v", again)
	}
}

// verifyJWT verifies a JWT with a key set of one key.
func verifyJWT(t *testing.T, jwt string, jwks []byte) {
	t.Helper()
	var set struct{ Keys []struct{ X string } }
	if err := json.Unmarshal(jwks, &set); err != nil || len(set.Keys) != 1 {
		t.Fatalf("%v: %s", err, jwks)
	}

	key, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	testkit.NoError(t, err)

	end := strings.LastIndexByte(jwt, '.')
	signature, err := base64.RawURLEncoding.DecodeString(jwt[end+1:])
	if err != nil || !ed25519.Verify(key, []byte(jwt[:end]), signature) {
		t.Errorf("%v: the signature is invalid", err)
	}
}
