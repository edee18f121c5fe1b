package housetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestDocumentedTestsExist checks that every test named by a page exists. A name that ends in an ellipsis stands for
// all tests whose names begin with it; after a slash, a case of the test is named, or the file of a conversation.
func TestDocumentedTestsExist(t *testing.T) {
	t.Chdir(root)
	sources, err := exec.Command("git", "grep", "-h", `^func\|"`, "--", "*_test.go").Output()
	testkit.NoError(t, err)

	named := regexp.MustCompile(`\b((?:Test|Fuzz|Benchmark)[A-Z]\w+…?)(?:/(\w+))?`)
	for _, path := range pages(t) {
		for _, name := range named.FindAllStringSubmatch(page(t, path), -1) {
			function, begins := strings.CutSuffix(name[1], "…")
			if !begins {
				function += "("
			}
			exists := strings.Contains(string(sources), `"`+strings.ReplaceAll(name[2], "_", " "))
			if function == "TestConversations(" && name[2] != "" {
				files, err := exec.Command("git", "ls-files", "*/testdata/"+name[2]+".txt").Output()
				exists = err == nil && len(files) > 0
			}
			if !strings.Contains(string(sources), "func "+function) || !exists {
				t.Errorf("%s names %s, which does not exist", path, name[0])
			}
		}
	}
}

// TestDocumentedFilesExist checks that every file of Go with a folder that a page names exists.
func TestDocumentedFilesExist(t *testing.T) {
	t.Chdir(root)
	named := regexp.MustCompile("`([a-z][\\w-]*(?:/[\\w-]+)*/\\w+\\.go)`")
	for _, path := range pages(t) {
		for _, name := range named.FindAllStringSubmatch(page(t, path), -1) {
			if _, err := os.Stat(name[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", path, name[1])
			}
		}
	}
}

// TestLinksLead checks that every link of a page leads to an existing file and, if it has an anchor, to a heading of
// the file.
func TestLinksLead(t *testing.T) {
	t.Chdir(root)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)

	for _, path := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(page(t, path), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue // an absolute URL
			}

			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(page(t, file)), anchor) {
				t.Errorf("%s links to %s, but there is no such heading", path, found[1])
			}
		}
	}
}

// pages returns the paths of the project's documents.
func pages(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages match %s: %v", pattern, err)
		}

		paths = append(paths, found...)
	}

	return paths
}

// anchors returns the anchors that GitHub generates for the headings of a page.
func anchors(text string) (names []string) {
	dropped := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := dropped.ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
