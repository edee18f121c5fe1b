package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Seal keeps what has to be stored and read again unreadable to whoever has only a
// copy of the store: AES-256-GCM with a key made of the deployment's secret.
type Seal struct{ aead cipher.AEAD }

// NewSeal makes the seal for one purpose, which keeps its key apart from others
// that are made of the same secret.
func NewSeal(secret []byte, purpose string) (Seal, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		return Seal{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return Seal{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return Seal{aead}, err
}

// Close makes of a text what is stored of it, which only opens under the same name.
// It is never the same twice.
func (s Seal) Close(name string, text []byte) []byte {
	return s.aead.Seal(nil, nil, text, []byte(name))
}

// Open is the text again.
func (s Seal) Open(name string, content []byte) ([]byte, error) {
	text, err := s.aead.Open(nil, nil, content, []byte(name))
	if err != nil {
		return nil, fmt.Errorf("opening it: %w; was the secret (RODATA_SECRET) changed?", err)
	}
	return text, nil
}
