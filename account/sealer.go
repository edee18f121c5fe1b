package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Sealer encrypts stored data that must be readable later, so that a copy of the store alone does not reveal it. It
// uses AES-256-GCM with a key derived from the deployment's secret.
type Sealer struct{ aead cipher.AEAD }

// NewSealer derives a key for one purpose; each purpose has a different key.
func NewSealer(secret []byte, purpose string) Sealer {
	key := must(hkdf.Key(sha256.New, secret, nil, purpose, 32))
	return Sealer{must(cipher.NewGCMWithRandomNonce(must(aes.NewCipher(key))))}
}

// must panics on errors that cannot occur with a key of 32 bytes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Seal encrypts a text, with its name as additional data. The result differs each time.
func (s Sealer) Seal(name string, text []byte) []byte {
	return s.aead.Seal(nil, nil, text, []byte(name))
}

// Open decrypts the output of Seal with the same name.
func (s Sealer) Open(name string, content []byte) ([]byte, error) {
	text, err := s.aead.Open(nil, nil, content, []byte(name))
	if err != nil {
		return nil, fmt.Errorf("decrypting: %w; was the secret (RODATA_SECRET) changed?", err)
	}
	return text, nil
}

// SealJSON is Seal for a value encoded as JSON.
func (s Sealer) SealJSON(name string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return s.Seal(name, text), nil
}

// OpenJSON decrypts the output of SealJSON with the same name.
func (s Sealer) OpenJSON(name string, content []byte, v any) error {
	text, err := s.Open(name, content)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
