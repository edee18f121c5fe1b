package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

// byOperators makes operators open accounts.
func byOperators(g *gateway) { g.app()["auth"].(object)["sign_up"] = "closed" }

// named makes the site serve a host by name.
func named(host string) func(*gateway) {
	return func(g *gateway) {
		route := servers(g.config)["srv0"].(object)["routes"].([]any)[0].(object)
		route["match"].([]any)[0].(object)["host"] = []string{host}
		// Automatic HTTPS would request a certificate and modify the machine
		servers(g.config)["srv0"].(object)["automatic_https"] = object{"disable": true}
	}
}

// At the start, a log message warns operators if sign-up allows user enumeration, and names the remedy. There is no
// warning if sign-up does not allow it, or if other machines cannot reach the service.
func TestWarningOfOpenSignUp(t *testing.T) {
	server := mailserver.Start(t, mailserver.Options{})
	const address = "https://api.example.ro"
	g := start(t)
	shipped := g.config
	public := func(g *gateway) { g.app()["base_url"] = address }
	for name, c := range map[string]struct {
		changes []func(*gateway)
		warns   bool
	}{
		"on this machine":    {nil, false},
		"in public":          {[]func(*gateway){public}, true},
		"by the site's name": {[]func(*gateway){named("api.example.ro")}, true},
		"by a local name":    {[]func(*gateway){named("localhost")}, false},
		"with mail":          {[]func(*gateway){mailTo(server.Address()), public}, false},
		"closed":             {[]func(*gateway){public, byOperators}, false},
		"in a sandbox": {[]func(*gateway){public, func(g *gateway) {
			g.app()["environment"] = "sandbox"
		}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log.json")
			g.config = copied(t, shipped)
			for _, change := range append(c.changes, logTo(log)) {
				change(g)
			}

			g.reload(t)
			text, err := os.ReadFile(log)
			testkit.NoError(t, err)
			if n := strings.Count(string(text), "who has an account"); n != 0 != c.warns || n > 1 {
				t.Errorf("%d warnings in\n%s", n, text)
			}
		})
	}
}
