package mail

import (
	"encoding/json"

	"github.com/rodata/rodata/account"
)

// sealer encrypts queued mails, because the links in them are as good as passwords.
type sealer struct{ account.Sealer }

func newSealer(secret []byte) (sealer, error) {
	s, err := account.NewSealer(secret, "rodata outbox")
	return sealer{s}, err
}

// seal encrypts a message under its ID.
func (s sealer) seal(m Message) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return s.Seal(m.ID, text), nil
}

// open decrypts the message with an ID.
func (s sealer) open(id string, content []byte) (m Message, err error) {
	text, err := s.Open(id, content)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(text, &m)
	return m, err
}
