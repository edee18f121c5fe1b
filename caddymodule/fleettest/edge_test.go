package fleettest

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/process"
)

// edge is one edge: a process with a separate data directory, and a separate network to the shared servers.
type edge struct {
	whole           *testing.T // the test at whose end the process ends
	index           int
	program         string
	url, admin      string
	dir, data       string
	postgres, redis *wire
	env             []string
	printed         log
	*process.Process
}

// newEdge creates an edge without starting it. It ends with the test.
func newEdge(t *testing.T, f *fleet, index int) *edge {
	t.Helper()
	e := &edge{
		whole: t, index: index, program: product(t),
		url: "http://" + loopback.FreeAddress(), admin: loopback.FreeAddress(),
		dir: t.TempDir(), data: t.TempDir(),
		postgres: newWire(t, f.postgres.address), redis: newWire(t, strings.TrimPrefix(f.redis.URL(), "redis://")),
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("edge %d printed: %s", e.index, e.printed.String())
		}
	})
	testkit.NoError(t, os.WriteFile(filepath.Join(e.dir, "Caddyfile"), []byte(configuration(t)), 0o600))

	e.env = os.Environ()
	for name, url := range f.registries.Environment() {
		e.env = append(e.env, name+"="+url)
	}
	e.env = append(e.env, "CADDY_ADMIN="+e.admin, "XDG_DATA_HOME="+e.dir, "XDG_CONFIG_HOME="+e.dir,
		"RODATA_ADDRESS="+e.url, "RODATA_BIND=127.0.0.1", "RODATA_DATA_DIR="+e.data, "RODATA_SECRET="+secret,
		"RODATA_STORE="+f.postgres.url(e.postgres.address), "RODATA_REDIS=redis://"+e.redis.address,
		"RODATA_EDGES="+strconv.Itoa(edges), "RODATA_WEBHOOKS_PRIVATE=on",
		"RODATA_ANAF_URL="+f.authority.url)
	return e
}

// launch starts the process.
func (e *edge) launch(t *testing.T) {
	t.Helper()
	c := exec.Command(e.program, "run")
	c.Dir, c.Env, c.Stdout, c.Stderr = e.dir, e.env, &e.printed, &e.printed
	e.Process = process.Start(e.whole, c)
}

// start starts the process and returns its start-up time once it answers.
func (e *edge) start(t *testing.T) time.Duration {
	t.Helper()
	e.launch(t)
	return process.Healthy(t, e.url)
}

// awaitRedis waits until the edge considers Redis reachable, or unreachable.
func (e *edge) awaitRedis(t *testing.T, up bool) time.Duration {
	t.Helper()
	want := map[bool]string{true: "1", false: "0"}[up]
	return testkit.Until(t, "rodata_redis_up is "+want, func() bool { return e.metric("rodata_redis_up") == want })
}

// metric returns the value of a metric without labels, empty if it is unavailable.
func (e *edge) metric(name string) string {
	res, err := http.Get("http://" + e.admin + "/metrics")
	if err != nil {
		return ""
	}
	defer res.Body.Close()

	text, _ := io.ReadAll(res.Body)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}

	return ""
}

// log is the output of a process.
type log struct {
	mu       sync.Mutex
	text     bytes.Buffer
	switches []change
}

// change is the time at which an edge lost Redis or started without it, or reached it again.
type change struct {
	at   time.Time
	edge int
	away bool
}

// An edge's messages when Redis does not answer, when it does not answer while the edge starts, and when it does.
const (
	away  = "redis is down"
	alone = "redis is unreachable"
	here  = "redis is up"
)

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(p) {
		lost := bytes.Contains(line, []byte(away)) || bytes.Contains(line, []byte(alone))
		if lost || bytes.Contains(line, []byte(here)) {
			l.switches = append(l.switches, change{at: time.Now(), away: lost})
		}
	}

	return l.text.Write(p)
}

// String implements fmt.Stringer.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// changes returns an edge's changes of Redis, in order.
func (e *edge) changes() []change {
	e.printed.mu.Lock()
	defer e.printed.mu.Unlock()
	all := slices.Clone(e.printed.switches)
	for i := range all {
		all[i].edge = e.index
	}

	return all
}
