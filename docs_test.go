package rodata

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are no pages: %v", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w+…?`).FindAllString(string(text), -1) {
			prefix, begins := strings.CutSuffix(name, "…")
			if !begins {
				prefix += "\n"
			}
			if !strings.Contains(tests, " "+prefix) {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
}
