package housetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// What others build is named by its digest, so that nobody can replace it: the images of the deployments, except our
// own, and the actions of the workflow.
func TestImagesAndActionsArePinned(t *testing.T) {
	t.Chdir(root)
	named := regexp.MustCompile(`(?m)^\s*(?:- )?(?:FROM|image:|uses:) +(\S+)`)
	pinned := regexp.MustCompile(`@(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})$`)
	ours := regexp.MustCompile(`^(?:scratch|rodata|registry\.example\.ro/rodata:1)$`)
	found := 0
	for _, pattern := range []string{"deploy/*/*.yaml", "deploy/*/Dockerfile", ".github/workflows/*.yml"} {
		paths, err := filepath.Glob(pattern)
		testkit.NoError(t, err)

		for _, path := range paths {
			text, err := os.ReadFile(path)
			testkit.NoError(t, err)

			for _, name := range named.FindAllSubmatch(text, -1) {
				found++
				if !pinned.Match(name[1]) && !ours.Match(name[1]) {
					t.Errorf("%s names %s without a digest", path, name[1])
				}
			}
		}
	}

	if found < 10 {
		t.Errorf("only %d images and actions were found", found)
	}
}

// installs matches a command that installs npm packages past a lockfile.
var installs = regexp.MustCompile(`(?m)^[^#\n]*\bnpm (install|i|add)\b`)

// TestPackagesAreLocked finds npm packages that the checks would install without a verified content, and packages that
// they would install past a lockfile.
func TestPackagesAreLocked(t *testing.T) {
	t.Chdir(root)
	locks, err := filepath.Glob(".ci/packages/*/package-lock.json")
	testkit.NoError(t, err)
	if len(locks) < 10 {
		t.Errorf("only %d lockfiles were found", len(locks))
	}

	for _, path := range locks {
		var lock struct {
			Packages map[string]struct{ Integrity string }
		}
		testkit.NoError(t, json.Unmarshal(testkit.Must(os.ReadFile(path)), &lock))
		for name, locked := range lock.Packages {
			if name != "" && locked.Integrity == "" { // the folder itself has no name
				t.Errorf("%s has %s without integrity", path, name)
			}
		}
	}

	scripts, err := filepath.Glob(".ci/*")
	testkit.NoError(t, err)
	for _, path := range scripts {
		if text, err := os.ReadFile(path); err == nil && installs.Match(text) {
			t.Errorf("%s installs packages past .ci/npm", path)
		}
	}
}
