package settings

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// TestTheSameUnknownPlaceholderIsReported checks that a configuration with several mistakes has one error message, so
// that two loads can be compared.
func TestTheSameUnknownPlaceholderIsReported(t *testing.T) {
	for range 50 {
		billing := Billing{StripeURL: "{unknown.a}", Series: "{unknown.b}", ReturnURL: "{unknown.c}"}
		if err := billing.resolve(caddy.NewReplacer()); err == nil || !strings.HasPrefix(err.Error(), "return_url: ") {
			t.Fatalf("billing: got %v", err)
		}

		auth := Auth{GitHub: &Provider{ID: "{unknown.a}"}, Google: &Provider{ID: "{unknown.b}"}}
		if err := auth.resolve(caddy.NewReplacer()); err == nil || !strings.HasPrefix(err.Error(), "github: ") {
			t.Fatalf("auth: got %v", err)
		}
	}
}
