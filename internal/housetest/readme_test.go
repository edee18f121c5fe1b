package housetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// readmeAddress is the address in the documents' examples; tests replace it with an unused one.
const readmeAddress = "http://127.0.0.1:8080"

// readmeLines is the maximum length of the README in lines: the README persuades, and the pages in docs explain.
const readmeLines = 150

func TestReadmeIsShort(t *testing.T) {
	t.Chdir(root)
	if n := strings.Count(page(t, "README.md"), "\n"); n > readmeLines {
		t.Errorf("the README has %d lines, more than %d", n, readmeLines)
	}
}

func page(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	testkit.NoError(t, err)

	return string(text)
}

// TestGeneratedTables compares the generated tables of the docs with the code.
func TestGeneratedTables(t *testing.T) {
	t.Chdir(root)
	for _, c := range []struct{ path, name, table string }{
		{"docs/api.md", "operations", operationsTable()},
		{"docs/api.md", "faults", faultsTable()},
		{"docs/errors.md", "problems", problemsTable()},
	} {
		before := page(t, c.path)
		part := regexp.MustCompile(`(?s)(<!-- generated: ` + c.name + ` -->\n).*?(<!-- end -->)`)
		if !part.MatchString(before) {
			t.Fatalf("%s has no part %q", c.path, c.name)
		}

		text := part.ReplaceAllString(before, "${1}"+strings.ReplaceAll(c.table, "$", "$$")+"${2}")
		switch {
		case text == before:
		case !testkit.Update():
			t.Errorf("the table %q of %s is out of date; run go test ./internal/housetest -update", c.name, c.path)
		default:
			testkit.NoError(t, os.WriteFile(c.path, []byte(text), 0o644))
		}
	}
}

func problemsTable() string {
	var b strings.Builder
	b.WriteString("| `code` | Status | Meaning |\n|---|---|---|\n")
	for _, k := range problem.Kinds {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", k.Slug, k.Status, k.Meaning)
	}
	return b.String()
}

func operationsTable() string {
	var b strings.Builder
	b.WriteString("| operation | REST | tool | credits | parameters |\n|---|---|---|---|---|\n")
	for _, op := range api.Operations(api.Registries{}, metering.DefaultPlans(), system.About{}) {
		tool := "–"
		if op.Tool {
			tool = "`" + op.ToolID() + "`"
		}

		var parameters []string
		for _, p := range op.Params() {
			parameters = append(parameters, "`"+p.Name+"`")
		}

		fmt.Fprintf(&b, "| %s | `%s %s` | %s | %d | %s |\n", op.Title, op.Method, op.Path, tool, op.Cost,
			strings.Join(parameters, ", "))
	}

	return b.String()
}

func faultsTable() string {
	var b strings.Builder
	b.WriteString("| company | the gateway answers | because |\n|---|---|---|\n")
	for _, n := range standin.FaultNumbers {
		fmt.Fprintf(&b, "| `%d` | %d | %s |\n", n.CUI, n.Status, n.Happens)
	}

	return b.String()
}

// TestCommandsLong runs every command of the README and of docs/api.md: the sandbox is started, the other commands must
// succeed, and requests must be answered as printed.
func TestCommandsLong(t *testing.T) {
	t.Chdir(root)
	long.Only(t, "builds the binary and starts servers")
	binary := builtBinary(t)
	for _, path := range []string{"README.md", "docs/api.md"} {
		var requests strings.Builder
		for _, block := range regexp.MustCompile("(?s)```(sh|console)\n(.*?)```").FindAllStringSubmatch(page(t, path),
			-1) {
			language, text := block[1], block[2]
			switch {
			case language == "console":
				requests.WriteString(text)
			case strings.Contains(text, "rodata sandbox"):
				_, stop := startSandbox(t, binary)
				stop()
			case strings.Contains(text, readmeAddress):
				address, stop := startSandbox(t, binary)
				shell(t, strings.NewReplacer(readmeAddress, address, "curl ",
					"curl --silent --show-error --fail-with-body ").Replace(text))
				stop()
			case strings.Contains(text, "go test ./..."): // would run this test again
			case strings.Contains(text, "git clone"):
				shell(t, "cd "+t.TempDir()+"\n"+strings.Replace(text, repository, here(t)+" rodata", 1)+"ls README.md")
			default:
				shell(t, text)
			}
		}

		runConsole(t, binary, requests.String())
	}
}

// repository is the URL that the README clones; the test clones the current folder instead.
const repository = "https://github.com/rodata/rodata"

func here(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	testkit.NoError(t, err)

	return dir
}

// built is the folder with the binary; empty until a test needs it.
var built string

// builtBinary returns the path of the program, which is built once for all tests.
func builtBinary(t *testing.T) string {
	t.Helper()
	if built == "" {
		var err error
		if built, err = os.MkdirTemp("", "rodata-"); err != nil {
			t.Fatal(err)
		}

		shell(t, "go build -o "+built+"/rodata ./cmd/rodata")
	}

	return filepath.Join(built, "rodata")
}

func shell(t *testing.T, command string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", command).CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", command, err, out)
	}

	return out
}

// startSandbox starts the sandbox and waits until it answers. It sets RODATA_KEY to the sandbox's key. It uses the
// binary instead of go run, which does not forward signals.
func startSandbox(t *testing.T, binary string) (address string, stop func()) {
	t.Helper()
	address = "http://" + loopback.FreeAddress()
	data := t.TempDir()
	var log bytes.Buffer
	server := exec.Command(binary, "sandbox")
	server.Dir = t.TempDir()
	server.Stdout, server.Stderr = &log, &log
	server.Env = append(os.Environ(), "RODATA_ADDRESS="+address, "RODATA_BIND=127.0.0.1", "RODATA_DATA_DIR="+data,
		"XDG_DATA_HOME="+server.Dir, "XDG_CONFIG_HOME="+server.Dir)
	testkit.NoError(t, server.Start())

	stop = func() {
		server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			t.Errorf("the sandbox stopped with %v\n%s", err, &log)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		if res, err := http.Get(address + "/health"); err == nil {
			res.Body.Close()
			if key, err := os.ReadFile(filepath.Join(data, "sandbox-key")); err == nil {
				t.Setenv("RODATA_KEY", string(key))
			}
			return address, stop
		}

		select {
		case <-tick.C:
		case <-ctx.Done():
			server.Process.Kill()
			server.Wait()
			t.Fatalf("the sandbox does not answer at %s\n%s", address, &log)
		}
	}
}

// runConsole runs each command of a console block against a sandbox, and compares its output with the output shown
// below the command.
func runConsole(t *testing.T, binary, text string) {
	t.Helper()
	address, stop := startSandbox(t, binary)
	defer stop()
	text = strings.ReplaceAll("\n"+text, readmeAddress, address)
	for _, part := range strings.Split(text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		got := shell(t, strings.Replace(command, "curl ", "curl --silent --show-error ", 1))
		if diff := compareJSON(t, "", parse(t, command, []byte(want)), parse(t, command, got)); diff != "" {
			t.Errorf("%s\nthe answer differs from the page: %s\n%s", command, diff, got)
		}
	}
}

func parse(t *testing.T, command string, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}

	return v
}

// compareJSON describes a difference between two values, except in members that vary between runs.
func compareJSON(t *testing.T, at string, want, got any) string {
	t.Helper()
	for _, volatile := range []string{"retrievedAt", "asOf", "remaining", "dataThrough", "tookMs",
		"period", "receipt"} {
		if strings.HasSuffix(at, "."+volatile) && fmt.Sprintf("%T", want) == fmt.Sprintf("%T", got) {
			return ""
		}
	}

	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for name := range got {
			if _, ok := want[name]; !ok {
				return at + "." + name + " is not on the page"
			}
		}

		for name, value := range want {
			if diff := compareJSON(t, at+"."+name, value, got[name]); diff != "" {
				return diff
			}
		}

		return ""
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			return fmt.Sprintf("%s has %d items, not %d", at, len(got), len(want))
		}

		for i := range want {
			if diff := compareJSON(t, fmt.Sprintf("%s[%d]", at, i), want[i], got[i]); diff != "" {
				return diff
			}
		}

		return ""
	}

	if fmt.Sprint(want) != fmt.Sprint(got) {
		return fmt.Sprintf("%s is %v, not %v", at, got, want)
	}

	return ""
}
