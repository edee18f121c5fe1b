package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Sealer encrypts what is stored and must be read again, so that a copy of the store alone does not reveal it. It uses
// AES-256-GCM with a key derived from the deployment's secret.
type Sealer struct{ aead cipher.AEAD }

// NewSealer derives the key for one purpose, which differs from the keys that the same secret gives for others.
func NewSealer(secret []byte, purpose string) (Sealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		return Sealer{}, err
	}

	block, err := aes.NewCipher(key)
	if err != nil {
		return Sealer{}, err
	}

	aead, err := cipher.NewGCMWithRandomNonce(block)
	return Sealer{aead}, err
}

// Seal encrypts a text, with its name as additional data. The result differs each time.
func (s Sealer) Seal(name string, text []byte) []byte {
	return s.aead.Seal(nil, nil, text, []byte(name))
}

// Open decrypts what Seal made of a text with the same name.
func (s Sealer) Open(name string, content []byte) ([]byte, error) {
	text, err := s.aead.Open(nil, nil, content, []byte(name))
	if err != nil {
		return nil, fmt.Errorf("decrypting: %w; was the secret (RODATA_SECRET) changed?", err)
	}
	return text, nil
}
