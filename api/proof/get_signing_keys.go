package proof

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// SigningKeysPath is the conventional location of the keys.
const SigningKeysPath = "/.well-known/jwks.json"

// SigningKeys is a JSON Web Key Set (RFC 7517).
type SigningKeys struct {
	Keys []SigningKey `json:"keys" doc:"Every key that ever signed a receipt, and the next one; newest first."`
}

// SigningKey is a public key (RFC 8037).
type SigningKey struct {
	Type      string `json:"kty" doc:"OKP: an octet key pair."`
	Curve     string `json:"crv" doc:"Ed25519."`
	X         string `json:"x" doc:"The 32 bytes of the public key, base64url."`
	ID        string `json:"kid" doc:"The key's SHA-256 thumbprint (RFC 7638), as in the header of a JWT."`
	Use       string `json:"use" doc:"sig: it verifies signatures."`
	Algorithm string `json:"alg" doc:"EdDSA."`
}

// GetSigningKeys returns the operation get_signing_keys.
func GetSigningKeys(receipts Receipts) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_signing_keys", Method: "GET", Path: SigningKeysPath, Tag: tag.System,
		Title: "Get the signing keys",
		Description: "Public keys that verify receipts, as a JSON Web Key Set. Keys are never removed, so that every " +
			"receipt can be verified. Free, no key needed.",
		Errors: []*problem.Kind{problem.Unavailable},
	}, func(ctx context.Context, _ account.Caller, _ struct{}) (op.Answer[*SigningKeys], error) {
		answer, err := receipts.SigningKeys(ctx)
		return answer, Problem(ctx, err)
	})
}
