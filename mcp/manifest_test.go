package mcp

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/testkit"
)

// input is a value that a person enters before a client connects.
type input struct {
	Name, Description, Placeholder string
	IsRequired, IsSecret           bool
}

// TestManifest compares server.json, the manifest for the registry of MCP servers, with the registry's schema of
// 2025-12-11 for the members used (github.com/modelcontextprotocol/registry, read on 2026-11-20), and with this
// server's own metadata. .ci/manifest validates it against the schema itself.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("../server.json")
	testkit.NoError(t, err)

	var m struct {
		Schema                            string `json:"$schema"`
		Name, Title, Description, Version string
		Repository                        struct{ URL, Source string }
		Remotes                           []struct {
			Type, URL string
			Variables map[string]input
			Headers   []input
		}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	testkit.NoError(t, dec.Decode(&m))
	if m.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("$schema %s", m.Schema)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(m.Name) || len(m.Name) > 200 {
		t.Errorf("name %s", m.Name)
	}

	for name, text := range map[string]string{"title": m.Title, "description": m.Description} {
		if n := len([]rune(text)); n < 1 || n > 100 {
			t.Errorf("the %s has %d characters", name, n)
		}
	}

	if m.Title != serverInfo.Title || m.Version != api.Version {
		t.Errorf("%s %s is not %s %s", m.Title, m.Version, serverInfo.Title, api.Version)
	}
	if u, err := url.Parse(m.Repository.URL); err != nil || u.Scheme != "https" || m.Repository.Source != "github" {
		t.Errorf("repository %+v", m.Repository)
	}
	if len(m.Remotes) != 1 {
		t.Fatalf("%d remotes", len(m.Remotes))
	}

	remote := m.Remotes[0]
	if remote.Type != "streamable-http" || !regexp.MustCompile(`^https?://[^\s]+$`).MatchString(remote.URL) ||
		!strings.HasSuffix(remote.URL, Path) {
		t.Errorf("remote %+v", remote)
	}

	for _, hole := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(remote.URL, -1) {
		if v, known := remote.Variables[hole[1]]; !known || v.Description == "" || !v.IsRequired {
			t.Errorf("%s is not described", hole[0])
		}
	}

	if len(remote.Headers) != 1 || remote.Headers[0].Name != "Authorization" || !remote.Headers[0].IsSecret ||
		remote.Headers[0].IsRequired {
		t.Errorf("headers %+v", remote.Headers)
	}
}
