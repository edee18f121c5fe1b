package rodata

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuides runs the examples of the site's guides against a sandbox: those of a
// console must print what stands below them, those of a shell must succeed. Pages, formulas
// and scripts are tested by the walks in site/browser. The guides in Romanian have the
// same examples, as a test of the site says.
func TestGuides(t *testing.T) {
	takesLong(t)
	guides, err := filepath.Glob("site/guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("there are no guides: %v", err)
	}

	var consoles, commands strings.Builder
	for _, path := range guides {
		if strings.HasSuffix(path, ".ro.md") {
			continue
		}

		guide, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

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
	// The reader puts a key of their own here; the sandbox has one.
	text := strings.ReplaceAll(commands.String(), "export RODATA_KEY=rodata_live_...\n", "")
	text = strings.ReplaceAll(text, readmeAddress, address)
	// All guides together ask more than an address may at once, and wait as Retry-After says.
	shell(t, strings.ReplaceAll(text, "curl ", "curl --silent --show-error --fail-with-body --retry 5 "))
}
