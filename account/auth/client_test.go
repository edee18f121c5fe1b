package auth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/testkit"
)

// TestOfficialClient runs every flow of the official JavaScript client against this server and against better-auth's
// own; the results must be the same. It needs Node, and the folder in which .ci/better-auth has installed the client.
func TestOfficialClient(t *testing.T) {
	dir := os.Getenv("RODATA_TEST_BETTER_AUTH")
	if dir == "" {
		t.Skip("RODATA_TEST_BETTER_AUTH does not name a folder with the better-auth client: .ci/better-auth installs it")
	}

	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed, which runs the better-auth client")
	}

	script := testkit.Must(os.ReadFile("testdata/client/flows.mjs"))
	// Node looks for packages beside the script, so a copy of it goes there.
	file := testkit.Must(os.CreateTemp(dir, "flows-*.mjs"))
	defer os.Remove(file.Name())

	if _, err := file.Write(script); err != nil || file.Close() != nil {
		t.Fatal(err)
	}

	run := exec.CommandContext(t.Context(), node, filepath.Base(file.Name()))
	run.Dir = dir
	run.Env = append(os.Environ(),
		"OPEN="+newSite(t, open).serveClient(t),
		"VERIFIED="+newSite(t, nil).serveClient(t))
	output, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "steps compared") {
		t.Errorf("%v\n%s", err, output)
	}

	t.Logf("%s", output)
}

// serveClient serves the site over HTTP and returns its address. It also lists the mailed links, in the form for
// clients that extract the token themselves. Mails are sent in the background, and the last one counts, so a request
// waits until those before it have sent theirs.
func (s *site) serveClient(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc(Path+"/", func(w http.ResponseWriter, r *http.Request) {
		s.tasks.running.Wait()
		s.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /test/mail", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(map[string]string{"url": wire(s.link(t, r.URL.Query().Get("to")))})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.BaseURL = func(*http.Request) string { return server.URL }
	s.Providers = []*provider.Provider{provider.NewGitHub(provider.Client{ID: "id", Secret: "secret"}),
		provider.NewGoogle(provider.Client{ID: "id", Secret: "secret"})}
	return server.URL
}
