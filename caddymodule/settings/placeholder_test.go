package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
)

// TestTheSameUnknownPlaceholderIsReported checks that a configuration with several mistakes has one error message, so
// that two loads can be compared.
func TestTheSameUnknownPlaceholderIsReported(t *testing.T) {
	for range 50 {
		billing := Billing{StripeURL: "{unknown.a}", Series: "{unknown.b}", ReturnURL: "{unknown.c}"}
		err := billing.rows().Resolve(caddy.NewReplacer())
		if err == nil || !strings.HasPrefix(err.Error(), "return_url: ") {
			t.Fatalf("billing: got %v", err)
		}

		auth := Auth{GitHub: &Provider{ID: "{unknown.a}"}, Google: &Provider{ID: "{unknown.b}"}}
		if err := auth.rows().Resolve(caddy.NewReplacer()); err == nil || !strings.HasPrefix(err.Error(), "github: ") {
			t.Fatalf("auth: got %v", err)
		}
	}
}

// A setting that names a file needs its value: an empty one would generate a new secret, or open another store.
func TestFilesOfPlaceholders(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "blank": "\n", "full": "a secret of a file\n"} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}

	for name, valid := range map[string]bool{"empty": false, "blank": false, "missing": false, "full": true} {
		s := Settings{DataDir: dir, Secret: "{file." + filepath.Join(dir, name) + "}"}
		if err := s.Resolve(); (err == nil) != valid || !valid && !strings.HasPrefix(err.Error(), "secret: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A secret in the data directory with which the gateway would not start is not valid.
func TestSecretOfTheDataDirectory(t *testing.T) {
	s := Settings{DataDir: t.TempDir()}
	for _, valid := range []bool{true, false} {
		testkit.NoError(t, s.Resolve())
		if err := s.Validate(); (err == nil) != valid || !valid && !strings.Contains(err.Error(), "has 0 bytes") {
			t.Errorf("got %v", err)
		}
		testkit.NoError(t, os.WriteFile(filepath.Join(s.DataDir, "secret"), nil, 0o600))
	}
}
