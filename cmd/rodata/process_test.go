package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/caddymodule"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/process"
	"github.com/rodata/rodata/testkit/standin"
)

// TestMain lets the tests run the program as a separate process: the test binary acts as the program if an environment
// variable says so.
func TestMain(m *testing.M) {
	if os.Getenv("RODATA_TEST_PROGRAM") != "" {
		main()
		return
	}

	os.Exit(m.Run())
}

// program is a running rodata with its shipped configuration, in an empty folder and with stand-ins.
type program struct {
	url, admin string
	dir, data  string
	bind       string   // the addresses to listen on, for the environment
	flags      []string // of the command run
	env        []string // added to the environment
	registries *standin.Registries
	*process.Process
}

func newProgram(t *testing.T, env ...string) *program {
	t.Helper()
	return &program{
		url: "http://" + loopback.FreeAddress(), admin: loopback.FreeAddress(), bind: "127.0.0.1", env: env,
		dir: t.TempDir(), data: t.TempDir(), registries: standin.For(t, standin.Options{}),
	}
}

// command is rodata with arguments, in the program's environment.
func (p *program) command(t *testing.T, args ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Dir = p.dir
	c.Env = os.Environ()
	for name, url := range p.registries.Environment() {
		c.Env = append(c.Env, name+"="+url)
	}
	c.Env = append(c.Env, "RODATA_TEST_PROGRAM=1", "CADDY_ADMIN="+p.admin, "XDG_DATA_HOME="+p.dir,
		"XDG_CONFIG_HOME="+p.dir,
		"RODATA_ADDRESS="+p.url, "RODATA_BIND="+p.bind, "RODATA_DATA_DIR="+p.data)
	c.Env = append(c.Env, p.env...)
	return c
}

// start runs the program until it answers.
func (p *program) start(t *testing.T) {
	t.Helper()
	p.launch(t)
	process.Healthy(t, p.url)
}

// launch runs the program until the test ends.
func (p *program) launch(t *testing.T) {
	t.Helper()
	p.Process = process.Start(t, p.command(t, append([]string{"run"}, p.flags...)...))
}

// read requests a path and reports whether it came from the cache.
func (p *program) read(t *testing.T, path string) (body string, hit bool) {
	t.Helper()
	res, err := http.Get(p.url + path)
	testkit.NoError(t, err)
	defer res.Body.Close()

	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d %s, %v", path, res.StatusCode, text, err)
	}

	return string(text), res.Header.Get("x-cache") == "HIT"
}

func companyPath(t *testing.T) string {
	t.Helper()
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	return "/v1/companies/" + companies[0].CUI.String()
}

// taxPart returns the tax authority's part of a company. The rest of the profile may change when the trade register is
// loaded in the meantime.
func taxPart(body string) string {
	_, part, _ := strings.Cut(body, `"legalForm"`)
	part, _, _ = strings.Cut(part, `"website"`)
	return part
}

// Stored answers survive kill -9: they are served without the registries.
func TestKilledAndStartedAgainLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	p := newProgram(t)
	p.start(t)
	const day = "/v1/fx-rates?date=2026-06-10&currency=EUR"
	before, _ := p.read(t, companyPath(t))
	rates, _ := p.read(t, day)
	<-time.After(500 * time.Millisecond) // up to 100 ms of companies may be lost, and writing takes its time

	p.Kill()
	http.DefaultClient.CloseIdleConnections()
	p.registries.ANAF.SetDown(true)
	p.registries.BNR.SetDown(true)
	asked := p.registries.ANAF.Requests().Requests
	p.start(t)

	after, hit := p.read(t, companyPath(t))
	if !hit || taxPart(after) != taxPart(before) {
		t.Errorf("got %s, a hit: %v; want %s", after, hit, before)
	}
	if after, hit := p.read(t, day); after != rates || !hit {
		t.Errorf("got %s, want %s", after, rates)
	}
	if n := p.registries.ANAF.Requests().Requests; n != asked {
		t.Errorf("the tax authority was asked %d times", n-asked)
	}
}

// A request in flight when the process is stopped is still answered.
func TestTerminationDrainsLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	p := newProgram(t)
	p.start(t)
	p.registries.ANAF.Queue(standin.Hang)
	status := make(chan int, 1)
	go func() {
		res, err := http.Get(p.url + companyPath(t))
		if err != nil {
			status <- 0
			return
		}

		res.Body.Close()
		status <- res.StatusCode
	}()
	testkit.Until(t, "the tax authority is queried", func() bool { return p.registries.ANAF.Requests().Requests == 1 })
	p.Signal(t, syscall.SIGTERM)

	testkit.Until(t, "it accepts no connection", func() bool { // it takes no new connections
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	p.registries.ANAF.Release()
	if got := <-status; got != http.StatusOK {
		t.Errorf("the request in flight got %d", got)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v, want exit code 0", err)
	}
}

// The log names the addresses and the configuration in readable form.
func TestRunSaysWhereItServes(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start(t)
	p.Signal(t, syscall.SIGTERM)

	p.Wait()
	printed := p.Output()
	for _, want := range []string{
		`"msg":"serving"`, `"rest":"` + p.url + `/v1"`, `"mcp":"` + p.url + `/mcp"`, `"pages":"` + p.url + `/"`,
		`"data_dir":"` + p.data + `"`, "the Caddyfile built into the program",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%s is not printed", want)
		}
	}

	if strings.Contains(printed, os.DevNull) {
		t.Errorf("%s is named in %s", os.DevNull, printed)
	}
}

// On a terminal, the same information is printed as text.
func TestAnnouncement(t *testing.T) {
	var out bytes.Buffer
	announce(&out, "Caddyfile", "/var/lib/rodata",
		[]caddymodule.Endpoint{{URL: "https://api.example.ro", REST: true, MCP: true, Pages: true}})
	for _, want := range []string{
		"serves https://api.example.ro\n", "  Pages           https://api.example.ro/\n",
		"  REST            https://api.example.ro/v1\n",
		"  MCP             https://api.example.ro/mcp\n", "  Data directory  /var/lib/rodata\n",
		"  Configuration   Caddyfile\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}

	out.Reset()
	if announce(&out, "Caddyfile", "/var/lib/rodata", nil); !strings.Contains(out.String(), "no site") {
		t.Errorf("without a site it says %s", &out)
	}
}

// Commands stop and reload a gateway and report what they did. A bad setting results in an error of one sentence.
func TestLifecycleCommandsLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	p := newProgram(t)
	p.start(t)
	bad := filepath.Join(p.dir, "bad.caddyfile")
	testkit.NoError(t, os.WriteFile(bad, []byte("{\n\trodata {\n\t\tenvironment {env.RODATA_DATA_DIR}\n\t}\n}\n"),
		0o600))

	for _, c := range []struct {
		words []string
		want  string
	}{
		{words: []string{"reload"}, want: "the gateway at " + p.admin +
			" serves with the Caddyfile built into the program\n"},
		{words: []string{"reload", "--config", bad, "--adapter", "caddyfile"},
			want: "Error: the configuration is not valid: environment: \"" + p.data +
				"\" is unknown; use production or sandbox (RODATA_DATA_DIR)\n"},
		{words: []string{"untrust", "--cert", "missing.pem"},
			want: "Error: accessing certificate file: stat missing.pem: no such file or directory\n"},
		{words: []string{"validate", "--config", "missing"},
			want: "Error: reading config from file: open missing: no such file or directory\n"},
		{words: []string{"run"}, want: "Error: another program listens on " + strings.TrimPrefix(p.url, "http://") +
			": stop it, or choose another address (RODATA_ADDRESS; CADDY_ADMIN for the admin API)\n"},
		{words: []string{"stop"}, want: "the gateway at " + p.admin + " is stopping\n"},
	} {
		output, err := p.command(t, c.words...).CombinedOutput()
		lines := strings.SplitAfter(string(output), "\n")
		printed := lines[max(0, len(lines)-2)] // the log is above
		if printed != c.want || (err != nil) != strings.HasPrefix(c.want, "Error") {
			t.Errorf("%v: got %v, %q, want %q", c.words, err, printed, c.want)
		}
	}

	if err := p.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}

	printed, err := p.command(t, "stop").CombinedOutput()
	if err == nil || !strings.HasPrefix(string(printed),
		"Error: no gateway answers at "+p.admin+" (connection refused); ") {
		t.Errorf("stopping it again: got %v, %s", err, printed)
	}
}

// setenv sets environment variables for the duration of a test.
func setenv(t *testing.T, variables map[string]string) {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
}
