package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// keyBytes is the length of a secret. The specification requires 24 to 64 bytes.
	keyBytes = 32
	// overlap is the time for which a replaced secret still signs.
	overlap = 24 * time.Hour
	// maxKeys limits the signatures of a request, however often a secret is rotated in a day.
	maxKeys = 5
)

// key is a secret of a webhook.
type key struct {
	Secret []byte `json:"secret"`
	// Until is the time at which the key stops signing. It is zero for the current secret.
	Until time.Time `json:"until,omitzero"`
}

// keys are the secrets of a webhook, the current one first.
type keys []key

// newKeys returns one random secret.
func newKeys() keys {
	secret := make([]byte, keyBytes)
	_, _ = rand.Read(secret) // never fails
	return keys{{Secret: secret}}
}

// rotate prepends a random secret, and drops the secrets that no longer sign.
func (k keys) rotate(now time.Time) keys {
	all := newKeys()
	for _, old := range k.signingAt(now) {
		if old.Until.IsZero() {
			old.Until = now.Add(overlap)
		}
		all = append(all, old)
	}

	return all[:min(len(all), maxKeys)]
}

// signingAt returns the secrets that sign at a given time.
func (k keys) signingAt(now time.Time) keys {
	return slices.DeleteFunc(slices.Clone(k), func(one key) bool {
		return !one.Until.IsZero() && !one.Until.After(now)
	})
}

// text returns the current secret in the form for its owner.
func (k keys) text() string { return "whsec_" + base64.StdEncoding.EncodeToString(k[0].Secret) }

// oldUntil returns the time at which the last replaced secret stops signing. It is zero if no replaced secret signs.
func (k keys) oldUntil(now time.Time) time.Time {
	if signing := k.signingAt(now); len(signing) > 1 {
		return signing[1].Until
	}
	return time.Time{}
}

// sign returns the header webhook-signature of a body, with a signature for each secret.
func (k keys) sign(id string, at time.Time, body []byte) string {
	var header strings.Builder
	for _, one := range k.signingAt(at) {
		mac := hmac.New(sha256.New, one.Secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		if header.Len() > 0 {
			header.WriteByte(' ')
		}

		header.WriteString("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}

	return header.String()
}
