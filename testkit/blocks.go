package testkit

import (
	"iter"
	"os"
	"strings"
	"testing"
)

// Blocks yields the blocks of a text file, which are separated by blank lines: the name in the comment that begins
// each, and its other lines.
func Blocks(t testing.TB, path string) iter.Seq2[string, string] {
	t.Helper()
	file := strings.TrimSpace(string(Must(os.ReadFile(path))))
	return func(yield func(name, lines string) bool) {
		for block := range strings.SplitSeq(file, "\n\n") {
			comment, lines, _ := strings.Cut(block, "\n")
			if !yield(strings.TrimPrefix(comment, "# "), lines) {
				return
			}
		}
	}
}
