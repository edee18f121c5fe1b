package receipt

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
)

// encode returns the statement as it is signed, without a final newline. The instant is in whole seconds, because the
// stores of records do not agree on fractions.
func encode(s api.Statement) ([]byte, error) {
	s.RetrievedAt = s.RetrievedAt.UTC().Truncate(time.Second)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encoding the statement about %s: %w", s.Subject(), err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// idLetters are 130 bits.
const idLetters = 26

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// idOf is the id of the receipt of an encoded statement.
func idOf(statement []byte) api.ReceiptID {
	sum := sha256.Sum256(statement)
	return api.ReceiptID("rcp_" + idEncoding.EncodeToString(sum[:])[:idLetters])
}
