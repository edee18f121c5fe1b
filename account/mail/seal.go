package mail

import (
	"encoding/json"

	"github.com/rodata/rodata/account"
)

// seal keeps what waits to be sent unreadable to whoever has only a copy of the
// store: the links in mails are as good as passwords.
type seal struct{ account.Seal }

func newSeal(secret []byte) (seal, error) {
	s, err := account.NewSeal(secret, "rodata outbox")
	return seal{s}, err
}

// close makes of a message what is stored of it, which only opens under its ID.
func (s seal) close(m Message) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return s.Close(m.ID, text), nil
}

func (s seal) open(id string, content []byte) (m Message, err error) {
	text, err := s.Open(id, content)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(text, &m)
	return m, err
}
