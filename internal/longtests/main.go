// Longtests lists the tests that behave differently in the long run: tests that read RODATA_TEST_LONG, and tests with
// limits that are looser under the race detector. It finds them in the source, so .ci/run repeats exactly these tests:
//
//	go run ./internal/longtests
//
// Each line is a package and the pattern for -run.
package main

import (
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	folders, err := testFolders(".")
	if err != nil {
		log.Fatal(err)
	}

	for _, folder := range folders {
		p, err := parse(os.DirFS(folder))
		if err != nil {
			log.Fatal(err)
		}
		if tests := p.longTests(); len(tests) > 0 {
			fmt.Printf("./%s ^(%s)$\n", filepath.ToSlash(folder), strings.Join(tests, "|"))
		}
	}
}

// testFolders returns the folders with tests, in order.
func testFolders(root string) ([]string, error) {
	var folders []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root &&
			(strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" || e.Name() == "node_modules"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			folders = append(folders, filepath.Dir(path))
		}

		return nil
	})
	slices.Sort(folders)
	return slices.Compact(folders), err
}
