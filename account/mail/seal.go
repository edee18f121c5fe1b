package mail

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// seal keeps what waits to be sent unreadable to whoever has only a copy of the
// store: the links in mails are as good as passwords.
type seal struct{ cipher.AEAD }

// sealPurpose keeps this key apart from others that are made of the same secret.
const sealPurpose = "rodata outbox"

func newSeal(secret []byte) (seal, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, sealPurpose, 32)
	if err != nil {
		return seal{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return seal{aead}, err
}

// close makes of a message what is stored of it, which only opens under its ID.
func (s seal) close(m Message) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return s.Seal(nil, nil, text, []byte(m.ID)), nil
}

func (s seal) open(id string, content []byte) (m Message, err error) {
	text, err := s.Open(nil, nil, content, []byte(id))
	if err != nil {
		return m, fmt.Errorf("opening it: %w; was the secret (RODATA_SECRET) changed?", err)
	}
	err = json.Unmarshal(text, &m)
	return m, err
}
