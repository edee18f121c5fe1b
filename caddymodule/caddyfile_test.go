package caddymodule_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/rodata/rodata/caddymodule"
)

var update = flag.Bool("update", false, "write what was found into the golden files")

// Each file of testdata is a Caddyfile and, below a line of dashes, the result: the configuration, or the error.
func TestCaddyfiles(t *testing.T) {
	t.Setenv("RODATA_TEST_STORE", "mysql://db.example/rodata")
	t.Setenv("RODATA_TEST_REDIS_URL", "redis://desk:hush-hush@cache.example/0/1")
	t.Setenv("RODATA_TEST_TEXT", "exemplu")
	t.Setenv("RODATA_TEST_SMTP", "smtp://desk:hush-hush@mail.example.ro:70000")
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}

	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".caddyfiletest")
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			input, want, _ := strings.Cut(string(content), "----------\n")
			got, failed := outcome(t, input)
			if failed != strings.HasPrefix(name, "bad_") {
				t.Errorf("failed: %v", failed)
			}

			if *update {
				if err := os.WriteFile(file, []byte(input+"----------\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}

			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// outcome returns the apps and handlers of the adapted configuration, or the error of parsing or checking it.
func outcome(t *testing.T, input string) (text string, failed bool) {
	t.Helper()
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(input),
		map[string]any{"filename": "Caddyfile"})
	if err != nil {
		return err.Error() + "\n", true
	}

	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			t.Errorf("warning: %s", w)
		}
	}

	var config caddy.Config
	if err := json.Unmarshal(adapted, &config); err != nil {
		t.Fatal(err)
	}

	if err := caddy.Validate(&config); err != nil {
		// The prefix names the module that requested the app first, which may vary.
		_, reason, _ := strings.Cut(err.Error(), "loading rodata app module: ")
		return reason + "\n", true
	}

	var indented bytes.Buffer
	if err := json.Indent(&indented, adapted, "", "  "); err != nil {
		t.Fatal(err)
	}

	return indented.String() + "\n", false
}
