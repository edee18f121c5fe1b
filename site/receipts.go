package site

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/vat"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// The page of a receipt, and the form for a receipt's id or its JWT.
var (
	receiptPages = livePage{"/receipts/{receipt}", "receipt", "company.js", loadReceipt}
	receiptForm  = livePage{"/receipts", "receipt", "company.js", loadReceiptForm}
)

// receiptFiles are the media types of a receipt's files, by the ending of their path.
var receiptFiles = map[string]string{".pdf": op.PDFType, ".jwt": "application/jwt", ".json": ""}

// addReceipts adds the pages of receipts, and a redirect for browsers that open the address in a QR code.
func (s *Site) addReceipts() {
	s.mux.HandleFunc(receiptPages.pattern, s.serveReceipt)
	s.mux.HandleFunc(receiptForm.pattern, func(w http.ResponseWriter, r *http.Request) {
		s.serveLive(w, r, &receiptForm)
	})
	s.mux.HandleFunc("/v1/receipts/{receipt}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/receipts/"+url.PathEscape(r.PathValue("receipt")), http.StatusSeeOther)
	})
}

// serveReceipt serves the page of a receipt to people, or one of its files. It redirects programs to the API.
func (s *Site) serveReceipt(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("receipt")
	id, ending, _ := strings.Cut(name, ".")
	media, isFile := receiptFiles["."+ending]
	w.Header().Add("Vary", "Accept")
	switch {
	case isFile:
		s.serveReceiptFile(w, r, id, media)
	case WantsPage(r):
		s.serveLive(w, r, &receiptPages)
	default:
		http.Redirect(w, r, "/v1/receipts/"+url.PathEscape(name), http.StatusTemporaryRedirect)
	}
}

func (s *Site) serveReceiptFile(w http.ResponseWriter, r *http.Request, id, media string) {
	call := s.visit(r).call("id", id)
	call.Media = media
	reply := s.Gateway.Do(r.Context(), s.operations["get_receipt"], &call)
	if reply.Problem != nil {
		s.fail(w, r, noReceipt(reply.Problem))
		return
	}

	h, doc := w.Header(), reply.Document
	writeSecurity(h)
	h["Content-Type"] = []string{op.JSONType}
	if doc.File != nil {
		h["Content-Type"], h["Content-Disposition"] = doc.File.Type, doc.File.Disposition
	}

	h["Cache-Control"] = []string{"private, no-store"}
	w.Write(doc.JSON) // the visitor may have left
}

// receiptPage is the data of the page about a receipt.
type receiptPage struct {
	words
	Text      string // the id or the JWT that a person entered into the form
	IsWrong   bool   // Text is neither
	IsForged  bool   // no key of this service signed it
	Statement *proof.Statement
	ID        proof.ReceiptID
	Key       string
	SignedAt  time.Time
	KeptUntil *time.Time // nil if the receipt is not kept here
	// One of these is the certified answer.
	Verdict  *conclusion
	Statuses *statusPage
	VATCheck *vat.VATCheck
	// ParametersSHA256 is the hash of what was sent for a verdict; nil if nothing was.
	ParametersSHA256 *string
}

// loadReceipt loads the page of a stored receipt.
func loadReceipt(v *visit) (any, error) {
	stored, err := ask[*proof.Receipt](v, "get_receipt", "id", v.r.PathValue("receipt"))
	if err != nil {
		return nil, noReceipt(err)
	}

	page := &receiptPage{words: words{v.lang}}
	if err := v.readReceipt(page, stored.JWT); err != nil {
		return nil, err
	}

	page.KeptUntil = &stored.KeptUntil
	return page, nil
}

// noReceipt returns the problem for a receipt that could not be read. An id that this service would never issue is a
// receipt that does not exist, and not an invalid request.
func noReceipt(err error) error {
	if isProblem(err, problem.InvalidRequest) {
		return &problem.Problem{Kind: problem.NotFound}
	}
	return err
}

// loadReceiptForm loads the form, and the page of a receipt whose JWT was entered. An id is redirected to its page.
func loadReceiptForm(v *visit) (any, error) {
	page := &receiptPage{words: words{v.lang}, Text: v.param("receipt")}
	var id proof.ReceiptID
	switch {
	case page.Text == "":
		return page, nil
	case id.UnmarshalText([]byte(page.Text)) == nil:
		return nil, &redirect{"/receipts/" + string(id)}
	}

	if err := v.readReceipt(page, page.Text); err != nil || page.Statement == nil {
		return page, err
	}

	stored, err := ask[*proof.Receipt](v, "get_receipt", "id", string(page.ID))
	switch {
	case err == nil:
		page.KeptUntil = &stored.KeptUntil
	case !isProblem(err, problem.NotFound, problem.InvalidRequest):
		return nil, err
	}

	return page, nil
}

// readReceipt verifies a JWT with the service's own keys, and reads its statement. Without a valid signature, the page
// shows none of its content.
func (v *visit) readReceipt(page *receiptPage, jwt string) error {
	keys, err := ask[*proof.SigningKeys](v, "get_signing_keys")
	if err != nil {
		return err
	}

	var header struct {
		KeyID string `json:"kid"`
	}
	var claims struct {
		SignedAt  int64           `json:"iat"`
		ID        proof.ReceiptID `json:"jti"`
		Statement proof.Statement `json:"statement"`
	}
	parts := strings.Split(strings.TrimSpace(jwt), ".")
	if len(parts) != 3 || !decodePart(parts[0], &header) || !decodePart(parts[1], &claims) {
		page.IsWrong = true
		return nil
	}
	if !isSigned(parts, header.KeyID, keys.Keys) {
		page.IsForged = true
		return nil
	}

	page.Key, page.ID, page.SignedAt = header.KeyID, claims.ID, time.Unix(claims.SignedAt, 0)
	page.Statement = &claims.Statement
	return page.readAnswer()
}

func decodePart(part string, to any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, to) == nil
}

// isSigned reports whether the key with an id signed the parts of a JWT (RFC 8037).
func isSigned(parts []string, keyID string, keys []proof.SigningKey) bool {
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	for _, key := range keys {
		public, keyErr := base64.RawURLEncoding.DecodeString(key.X)
		if key.ID == keyID && err == nil && keyErr == nil && len(public) == ed25519.PublicKeySize {
			return ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), signature)
		}
	}

	return false
}

// readAnswer decodes the certified answer. It ignores unknown members, which a later version may have added.
func (p *receiptPage) readAnswer() error {
	s := p.Statement
	if s.VATNumber != "" {
		p.VATCheck = new(vat.VATCheck)
		return json.Unmarshal(s.Status, p.VATCheck)
	}

	var judged rules.Verdict
	if err := json.Unmarshal(s.Status, &judged); err != nil {
		return err
	}
	if judged.RulesVersion != "" {
		p.Verdict, p.ParametersSHA256 = p.conclude(&judged), judged.ParametersSHA256
		return nil
	}

	status := new(company.Status)
	p.Statuses = &statusPage{words: p.words, Status: status}
	return json.Unmarshal(s.Status, status)
}

// What says what the receipt certifies.
func (p *receiptPage) What() string {
	key := "receipt.statuses"
	switch {
	case p.VATCheck != nil:
		key = "receipt.vat"
	case p.Verdict != nil:
		key = "receipt.verdict"
	}

	return p.say(key, "date", p.dayOf(&p.Statement.Date))
}

// VATStatus is the result of the check of a VAT number.
func (p *receiptPage) VATStatus() string { return p.say("vat." + string(p.VATCheck.Status)) }

// Facts are the times and the identifiers of the receipt.
func (p *receiptPage) Facts() []fact {
	s := p.Statement
	known := ro.DateIn(s.RetrievedAt, ro.Bucharest)
	facts := []fact{
		{Name: p.say("receipt.known"), Value: p.dayOf(cmp.Or(s.KnownAt, &known))},
		{Name: p.say("receipt.received"), Value: p.moment(s.RetrievedAt)},
		{Name: p.say("receipt.signed"), Value: p.moment(p.SignedAt)},
		{Name: p.say("receipt.id"), Value: string(p.ID), Full: true},
		{Name: p.say("receipt.key"), Value: p.Key, Full: true},
		{Name: p.say("receipt.record"), Value: s.RecordSHA256, Full: true},
	}
	if p.ParametersSHA256 != nil {
		facts = append(facts, fact{Name: p.say("receipt.parameters"), Value: *p.ParametersSHA256, Full: true})
	}
	if p.KeptUntil != nil {
		facts = append(facts, fact{Name: p.say("receipt.kept"), Value: p.moment(*p.KeptUntil)})
	}

	return facts
}
