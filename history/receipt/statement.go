package receipt

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/internal/jsontext"
)

// encode returns the statement in its signed form, without a final newline. The time is in whole seconds, because the
// precision of the record stores differs.
func encode(s proof.Statement) ([]byte, error) {
	s.RetrievedAt = s.RetrievedAt.UTC().Truncate(time.Second)
	text, err := jsontext.Encode(s)
	if err != nil {
		return nil, fmt.Errorf("encoding the statement about %s: %w", s.Subject(), err)
	}

	return text, nil
}

// idLetters encode 130 bits.
const idLetters = 26

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// idOf returns the receipt id of an encoded statement.
func idOf(statement []byte) proof.ReceiptID {
	sum := sha256.Sum256(statement)
	return proof.ReceiptID("rcp_" + idEncoding.EncodeToString(sum[:])[:idLetters])
}
