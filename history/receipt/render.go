package receipt

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
)

// reference refers to a stored receipt.
type reference struct {
	id     proof.ReceiptID
	issuer *Issuer
}

// Render implements op.Renderer for the media types of proof.Receipt. It reads the receipt from the store, because
// another process may have signed the statement first.
func (r reference) Render(ctx context.Context, media, baseURL string) (*op.Document, error) {
	read, err := r.issuer.read(ctx, r.id)
	if err != nil {
		return nil, err
	}
	return storedReceipt{read}.Render(ctx, media, baseURL)
}

// storedReceipt is a receipt read from the store.
type storedReceipt struct{ *proof.Receipt }

var (
	_ op.Renderer    = reference{}
	_ op.Renderer    = storedReceipt{}
	_ proof.Receipts = (*Issuer)(nil)
)

var jwtType = []string{"application/jwt"}

// Render implements op.Renderer.
func (s storedReceipt) Render(_ context.Context, media, baseURL string) (*op.Document, error) {
	switch media {
	case "application/jwt":
		doc := op.NewDocument([]byte(s.JWT))
		doc.File = &op.File{Type: jwtType}
		return doc, nil
	case "application/pdf":
		page, err := drawPage(s.Receipt, baseURL)
		if err != nil {
			return nil, err
		}
		// The name does not contain the id, because the id alone gives access to the answer, and names of files are
		// passed on.
		name := fmt.Sprintf("receipt-%s-%s.pdf", s.Statement.Number(), s.Statement.Date)
		return op.NewFile(page, media, name), nil
	}

	return nil, fmt.Errorf("a receipt cannot be rendered as %s", media)
}

// statementIn returns the statement in one of our JWTs. It does not verify the signature, because the store is trusted.
func statementIn(jwt string) (proof.Statement, error) {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return proof.Statement{}, errors.New("it is not a JWT")
	}

	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return proof.Statement{}, err
	}

	var c struct {
		Statement proof.Statement `json:"statement"`
	}
	err = json.Unmarshal(text, &c)
	return c.Statement, err
}
