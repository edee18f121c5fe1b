package blackbox

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
)

// withAdmin opens the admin API on a separate port.
func withAdmin(t *testing.T, admin *gateway) func(*gateway) {
	return func(g *gateway) {
		address := loopback.FreeAddress()
		*admin = gateway{url: "http://" + address, registries: g.registries}
		g.config["admin"] = object{"listen": address, "config": object{"persist": false}}
	}
}

// logTo has all logs written to a file.
func logTo(file string) func(*gateway) { return writeLogs(object{"output": "file", "filename": file}) }

// stop ends the gateway, after which its logs are complete.
func (g *gateway) stop(t *testing.T) {
	t.Helper()
	testkit.NoError(t, caddy.Stop())
}

// accessLog stops the gateway, and returns the lines of its access log.
func (g *gateway) accessLog(t *testing.T, file string) (lines []object) {
	t.Helper()
	g.stop(t)
	logged, err := os.ReadFile(file)
	testkit.NoError(t, err)

	for text := range bytes.Lines(logged) {
		var line object
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if line["logger"] == "rodata.access" {
			lines = append(lines, line)
		}
	}

	return lines
}

// Options that the Caddyfile shows commented out are accepted when enabled.
func TestShippedOptionsAreValid(t *testing.T) {
	on := regexp.MustCompile(`(?m)^(\t*)#(?:\t|([a-z}:]))`).ReplaceAll(rodata.Caddyfile, []byte("$1$2"))
	for _, option := range []string{
		"base_url", "anonymous", "plan pro", "companies", "breaker", "fill_every", "path", "trusted_proxies static",
		"metrics", "allowed_origins",
	} {
		if !regexp.MustCompile(`(?m)^\t+` + option).Match(on) {
			t.Errorf("%s is not shown", option)
		}
	}

	if _, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(on, map[string]any{"filename": "Caddyfile"}); err != nil {
		t.Error(err)
	}
}
