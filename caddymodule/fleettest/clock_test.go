package fleettest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// The clocks of two edges are wrong by an hour, one ahead and one behind. Charges are still exact. Callers still get no
// more than their rate limits, and registries no more requests than their pace, because both limits use the clock of
// Redis. Sessions and keys of one edge are valid at the others. No answer has an age below 0 or above an hour.
func TestClocks(t *testing.T) {
	wanted(t)
	if !long() {
		t.Skip("compiles the standard library anew: RODATA_TEST_FLEET=long runs it")
	}

	now := time.Now().UTC()
	if now.Add(2*time.Hour).Month() != now.Add(-2*time.Hour).Month() {
		t.Skip("the edges are in different months, and so are their credits")
	}

	program := productWithClock(t)
	f := start(t, func(e *edge) {
		e.program = program
		e.env = append(e.env, clockVariable+"="+[edges]string{"1h", "-1h", "0s"}[e.index])
	})
	f.skew = 2 * time.Hour
	for i, want := range []time.Duration{time.Hour, -time.Hour, 0} {
		if off := f.edges[i].clockOff(t); (off - want).Abs() > 5*time.Second {
			t.Fatalf("the clock of edge %d is %s off, want %s", i, off, want)
		}
	}

	l := f.load(t)
	l.crowd()
	for i := range f.edges {
		if i > 0 { // from one address, the edges together accept three sign-ins in ten seconds
			pause(11 * time.Second)
		}
		f.edges[i].visit(t, f.edges[(i+1)%edges], f.edges[(i+2)%edges])
	}

	for i, took := range l.doomed(t).revoke(t, revocationPromise+time.Second) {
		t.Logf("edge %d accepts a key for %s after it was revoked", i, took.Round(time.Millisecond))
	}

	pause(10 * time.Second)
	l.stop()
	for i := range f.edges {
		for _, k := range []kind{free, charged} {
			l.went(t, "all the time", k, i, l.began, time.Now(), http.StatusOK)
		}
		l.went(t, "all the time", unknown, i, l.began, time.Now(), http.StatusNotFound)
	}

	l.checkRate(t)
	l.checkPace(t)
	l.audit(t, 0)
}

// clockOff returns how far the edge's clock is ahead, according to its answers.
func (e *edge) clockOff(t *testing.T) time.Duration {
	t.Helper()
	res, err := http.Get(e.url + "/v1/status")
	testkit.NoError(t, err)
	defer res.Body.Close()

	var status struct{ Timestamp time.Time }
	testkit.NoError(t, json.NewDecoder(res.Body).Decode(&status))

	return time.Until(status.Timestamp)
}

// visit signs up at an edge, and uses the session, and a key created with it, at the others.
func (e *edge) visit(t *testing.T, others ...*edge) {
	t.Helper()
	person := `"email":"ana` + e.admin[len(e.admin)-5:] + `@exemplu.example","password":"o parolă lungă"}`
	signedUp := e.post(t, "/api/auth/sign-up/email", `{"name":"Ana Exemplu",`+person, "", http.StatusOK)
	cookie, _, _ := strings.Cut(signedUp.Header.Get("Set-Cookie"), ";")
	for _, other := range append(others, e) {
		other.post(t, "/v1/keys", `{"name":"exemplu"}`, cookie, http.StatusCreated)
		signedIn := other.post(t, "/api/auth/sign-in/email", "{"+person, "", http.StatusOK)
		if signedIn.Header.Get("Set-Cookie") == "" {
			t.Errorf("edge %d begins no session", other.index)
		}
	}
}

// post sends JSON like a page of the service.
func (e *edge) post(t *testing.T, path, body, cookie string, want int) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+path, strings.NewReader(body))
	testkit.NoError(t, err)

	r.Header = http.Header{"Content-Type": {"application/json"}, "Origin": {e.url}, "Cookie": {cookie}}
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if text, _ := io.ReadAll(res.Body); res.StatusCode != want {
		t.Errorf("edge %d: %s: got %d %s, want %d", e.index, path, res.StatusCode, text, want)
	}

	return res
}
