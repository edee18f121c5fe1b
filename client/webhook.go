package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verifier verifies messages that a gateway sends to a webhook, according to the Standard Webhooks specification
// (https://www.standardwebhooks.com).
type Verifier struct{ key []byte }

// NewVerifier returns a verifier for the secret that the gateway shows when a webhook is created or its secret rotated:
// whsec_ and base64.
func NewVerifier(secret string) (*Verifier, error) {
	text, prefixed := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !prefixed || err != nil || len(key) == 0 {
		return nil, errors.New("the secret of a webhook is whsec_ and base64; this one is not")
	}

	return &Verifier{key}, nil
}

// The errors of a message that cannot be trusted.
var (
	ErrSignature = errors.New("the message is not signed with the secret of this webhook")
	ErrTimestamp = errors.New("the message was sent more than 5 minutes ago, or the clocks differ")
)

const (
	// maxClockSkew is the maximum age of a message, and how far the sender's clock may be ahead.
	maxClockSkew = 5 * time.Minute
	// maxMessage is the maximum size of a message, in bytes. Messages of the gateway have fewer than 20,000 bytes.
	maxMessage = 64 << 10
)

// Verify checks the signature and the age of a message. The body must be the raw request body.
func (v *Verifier) Verify(header http.Header, body []byte) error {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	mac := hmac.New(sha256.New, v.key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	want := mac.Sum(nil)

	signed := false
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) {
		text, ok := strings.CutPrefix(signature, "v1,")
		got, err := base64.StdEncoding.DecodeString(text)
		if ok && err == nil && hmac.Equal(got, want) {
			signed = true
		}
	}

	if !signed || id == "" {
		return ErrSignature
	}

	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > maxClockSkew {
		return ErrTimestamp
	}

	return nil
}

// Event verifies and parses a message. The same event may be delivered more than once, with the same ID.
func (v *Verifier) Event(r *http.Request) (*Event, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err != nil {
		return nil, fmt.Errorf("reading the message: %w", err)
	}
	if len(body) > maxMessage {
		return nil, ErrSignature
	}
	if err := v.Verify(r.Header, body); err != nil {
		return nil, err
	}

	event := new(Event)
	if err := json.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("reading the message: %w", err)
	}

	return event, nil
}
