package housetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Without the database, the script reports that nothing was checked. It passes then, except with
// VULNERABILITIES=required, as for pushed commits and before a release.
func TestVulnerabilitiesThatAreNotChecked(t *testing.T) {
	t.Chdir(root)
	testkit.Must(os.Stat(".ci/vulnerabilities")) // so that the go command repeats the test when the script changes
	folder := t.TempDir()
	t.Setenv("GOVULNDB", "file://"+folder)
	for mode, want := range map[string]struct {
		passes bool
		reason string
	}{
		"":         {true, "\nThis is not a failure, because "},
		"required": {false, "\nThis is a failure, because VULNERABILITIES=required."},
	} {
		t.Setenv("VULNERABILITIES", mode)
		out, err := exec.CommandContext(t.Context(), ".ci/vulnerabilities", folder).CombinedOutput()
		if text := string(out); (err == nil) != want.passes || !strings.Contains(text, want.reason) ||
			!strings.Contains(text, "NOT CHECKED for known vulnerabilities: the database file://"+folder) {
			t.Errorf("%q: %v, %s", mode, err, text)
		}
	}

	if flow := testkit.Must(os.ReadFile(".github/workflows/ci.yml")); !strings.Contains(string(flow),
		"\n          VULNERABILITIES: required ") {
		t.Error("the workflow passes without the check")
	}
}
