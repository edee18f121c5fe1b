package proof

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Receipts are the signed receipts of answers.
type Receipts interface {
	// Certify issues the receipt of a statement, or returns an existing one. The receipt is stored durably before
	// Certify returns. The renderer renders its Forms. The error is ErrReceiptsUsedUp if the caller in ctx has
	// no key, or the statement is about no company, and the daily receipts for these are used up.
	Certify(ctx context.Context, s Statement) (ReceiptID, op.Renderer, error)
	// Salt returns a salt of 32 hexadecimal digits for the hash of a text that a receipt must not reveal. Equal texts
	// of the same caller have the same salt, so that equal statements keep the same receipt. Those of another caller
	// do not, because somebody with the receipt could otherwise send guesses until the hash is the same.
	Salt(ctx context.Context, text []byte) string
	// Receipt returns a receipt; ErrUnknown if there is none with the id.
	Receipt(ctx context.Context, id ReceiptID) (op.Answer[*Receipt], error)
	// SigningKeys returns the public keys that verify receipts.
	SigningKeys(ctx context.Context) (op.Answer[*SigningKeys], error)
}

// ErrReceiptsUsedUp is the error for an answer that costs nothing once the daily receipts are used up.
var ErrReceiptsUsedUp = errors.New("today's receipts that cost nothing are used up")

// Statement is the content of a receipt. The receipt's id is a hash of its JSON.
//
// It is about either a company or a VAT number.
type Statement struct {
	TaxID        ro.CUI       `json:"taxId,omitzero" doc:"Tax id of the company; absent for a VAT number."`
	VATNumber    ro.VATNumber `json:"vatNumber,omitzero" doc:"The VAT number that was checked; absent for a company."`
	Name         string       `json:"name" doc:"Name of the company when the receipt was issued; empty when its state does not publish it."`
	Date         ro.Date      `json:"date" doc:"Date of the statuses, or on which the VAT number was checked."`
	KnownAt      *ro.Date     `json:"knownAt" doc:"The day by which the statement could be known; null for the day of retrievedAt."`
	RetrievedAt  time.Time    `json:"retrievedAt" doc:"When the registry sent the record, UTC."`
	RecordSHA256 string       `json:"recordSha256" doc:"SHA-256 of the registry's record, byte for byte as it was sent, in hexadecimal."`
	Status       Certified    `json:"status" doc:"The answer of GET /v1/companies/{cui}/status, GET /v1/companies/{cui}/verdict or GET /v1/vat-numbers/{id}, without the members that differ from call to call."`
}

// Number returns the VAT number or CUI that the statement is about.
func (s *Statement) Number() string {
	if s.VATNumber != "" {
		return string(s.VATNumber)
	}
	return s.TaxID.String()
}

// Subject returns the subject of the statement: a VAT number, or the company's CUI with RO.
func (s *Statement) Subject() string {
	if s.VATNumber != "" {
		return string(s.VATNumber)
	}
	return "RO" + s.TaxID.String()
}

// Certified is a JSON object that a receipt certifies, byte for byte.
type Certified json.RawMessage

// MarshalJSON returns the object.
func (c Certified) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// UnmarshalJSON keeps the object unchanged.
func (c *Certified) UnmarshalJSON(text []byte) error {
	return (*json.RawMessage)(c).UnmarshalJSON(text)
}

// Schema describes an object.
func (Certified) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "object"} }

// Receipt is a signed receipt of an answer.
type Receipt struct {
	ID        ReceiptID `json:"id" doc:"Id of the receipt, derived from the SHA-256 of the statement: the same statement has the same receipt."`
	IssuedAt  time.Time `json:"issuedAt" doc:"When the statement was signed, UTC."`
	KeptUntil time.Time `json:"keptUntil" doc:"When the receipt's download here expires, UTC. A stored JWT can be verified at any later time."`
	KeyID     string    `json:"keyId" doc:"Id of the signing key in GET /.well-known/jwks.json."`
	Statement Statement `json:"statement" doc:"The certified statement."`
	JWT       string    `json:"jwt" doc:"The signed statement: a JWT (RFC 7519), signed with Ed25519."`
}

// Forms are the media types, besides JSON, of every answer that can have a receipt.
var Forms = []op.Alternate{
	{Type: "application/jwt", Description: "The signed statement: a JWT, verified with the keys in GET " +
		"/.well-known/jwks.json."},
	{Type: op.PDFType, Description: "A printable page in Romanian and English, with a QR code of the receipt's address."},
}

type getReceiptInput struct {
	ID ReceiptID `arg:"id" in:"path" doc:"Id of the receipt, from an answer or a printed receipt." example:"rcp_abcdefghijklmnopqrstuvwxyz"`
}

// Get is not a tool: a receipt is a file to keep, and another tool returns the statuses that it certifies.
func Get(receipts Receipts) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_receipt", Method: "GET", Path: "/v1/receipts/{id}", Tag: tag.Companies, Alternates: Forms,
		Title: "Get a receipt",
		Description: "Signed proof that a company or VAT number was checked: the answer, its record, and the time. " +
			"Receipts are kept for ten years. With Accept: application/jwt the answer is the signed statement alone, " +
			"with Accept: application/pdf a printable page. Free, no key needed.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, _ account.Caller, in getReceiptInput) (op.Answer[*Receipt], error) {
		answer, err := receipts.Receipt(ctx, in.ID)
		if errors.Is(err, op.ErrUnknown) {
			return answer, problem.NotFound.New("there is no receipt %s; receipts are kept for ten years", in.ID)
		}
		return answer, Problem(ctx, err)
	})
}

// Problem is the problem of receipts that cannot be read or stored. It returns other problems unchanged.
func Problem(ctx context.Context, err error) error {
	if _, is := errors.AsType[*problem.Problem](err); is || err == nil || ctx.Err() != nil {
		return err
	}
	if err == ErrReceiptsUsedUp {
		return problem.Unavailable.New("today's receipts for callers without a key, and for numbers that no register " +
			"has, are used up; send a key, or try again tomorrow")
	}
	return errors.Join(op.StoreDown("receipts cannot be read or stored right now; try again shortly"), err)
}

// ReceiptID is the id of a receipt.
type ReceiptID string

const receiptForm = "the id of a receipt: rcp_ and 26 letters a to z and digits 2 to 7"

var receiptIDForm = regexp.MustCompile(`^rcp_[a-z2-7]{26}$`)

// UnmarshalText parses an id in any case.
func (i *ReceiptID) UnmarshalText(text []byte) error {
	*i = ReceiptID(strings.ToLower(string(text)))
	if !receiptIDForm.MatchString(string(*i)) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: receiptForm}
	}
	return nil
}

// Schema describes the format of an id.
func (ReceiptID) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: receiptIDForm.String()}
}
