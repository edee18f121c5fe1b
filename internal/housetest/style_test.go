package housetest

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/testkit"
)

// longestLine is the longest line of code in characters, where a tab counts as four.
const longestLine = 120

// TestLinesAreShort allows longer lines only for long string literals, such as struct tags, JSON and sentences that are
// easier to find whole.
func TestLinesAreShort(t *testing.T) {
	t.Chdir(root)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}

		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		texts := linesWithTexts(source)
		for i, line := range bytes.Split(source, []byte("\n")) {
			if n := columns(string(line)); n > longestLine && !texts[i+1] {
				t.Errorf("%s:%d has %d columns, more than %d", path, i+1, n, longestLine)
			}
		}

		return nil
	})
	testkit.NoError(t, err)
}

// columns returns the width of a line.
func columns(line string) int { return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) }

// linesWithTexts returns the numbers of the lines that contain a part of a long string literal.
func linesWithTexts(source []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := make(map[int]bool)
	for {
		pos, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return lines
		case token.STRING:
			if len(text) < longestLine/3 && text[0] == '"' {
				continue
			}

			first := file.Line(pos)
			for n := range 1 + strings.Count(text, "\n") {
				lines[first+n] = true
			}
		}
	}
}
