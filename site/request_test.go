package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/site/samples"
	"github.com/rodata/rodata/testkit"
)

// sampleRequests returns the requests of all operations, and some requests with texts that are hard to quote.
func sampleRequests(t *testing.T) []samples.Request {
	t.Helper()
	var all []samples.Request
	for _, section := range newSite(t).shell.Sections {
		for _, o := range section.Operations {
			all = append(all, o.Request())
		}
	}

	hard := "it's \"quoted\" \\ $HOME `x` ${y} #{z} %s <b>&amp; ș🙂\n\ttab"
	object := string(must(json.Marshal(map[string]any{"text": hard, "list": []any{1, true, false, nil, "'"},
		"object": map[string]any{"a": 1.5}})))
	return append(all,
		samples.Request{Method: "POST", URL: exampleAddress + "/hard", Key: true, Type: "application/json",
			Body: object, Answer: samples.JSON},
		samples.Request{Method: "POST", URL: exampleAddress + "/hard", Type: "text/plain", Body: hard,
			Answer: samples.Text},
		samples.Request{Method: "GET", URL: exampleAddress + "/hard?q=it%27s%20%22%24x%60", Key: true, KeyNeeded: true,
			Answer: samples.Text},
	)
}

// sent is a request of a sample as it arrived.
type sent struct {
	Method, URL, Authorization, Type string
	Body                             any
}

// expected is what a request must send.
func expected(r samples.Request, withKey bool) sent {
	s := sent{Method: r.Method, URL: strings.TrimPrefix(r.URL, exampleAddress), Type: r.Type,
		Body: bodyOf(r.Type, []byte(r.Body))}
	if r.Key && withKey {
		s.Authorization = "Bearer rodata_live_..."
	}
	return s
}

func bodyOf(media string, text []byte) any {
	var value any
	if media == "application/json" && json.Unmarshal(text, &value) == nil {
		return value
	}
	return string(text)
}

// sampleServer keeps the requests that arrive.
type sampleServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

func newSampleServer(t *testing.T) *sampleServer {
	s := new(sampleServer)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}

		media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, sent{r.Method, r.RequestURI, r.Header.Get("Authorization"), media, bodyOf(media, body)})
		fmt.Fprint(w, `{"ok": true}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// node runs JavaScript.
var node = cmp.Or(os.Getenv("RODATA_NODE"), "node")

// interpreters run all samples of a language in one process, one after the other.
var interpreters = []struct {
	id, file string
	tool     []string // a command that fails if the language is not installed
	run      func(folder string, files []string) *exec.Cmd
}{
	{"sh", "%d.sh", []string{"curl", "--version"}, func(_ string, files []string) *exec.Cmd {
		return exec.Command("sh", append([]string{"-c", "set -e; for file; do sh -e $file; done", "sh"}, files...)...)
	}},
	{"js", "%d.mjs", []string{node, "--version"}, func(folder string, files []string) *exec.Cmd {
		all := filepath.Join(folder, "all.mjs")
		check(os.WriteFile(all, []byte("for (const file of "+string(must(json.Marshal(files)))+
			") await import('./' + file);"), 0o600))
		return exec.Command(node, all)
	}},
	{"python", "%d.py", []string{"python3", "--version"}, func(_ string, files []string) *exec.Cmd {
		return exec.Command("python3", append([]string{"-c",
			"import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)"}, files...)...)
	}},
	{"php", "%d.php", []string{"php", "-r", "curl_version();"}, func(_ string, files []string) *exec.Cmd {
		return exec.Command("php", append([]string{"-r",
			"error_reporting(E_ALL); foreach (array_slice($argv, 1) as $file) { (function () use ($file) { require " +
				"$file; })(); }", "--"}, files...)...)
	}},
}

// TestSamplesSendTheirRequest runs the samples of every operation, with and without a key.
func TestSamplesSendTheirRequest(t *testing.T) {
	if os.Getenv("RODATA_TEST_SAMPLES") == "" {
		t.Skip("starts hundreds of programs: .ci/clients sets RODATA_TEST_SAMPLES, and installs the interpreters")
	}

	requests := sampleRequests(t)
	for _, lang := range interpreters {
		t.Run(lang.id, func(t *testing.T) {
			if out, err := exec.Command(lang.tool[0], lang.tool[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", lang.tool, err, out)
			}

			for _, withKey := range []bool{true, false} {
				server, folder := newSampleServer(t), t.TempDir()
				var files []string
				for i, r := range requests {
					files = append(files, fmt.Sprintf(lang.file, i))
					writeSample(t, filepath.Join(folder, files[i]), sampleIn(t, r, lang.id, withKey), server.URL)
				}

				command := lang.run(folder, files)
				command.Dir = folder
				if out, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}

				server.saw(t, requests, withKey)
			}
		})
	}
}

// TestGoSamples checks that samples in Go are formatted and, if RODATA_TEST_SAMPLES is set, builds and runs them as one
// program.
func TestGoSamples(t *testing.T) {
	requests := sampleRequests(t)
	server, folder := newSampleServer(t), t.TempDir()
	var calls strings.Builder
	for i, r := range requests {
		for _, withKey := range []bool{true, false} {
			code := sampleIn(t, r, "go", withKey)
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s %s is not as gofmt formats it: %v\n%s", r.Method, r.URL, err, code)
			}
		}

		name := fmt.Sprintf("main%d", i)
		code := strings.Replace(sampleIn(t, r, "go", true), "func main()", "func "+name+"()", 1)
		writeSample(t, filepath.Join(folder, name+".go"), code, server.URL)
		fmt.Fprintf(&calls, "\t%s()\n", name)
	}

	if os.Getenv("RODATA_TEST_SAMPLES") == "" {
		return // compiling takes seconds
	}

	writeSample(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() {\n"+calls.String()+"}\n", "")
	writeSample(t, filepath.Join(folder, "go.mod"), "module samples\n\ngo 1.24\n", "")
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		command := exec.Command("go", args...)
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}

	server.saw(t, requests, true)
}

// TestSampleFiles writes the samples in C# for .ci/clients, which parses them.
func TestSampleFiles(t *testing.T) {
	folder := os.Getenv("RODATA_TEST_SAMPLES")
	if folder == "" {
		t.Skip("RODATA_TEST_SAMPLES names no folder: .ci/clients sets it, and parses what is written there")
	}

	for i, r := range sampleRequests(t) {
		for _, withKey := range []bool{true, false} {
			writeSample(t, filepath.Join(folder, fmt.Sprintf("%d-%t.cs", i, withKey)),
				sampleIn(t, r, "csharp", withKey), exampleAddress)
		}
	}
}

// saw compares the requests that arrived with the expected ones.
func (s *sampleServer) saw(t *testing.T, requests []samples.Request, withKey bool) {
	t.Helper()
	if len(s.seen) != len(requests) {
		t.Fatalf("%d requests arrived of %d", len(s.seen), len(requests))
	}

	for i, r := range requests {
		if want := expected(r, withKey); !reflect.DeepEqual(s.seen[i], want) {
			t.Errorf("%s %s:\n%#v arrived, not\n%#v", r.Method, r.URL, s.seen[i], want)
		}
	}
}

func sampleIn(t *testing.T, r samples.Request, id string, withKey bool) string {
	t.Helper()
	for _, s := range samples.All(r) {
		if s.ID == id && withKey {
			return s.Code.With()
		} else if s.ID == id {
			return s.Code.Without()
		}
	}

	t.Fatalf("there are no samples in %s", id)
	return ""
}

func writeSample(t *testing.T, path, code, address string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(code, exampleAddress, address)), 0o600))
}

// The reference has neither the operations for operators nor the route for Stripe's events.
func TestReferenceIsForVisitors(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/docs/api", "/docs/api.md"} {
		for _, route := range []string{"/v1/billing/webhook", "receive_stripe_event", "get_health"} {
			if strings.Contains(get(s, path).Body.String(), route) {
				t.Errorf("%s has %s", path, route)
			}
		}
	}

	if s.files["/docs/api/get_health"].bodies != nil {
		t.Error("a probe has a page")
	}
}
