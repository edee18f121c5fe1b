package mcp

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// The configurations in docs/mcp.md are valid for their programs.
func TestConnectionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/mcp.md")
	testkit.NoError(t, err)

	_, section, _ := strings.Cut(string(text), "\n## MCP clients\n")
	section, _, _ = strings.Cut(section, "\n## ")
	const endpoint = "https://api.example.ro" + Path
	for client, how := range map[string]string{
		"Claude (web, desktop, phone)": endpoint, "Claude Code": "claude mcp add --transport http rodata " + endpoint,
		"ChatGPT": endpoint,
		"Cursor":  `"mcpServers"`, "VS Code": `"type": "http"`,
		"clients that only start programs": "npx mcp-remote " + endpoint,
	} {
		_, row, found := strings.Cut(section, "\n| "+client+" | ")
		row, _, _ = strings.Cut(row, "\n")
		if !found || !strings.Contains(row, how) || strings.Count(row, "|") != 2 {
			t.Errorf("%s: %q does not say %s", client, row, how)
		}

		for _, shown := range regexp.MustCompile("`([{\"][^`]*[}])`").FindAllStringSubmatch(row, -1) {
			var configuration any
			member := strings.HasPrefix(shown[1], `"`) // to be put into an object
			if member {
				shown[1] = "{" + shown[1] + "}"
			}
			if err := json.Unmarshal([]byte(shown[1]), &configuration); err != nil ||
				!member && !strings.Contains(shown[1], `"`+endpoint+`"`) {
				t.Errorf("%s: %s %v", client, shown[1], err)
			}
		}
	}

	testkit.Contains(t, section, "curl")
}

// Each promise of docs/mcp.md names a test or a step. The tests of the docs find out whether those exist.
func TestEveryPromiseIsShown(t *testing.T) {
	text, err := os.ReadFile("../docs/mcp.md")
	testkit.NoError(t, err)

	_, table, _ := strings.Cut(string(text), "\n| promise | shown by |\n")
	rows := regexp.MustCompile(`(?m)^\| \d+\. .* \| (.*) \|$`).FindAllStringSubmatch(table, -1)
	if len(rows) != 37 {
		t.Errorf("%d promises", len(rows))
	}

	for _, row := range rows {
		if !regexp.MustCompile("`(?:Test|Fuzz|\\.ci/)").MatchString(row[1]) {
			t.Errorf("nothing shows it: %s", row[0])
		}
	}
}
