package webhook

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// The Go client verifies and parses the messages sent here, even while a secret is being replaced.
func TestGoClientReadsMessages(t *testing.T) {
	before := newKeys()
	now := time.Now()
	after := before.rotate(now)
	company, changes := ro.CUI(9900000010), []monitoring.EventChange{{Type: monitoring.VATCancelled, Field: "vatPayer"}}
	sent := monitoring.Event{ID: "evt_1", Type: monitoring.VATCancelled, Timestamp: now,
		Data: monitoring.EventData{TaxID: &company, Changes: changes}}
	body := testkit.Must(bodyOf(sent))
	for name, secret := range map[string]string{"the old secret": before.text(), "the new secret": after.text()} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set("webhook-id", sent.ID)
		r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
		r.Header.Set("webhook-signature", after.sign(sent.ID, now, body))
		verifier := testkit.Must(client.NewVerifier(secret))
		event, err := verifier.Event(r)
		if err != nil || event.ID != sent.ID || *event.Data.TaxID != 9900000010 ||
			event.Data.Changes[0].Field != "vatPayer" {
			t.Errorf("%s: got %+v, %v", name, event, err)
		}
	}
}
