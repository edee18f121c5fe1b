package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBackup(t *testing.T) {
	admin, _ := runWithAdmin(t)
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args      []string
		want      string
		succeeded bool
	}{
		{[]string{"copy 1.db"}, "keep the secret", true},
		{[]string{"copy-2.db", "--json"}, `"bytes":`, true},
		{[]string{"copy-2.db"}, "exist", false},
		{nil, "takes one argument, <file>", false},
		{[]string{"a", "b"}, "2 were given", false},
	} {
		output, err := runOperator("backup", append(c.args, "--address", admin)...)
		if err != nil {
			output = err.Error()
		}
		if (err == nil) != c.succeeded || !strings.Contains(output, c.want) {
			t.Errorf("%v: got %q", c.args, output)
		}

		if err == nil {
			dir, _ := os.Getwd()
			file := filepath.Join(dir, c.args[0]) // the path given to the gateway, wherever it runs
			if _, err := os.Stat(file); err != nil || !strings.Contains(output, file) {
				t.Errorf("%v: %v, printed %q", c.args, err, output)
			}
		}
	}
}
