package rodata

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentedTestsExist promises that every test a page of docs/ names as evidence
// exists. A name that ends in an ellipsis stands for all that begin so.
func TestDocumentedTestsExist(t *testing.T) {
	sources, err := exec.Command("git", "grep", "-hoE", `^func (Test|Fuzz|Benchmark)\w+`, "--", "*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}

	tests := strings.ReplaceAll(string(sources), "func ", " ")

	for _, path := range pages(t) {
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w+…?`).FindAllString(page(t, path), -1) {
			prefix, begins := strings.CutSuffix(name, "…")
			if !begins {
				prefix += "\n"
			}
			if !strings.Contains(tests, " "+prefix) {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
	}
}

// TestLinksLead promises that every link of a page leads to a file that exists, and to a heading that the file has.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)

	for _, path := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(page(t, path), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, ":") {
				continue // of another host
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
				t.Errorf("%s links to %s, a heading that does not exist", path, found[1])
			}
		}
	}
}

// pages are the documents of the project.
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

// anchors are the names that a forge gives to the headings of a page.
func anchors(text string) (names []string) {
	dropped := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := dropped.ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
