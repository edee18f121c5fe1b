package site

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
)

const storedID proof.ReceiptID = "rcp_abcdefghijklmnopqrstuvwxyz"

// oneKey signs receipts, of which it keeps one.
type oneKey struct {
	proof.Receipts
	key ed25519.PrivateKey
}

// sign returns the JWT of a receipt with a certified answer.
func (k oneKey) sign(id proof.ReceiptID, status string) string {
	encode := base64.RawURLEncoding.EncodeToString
	jwt := encode([]byte(`{"alg":"EdDSA","kid":"k1"}`)) + "." + encode([]byte(`{"iat":1795335330,"jti":"`+string(id)+
		`","statement":{"taxId":9900000010,"name":"EXEMPLU CLUJ SRL","date":"2020-12-05","knownAt":"2020-12-05",`+
		`"retrievedAt":"2026-11-22T06:45:30Z","recordSha256":"9f86","status":`+status+`}}`))
	return jwt + "." + encode(ed25519.Sign(k.key, []byte(jwt)))
}

const certifiedStatus = `{"taxId":9900000010,"name":"EXEMPLU CLUJ SRL","date":"2020-12-05","vatPayer":{"value":true}}`

func (k oneKey) Receipt(_ context.Context, id proof.ReceiptID) (answer op.Answer[*proof.Receipt], err error) {
	if id != storedID {
		return answer, op.ErrUnknown
	}
	return op.Answer[*proof.Receipt]{Value: &proof.Receipt{ID: id, JWT: k.sign(id, certifiedStatus),
		KeptUntil: time.Date(2036, 11, 22, 0, 0, 0, 0, time.UTC),
		Statement: proof.Statement{Status: proof.Certified("{}")}}}, nil
}

func (k oneKey) SigningKeys(context.Context) (op.Answer[*proof.SigningKeys], error) {
	public := base64.RawURLEncoding.EncodeToString(k.key.Public().(ed25519.PublicKey))
	keys := &proof.SigningKeys{Keys: []proof.SigningKey{{ID: "k1", X: public}}}
	return op.Answer[*proof.SigningKeys]{Value: keys}, nil
}

func newOneKey() oneKey { return oneKey{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))} }

func TestReceiptPage(t *testing.T) {
	s := liveSite(t, api.Registries{Receipts: newOneKey()}, unlimited)
	has(t, get(s, "/receipts/"+string(storedID)+"?lang=ro", "Accept", "text/html"),
		"Dovadă autentică ✓", "EXEMPLU CLUJ SRL", "<b>9900000010</b>",
		"Situația firmei la 5 decembrie 2020", `data-status="vatPayer"`, "22 noiembrie 2026", "k1", "9f86",
		`href="/receipts/rcp_abcdefghijklmnopqrstuvwxyz.pdf"`)

	for _, unknown := range []string{"rcp_zzzzzzzzzzzzzzzzzzzzzzzzzz", "none", "rcp_zzzzzzzzzzzzzzzzzzzzzzzzzz.pdf"} {
		w := get(s, "/receipts/"+unknown, "Accept", "text/html")
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "No receipt has the number "+unknown) {
			t.Errorf("%s: %d", unknown, w.Code)
		}
	}
}

func TestReceiptForm(t *testing.T) {
	key := newOneKey()
	s := liveSite(t, api.Registries{Receipts: key}, unlimited)
	forger := oneKey{key: ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))}
	verdict := `{"date":"2020-12-05","knownAt":"2020-12-05","outcome":"stop","changedRetroactively":true,` +
		`"rulesVersion":"2026-11","rules":[` +
		`{"id":"not_inactive","level":"stop","result":"fail","explanation":{"ro":"era inactivă","en":"was inactive"}}]}`
	for text, says := range map[string]string{
		"":                                  "Enter the number from the printed receipt",
		"something":                         "neither the number of a receipt nor an electronic receipt",
		key.sign(storedID, certifiedStatus): "Kept here until",
		key.sign("rcp_"+proof.ReceiptID(strings.Repeat("u", 26)), verdict):      "The signature is right, but the receipt is not kept here",
		key.sign("rcp_"+proof.ReceiptID(strings.Repeat("o", 26)), verdict):      "Changed afterwards: for 5 December 2020",
		forger.sign(storedID, certifiedStatus):                                  "No key of this service signed this text",
		strings.Replace(key.sign(storedID, certifiedStatus), ".eyJ", ".fyJ", 1): "neither the number",
	} {
		body := shows(t, s, "/receipts?receipt="+url.QueryEscape(text), says)
		if genuine := strings.Contains(body, "Genuine receipt ✓"); genuine != strings.Contains(body, "k1") {
			t.Errorf("%q: genuine %t", text, genuine)
		}
	}
	if w := get(s, "/receipts?receipt="+string(storedID)); w.Header().Get("Location") != "/receipts/"+string(storedID) {
		t.Errorf("an id leads to %d %q", w.Code, w.Header().Get("Location"))
	}
}

// The address in a QR code is that of the API, which leads people to the page; the page's leads programs to the API.
func TestReceiptAddresses(t *testing.T) {
	s := liveSite(t, api.Registries{Receipts: newOneKey()}, unlimited)
	if w := get(s, "/v1/receipts/"+string(storedID)); w.Header().Get("Location") != "/receipts/"+string(storedID) {
		t.Errorf("a person is led to %d %q", w.Code, w.Header().Get("Location"))
	}

	w := get(s, "/receipts/"+string(storedID), "Accept", "application/jwt")
	if w.Header().Get("Location") != "/v1/receipts/"+string(storedID) || w.Code != http.StatusTemporaryRedirect {
		t.Errorf("a program is led to %d %q", w.Code, w.Header().Get("Location"))
	}

	for path, accepted := range map[string]string{"/v1/receipts/": "text/html", "/receipts/": "application/jwt"} {
		to := get(s, path+`..%2f..%2f%5cevil.example`, "Accept", accepted).Header().Get("Location")
		if !strings.HasSuffix(to, `/receipts/..%2F..%2F%5Cevil.example`) {
			t.Errorf("an id with separators leads from %s to %q", path, to)
		}
	}

	file := get(s, "/receipts/"+string(storedID)+".json")
	if file.Code != http.StatusOK || !strings.Contains(file.Body.String(), `"jwt":"`) {
		t.Errorf("the JSON: %d %s", file.Code, file.Body)
	}
}
