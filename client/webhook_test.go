package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// The example of the Standard Webhooks libraries (github.com/standard-webhooks/standard-webhooks, their tests).
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime      = 1614265330
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestVerify(t *testing.T) {
	for name, c := range map[string]struct {
		header, value string // instead of the correct one
		body          string
		after         time.Duration
		want          error
	}{
		"as it was sent":     {},
		"four minutes later": {after: 4 * time.Minute},
		"signed with two":    {header: "webhook-signature", value: "v1,bm8= " + exampleSignature},
		"six minutes later":  {after: 6 * time.Minute, want: ErrTimestamp},
		"from the future":    {after: -6 * time.Minute, want: ErrTimestamp},
		"another body":       {body: `{"test": 2432232315}`, want: ErrSignature},
		"another id":         {header: "webhook-id", value: "msg_other", want: ErrSignature},
		"another time":       {header: "webhook-timestamp", value: "1614265331", want: ErrSignature},
		"another key":        {header: "webhook-signature", value: "v1,bm8=", want: ErrSignature},
		"another version": {header: "webhook-signature", value: strings.Replace(exampleSignature, "v1", "v2", 1),
			want: ErrSignature},
		"without a signature": {header: "webhook-signature", want: ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, err := NewVerifier(exampleSecret)
				testkit.NoError(t, err)

				<-time.After(time.Until(time.Unix(exampleTime, 0).Add(c.after)))
				header := make(http.Header)
				header.Set("webhook-id", exampleID)
				header.Set("webhook-timestamp", "1614265330")
				header.Set("webhook-signature", exampleSignature)
				if c.header != "" {
					header.Set(c.header, c.value)
				}

				body := exampleBody
				if c.body != "" {
					body = c.body
				}
				if err := v.Verify(header, []byte(body)); !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
			})
		})
	}
}

func TestSecrets(t *testing.T) {
	for _, wrong := range []string{"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64"} {
		if _, err := NewVerifier(wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func TestLargeMessage(t *testing.T) {
	v, err := NewVerifier(exampleSecret)
	testkit.NoError(t, err)

	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(strings.Repeat(" ", maxMessage+1)))
	if _, err := v.Event(r); !errors.Is(err, ErrSignature) {
		t.Errorf("got %v", err)
	}
}
