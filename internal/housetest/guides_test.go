package housetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// TestGuidesLong runs the examples of the site's guides against a sandbox. The commands in console blocks must print
// the output shown below them; the commands in other blocks must succeed. Pages, formulas and scripts are tested in
// site/browser. A test in package site checks that the Romanian guides have the same examples.
func TestGuidesLong(t *testing.T) {
	t.Chdir(root)
	long.Only(t, "builds the binary and starts servers")
	guides, err := filepath.Glob("site/guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("looking for guides: %v", err)
	}

	var consoles, commands strings.Builder
	for _, path := range guides {
		if strings.HasSuffix(path, ".ro.md") {
			continue
		}

		guide, err := os.ReadFile(path)
		testkit.NoError(t, err)

		for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
			switch block[1] {
			case "console":
				consoles.WriteString(block[2])
			case "sh", "text":
				commands.WriteString(block[2])
			}
		}
	}

	binary := builtBinary(t)
	runConsole(t, binary, consoles.String())

	address, stop := startSandbox(t, binary)
	defer stop()
	// Readers insert their own key here; startSandbox has set the sandbox's.
	text := strings.ReplaceAll(commands.String(), "export RODATA_KEY=rodata_live_...\n", "")
	text = strings.ReplaceAll(text, readmeAddress, address)
	// All guides together exceed the rate limit of an address, so curl waits as Retry-After says.
	shell(t, strings.ReplaceAll(text, "curl ", "curl --silent --show-error --fail-with-body --retry 5 "))
}
