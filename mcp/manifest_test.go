package mcp

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

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
		Schema         string `json:"$schema"`
		Title, Version string
		Repository     struct{ Source string }
		Remotes        []struct {
			Type, URL string
			Variables map[string]input
			Headers   []input
		}
	}
	testkit.NoError(t, json.Unmarshal(text, &m))
	if m.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("$schema %s", m.Schema)
	}
	checkCard(t, bytes.Replace(text, []byte(m.Schema), []byte(cardSchema), 1)) // which has the same members

	if m.Title != serverInfo.Title || m.Repository.Source != "github" || m.Version != api.Version ||
		len(m.Remotes) != 1 {
		t.Fatalf("%+v is not %s %s", m, serverInfo.Title, api.Version)
	}

	remote := m.Remotes[0]
	if remote.Type != "streamable-http" || !strings.HasSuffix(remote.URL, Path) {
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

const cardSchema = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"

// checkCard validates a document against the schema of server cards.
func checkCard(t *testing.T, document []byte) {
	t.Helper()
	text, err := os.ReadFile("testdata/server-card.schema.json")
	testkit.NoError(t, err)
	schema := new(jsonschema.Schema)
	testkit.NoError(t, json.Unmarshal(text, schema))
	resolved, err := schema.Resolve(nil)
	testkit.NoError(t, err)
	testkit.NoError(t, resolved.Validate(readObject(t, document)))
}

func TestServerCardIsValid(t *testing.T) {
	document, _ := discovery(cardPath, "http://rodata.example")
	checkCard(t, mustEncode(document))
}
