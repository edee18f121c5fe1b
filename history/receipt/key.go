package receipt

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"

	"github.com/go-jose/go-jose/v4"

	"github.com/rodata/rodata/api/proof"
)

// thumbprint returns the thumbprint of a public key (RFC 7638), which is its id.
func thumbprint(public ed25519.PublicKey) (string, error) {
	sum, err := (&jose.JSONWebKey{Key: public}).Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("computing the id of a key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// publish returns a key in its published form.
func publish(k StoredKey) proof.SigningKey {
	return proof.SigningKey{
		Type: "OKP", Curve: "Ed25519", X: base64.RawURLEncoding.EncodeToString(k.Public),
		ID: k.ID, Use: "sig", Algorithm: string(jose.EdDSA),
	}
}

// sign signs claims, a JSON object, as a JWT.
func sign(claims []byte, id string, private ed25519.PrivateKey) (string, error) {
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: private, KeyID: id}},
		new(jose.SignerOptions).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("preparing to sign: %w", err)
	}

	signed, err := signer.Sign(claims)
	if err != nil {
		return "", fmt.Errorf("signing: %w", err)
	}

	return signed.CompactSerialize()
}
