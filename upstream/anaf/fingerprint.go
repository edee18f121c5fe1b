package anaf

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"slices"
)

// requestedDay is the member with the day for which a record was requested: date_generale.data.
var requestedDay = regexp.MustCompile(`"data":"\d{4}-\d\d-\d\d",?`)

// Fingerprint identifies the content of a record: half of the SHA-256 of its text. Two records have the same
// fingerprint if they differ only in the requested day or in white space.
func (r *Record) Fingerprint() ([16]byte, error) {
	if r.fingerprint != nil {
		return *r.fingerprint, nil
	}

	raw, err := r.Raw()
	if err != nil {
		return [16]byte{}, err
	}

	return fingerprintOf(raw)
}

func fingerprintOf(raw []byte) ([16]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return [16]byte{}, err
	}

	text := compact.Bytes()
	if at := requestedDay.FindIndex(text); at != nil {
		text = slices.Delete(text, at[0], at[1])
	}

	sum := sha256.Sum256(text)
	return [16]byte(sum[:16]), nil
}
