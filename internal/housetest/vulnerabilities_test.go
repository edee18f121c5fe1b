package housetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Without the database, the check for known vulnerabilities says that nothing was checked, and passes, except before a
// release and for what is pushed.
func TestVulnerabilitiesThatAreNotChecked(t *testing.T) {
	t.Chdir(root)
	testkit.Must(os.Stat(".ci/vulnerabilities")) // so that the go command repeats the test when the script changes
	folder := t.TempDir()
	t.Setenv("GOVULNDB", "file://"+folder)
	for mode, want := range map[string]struct {
		passes bool
		says   string
	}{
		"":         {true, "\nIt is no failure, because "},
		"required": {false, "\nIt is a failure, because VULNERABILITIES=required."},
	} {
		t.Setenv("VULNERABILITIES", mode)
		out, err := exec.CommandContext(t.Context(), ".ci/vulnerabilities", folder).CombinedOutput()
		if said := string(out); (err == nil) != want.passes || !strings.Contains(said, want.says) ||
			!strings.Contains(said, "NOT CHECKED for known vulnerabilities: the database file://"+folder) {
			t.Errorf("%q: %v, %s", mode, err, said)
		}
	}

	if flow := testkit.Must(os.ReadFile(".github/workflows/ci.yml")); !strings.Contains(string(flow),
		"\n          VULNERABILITIES: required ") {
		t.Error("the workflow passes without the check")
	}
}
