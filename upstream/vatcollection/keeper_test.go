package vatcollection

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// server is a server of daily files, with the test's clock.
type server struct {
	mu    sync.Mutex
	files map[ro.Date]string // lines by day
	down  bool
	asked []string // days, with a = if the file was unchanged
}

func (s *server) Do(_ context.Context, q upstream.Request) (*upstream.Response, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(q.Path, "/static/10/Anaf/TVA_incasare/ultim_"), ".zip")
	at, err := time.Parse("20060102", name)
	if err != nil {
		return nil, err
	}

	day := ro.NewDate(at.Date())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, day.String()[5:])
	if s.down {
		return nil, &op.Failure{Registry: Name, Kind: op.TimedOut, Err: context.DeadlineExceeded}
	}

	text, ok := s.files[day]
	if !ok {
		return &upstream.Response{Status: http.StatusNotFound}, nil
	}

	etag := fmt.Sprintf("%q", fmt.Sprint(day, len(text)))
	if q.Header.Get("If-None-Match") == etag {
		s.asked[len(s.asked)-1] += "="
		return &upstream.Response{Status: http.StatusNotModified}, nil
	}

	return &upstream.Response{
		Status: http.StatusOK, Header: http.Header{"Etag": {etag}}, Body: archiveOf(nopTB{}, "istoric.txt", text),
	}, nil
}

// nopTB is for helpers that cannot fail.
type nopTB struct{ testing.TB }

func (nopTB) Helper() {}

// publish publishes the file of a day with a number of lines.
func (s *server) publish(day ro.Date, lines int) {
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "%d#9900000010#%d0101##20200101#20200101#I\n", i, 2013+i%10)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[day] = text.String()
}

// remove removes the file of a day.
func (s *server) remove(day ro.Date) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, day)
}

// fail makes the server fail, or answer again.
func (s *server) fail(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// take returns the days requested since the last call.
func (s *server) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.asked = nil }()
	return strings.Join(s.asked, " ")
}

// running is a register that is kept up to date, with its server.
type running struct {
	*Register
	*server
	logged bytes.Buffer
	dir    string
	stop   context.CancelFunc
}

// kept runs a test of a register at noon of 22 November 2026 in Bucharest, before anything is published.
func kept(t *testing.T, test func(t *testing.T, k *running)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		noon := time.Date(2026, time.November, 22, 12, 0, 0, 0, ro.Bucharest)
		<-time.After(time.Until(noon))
		k := &running{server: &server{files: map[ro.Date]string{}}, dir: t.TempDir()}
		test(t, k)
		k.stop()
	})
}

// open opens the register, stopping the previous one.
func (k *running) open(t *testing.T) {
	t.Helper()
	if k.stop != nil {
		k.stop()
		synctest.Wait()
	}

	k.Register = Open(Options{Host: k.server, Dir: k.dir, Logger: slog.New(slog.NewTextHandler(&k.logged, nil))})
	var ctx context.Context
	ctx, k.stop = context.WithCancel(t.Context())
	go k.Run(ctx)
	synctest.Wait()
}

// want checks the requests since the last call, and the loaded file.
func (k *running) want(t *testing.T, asked, held string, trouble Trouble) {
	t.Helper()
	day := ""
	if d := k.Day(); d != 0 {
		day = d.String()[5:]
	}
	if got := k.take(); got != asked || day != held || k.Status().Trouble != trouble {
		t.Errorf("requested %q, loaded %q, trouble %q; want %q, %q, %q", got, day, k.Status().Trouble, asked,
			held, trouble)
	}
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// nextCheck is the latest time of the next check.
const nextCheck = checkEvery + checkJitter + wakeEvery

var today = ro.NewDate(2026, time.November, 22)

func TestKeeper(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		k.publish(today-1, 20)
		k.open(t)
		k.want(t, "11-22 11-21", "11-21", None)
		pass(checkEvery - wakeEvery)
		k.want(t, "", "11-21", None)

		k.publish(today, 21)
		pass(nextCheck - checkEvery)
		k.want(t, "11-22", "11-22", None)
		pass(checkEvery) // after midnight at the earliest
		pass(checkJitter + wakeEvery)
		k.want(t, "11-23 11-22=", "11-22", None)
		if s := k.Status(); s.Rows != 21 || time.Since(s.Checked) > 2*checkJitter+3*wakeEvery ||
			s.Breaker != upstream.BreakerClosed {
			t.Errorf("the status is %+v", s)
		}
		if len(k.Periods(company)) == 0 || len(k.Periods(9_900_000_029)) != 0 {
			t.Error("the periods are not those of the file")
		}

		k.publish(today, 25) // again, with the same name
		pass(nextCheck)
		k.want(t, "11-23 11-22", "11-22", None)
		if s := k.Status(); s.Rows != 25 {
			t.Errorf("the status is %+v", s)
		}
	})
}

func TestRestart(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		k.publish(today, 20)
		k.open(t)
		k.want(t, "11-22", "11-22", None)
		pass(5 * time.Hour)
		k.open(t)
		k.want(t, "", "11-22", None)
		if len(k.Periods(company)) == 0 {
			t.Error("nothing is served after a restart")
		}

		pass(2*time.Hour + wakeEvery)
		k.want(t, "11-22=", "11-22", None)
	})
}

func TestNoFile(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		k.publish(today-8, 20) // too old
		k.open(t)
		const all = "11-22 11-21 11-20 11-19 11-18 11-17 11-16 11-15"
		k.want(t, all, "", Absent)
		if k.Periods(company) != nil {
			t.Error("there are periods without a file")
		}

		pass(firstRetry)
		k.want(t, all, "", Absent)
		pass(firstRetry)
		k.want(t, "", "", Absent)
		pass(firstRetry)
		k.want(t, all, "", Absent)
		if n := strings.Count(k.logged.String(), "level=ERROR"); n != 1 {
			t.Errorf("%d lines are logged: %s", n, &k.logged)
		}

		k.publish(today, 20)
		pass(4 * firstRetry)
		k.want(t, "11-22", "11-22", None)

		k.remove(today)
		pass(nextCheck)
		if s := k.Status(); s.Trouble != Absent || s.Day != today {
			t.Errorf("the status is %+v", s)
		}
	})
}

func TestFarFewerLines(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		k.publish(today-1, 21)
		k.open(t)
		k.take()
		k.publish(today, 9)
		pass(nextCheck)
		k.want(t, "11-22", "11-21", Refused)
		if s := k.Status(); s.Rows != 21 {
			t.Errorf("the status is %+v", s)
		}

		k.open(t) // the stored register is still good
		k.want(t, "11-22", "11-21", Refused)

		k.publish(today, 11)
		pass(nextCheck)
		k.want(t, "11-23 11-22", "11-22", None)
	})
}

func TestServerDown(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		k.publish(today, 20)
		k.fail(true)
		k.open(t)
		k.want(t, "11-22", "", Unreachable)
		pass(8 * firstRetry)
		k.want(t, "11-22 11-22 11-22", "", Unreachable)
		pass(8 * firstRetry)
		k.want(t, "11-22", "", Unreachable)
		if state := k.Status().Breaker; state != upstream.BreakerOpen && state != upstream.BreakerHalfOpen {
			t.Errorf("the breaker is %s", state)
		}

		k.fail(false)
		pass(lastRetry)
		k.want(t, "11-22", "11-22", None)
	})
}

// TestMidnight verifies that days are Bucharest's.
func TestMidnight(t *testing.T) {
	kept(t, func(t *testing.T, k *running) {
		pass(12*time.Hour - time.Second) // 21:59:59 UTC
		k.publish(today, 20)
		k.open(t)
		k.want(t, "11-22", "11-22", None)
		pass(time.Second)
		if _, err := k.newest(t.Context()); err != nil {
			t.Error(err)
		}

		k.want(t, "11-23 11-22=", "11-22", None)
	})
}
