package blackbox

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// mailTo makes the gateway send its mail to a server at an address.
func mailTo(address string) func(*gateway) {
	return func(g *gateway) {
		g.app()["base_url"] = g.url
		g.app()["mail"] = object{
			"smtp": "smtp://" + address, "from": "desk@api.example.ro", "contact_to": "operators@example.com",
		}
	}
}

const (
	wellFormed = `{"name":"Ana Exemplu","email":"ana@example.ro","message":"Bună ziua,\nștiți de ce?"}`
	thanks     = `{"ok":true}`
)

// write sends a message, with one additional header.
func (g *gateway) write(t *testing.T, body, name, value string) answer {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json"}
	if name != "" {
		header[name] = value
	}

	return g.do(t, "POST", "/v1/contact", request{body: body, header: header})
}

// reload loads the configuration again, and closes the connections that this ends.
func (g *gateway) reload(t *testing.T) {
	t.Helper()
	testkit.NoError(t, g.load())

	http.DefaultClient.CloseIdleConnections()
}

// In the sandbox, a developer finds the mails in the log.
func TestMailOfASandboxIsLogged(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	g := start(t, logTo(log), func(g *gateway) {
		g.app()["environment"] = "sandbox"
		g.app()["mail"] = object{"contact_to": "operators@example.com"}
	})
	g.write(t, wellFormed, "", "")
	var logged []byte
	testkit.Until(t, "the mail is in the log", func() bool {
		logged, _ = os.ReadFile(log)
		return strings.Contains(string(logged), "would have been sent")
	})
	if !strings.Contains(string(logged), "știți de ce?") {
		t.Errorf("the log does not say what is in the mail:\n%s", logged)
	}
}
