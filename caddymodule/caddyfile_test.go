package caddymodule_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/rodata/rodata/caddymodule"
	"github.com/rodata/rodata/testkit"
)

// Each file of testdata/*.caddyfiletest is a Caddyfile and, below a line of dashes, its configuration.
func TestCaddyfiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}

	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			content, err := os.ReadFile(file)
			testkit.NoError(t, err)

			input, want, _ := strings.Cut(string(content), separator)
			got, failed := outcome(t, input)
			if failed {
				t.Fatal(got)
			}

			if testkit.Update() {
				write(t, file, input+separator+got)
			} else if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

const separator = "----------\n"

// Each case of testdata/mistakes.txt is an error that names the fix.
func TestMistakesInCaddyfiles(t *testing.T) {
	t.Setenv("RODATA_TEST_STORE", "mysql://db.example/rodata")
	t.Setenv("RODATA_TEST_REDIS_URL", "redis://desk:hush-hush@cache.example/0/1")
	t.Setenv("RODATA_TEST_TEXT", "exemplu")
	t.Setenv("RODATA_TEST_SMTP", "smtp://desk:hush-hush@mail.example.ro:70000")
	const file = "testdata/mistakes.txt"
	content, err := os.ReadFile(file)
	testkit.NoError(t, err)

	head, cases, _ := strings.Cut(string(content), "\n== ")
	updated := []string{head}
	for text := range strings.SplitSeq(cases, "\n== ") {
		name, rest, _ := strings.Cut(text, "\n")
		input, want, found := strings.Cut(rest, "=> ")
		if !found {
			t.Fatalf("%s: no error behind an arrow", name)
		}

		t.Run(name, func(t *testing.T) {
			got, failed := outcome(t, wholeCaddyfile(input))
			updated = append(updated, name+"\n"+input+"=> "+got)
			if !failed || !testkit.Update() && strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}

	if testkit.Update() {
		write(t, file, strings.Join(updated, "\n== "))
	}
}

// wholeCaddyfile puts options of the global option rodata into a Caddyfile. It returns a whole one as it is.
func wholeCaddyfile(options string) string {
	if strings.Contains(options, "\n:8080 {") || strings.HasPrefix(options, ":8080 {") {
		return options
	}

	var b strings.Builder
	for line := range strings.Lines(options) {
		b.WriteString("\t\t" + line)
	}

	return "{\n\trodata {\n" + b.String() + "\t}\n}\n:8080 {\n\trodata\n}\n"
}

func write(t *testing.T, file, content string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(file, []byte(content), 0o644))
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
	testkit.NoError(t, json.Unmarshal(adapted, &config))

	if err := caddy.Validate(&config); err != nil {
		// The prefix names the module that requested the app first, which may vary.
		_, reason, _ := strings.Cut(err.Error(), "loading rodata app module: ")
		return reason + "\n", true
	}

	var indented bytes.Buffer
	testkit.NoError(t, json.Indent(&indented, adapted, "", "  "))

	return indented.String() + "\n", false
}
