package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/internal/loopback"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// measureWeek runs the shipped program on a compressed clock: with the defaults, a week in an hour, in which the month
// and the year change. The site is the shipped one with TLS, the access log in a file, and accounts in PostgreSQL. It
// fails if an answer is wrong or missing, a charge is lost or invented, or if something that is due within the time
// does not happen: see the table that it prints at the end.
func measureWeek(f *flag.FlagSet) func(context.Context, *testbed) error {
	factor := f.Int("factor", 168, "speed of the clock, compared with the real one")
	from := f.String("start", "",
		"time on the clock at the start, as in RFC 3339. Default: a day and a half before the end of next month")
	rate := f.Int("rate", 100, "calls a second")
	duration := f.Duration("time", time.Hour, "how long, in real time")
	reload := f.Duration("reload", 5*time.Minute, "real time between two reloads")
	every := f.Duration("every", time.Minute, "real time between two lines")
	connections := f.Int("connections", 16, "number of callers at the same time")
	return func(ctx context.Context, _ *testbed) (err error) {
		start, err := weekStart(*from, time.Now())
		if err != nil {
			return err
		}

		w, err := newWeek(ctx, start, *duration, *factor)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()

		fmt.Printf("%s on a clock %d times as fast, from %s to %s: %d calls a second, %s, a reload every %s\n\n",
			*duration, *factor, w.start.Format(time.RFC3339), w.end.Format(time.RFC3339), *rate, mix, *reload)
		if err := w.run(ctx, schedule{*rate, *duration, *connections}, *every, *reload); err != nil {
			return errors.Join(err, w.explain())
		}

		return w.judge(ctx)
	}
}

// weekStart returns the start of the week: by default, a day and a half before the end of next month. It is not in the
// current month, because PostgreSQL does not use the compressed clock and the first partition is created for the
// current month.
func weekStart(flag string, now time.Time) (time.Time, error) {
	if flag == "" {
		return time.Date(now.UTC().Year(), now.UTC().Month()+2, 1, 0, 0, 0, 0, time.UTC).Add(-36 * time.Hour), nil
	}

	start, err := time.Parse(time.RFC3339, flag)
	if err != nil {
		return start, fmt.Errorf("-start: %w", err)
	}

	return start.UTC(), nil
}

// week is a gateway on a compressed clock, under load.
type week struct {
	soak
	*testbed
	*clock
	*ledger
	*certificates
	bank bankWatch

	start, end time.Time // on its clock
	published  time.Time // the trade register's next release
	after      *checker  // knows the answers with the next release
	secure     string    // the address with TLS
	accessLog  string
	logged     accessLog // before the load

	sent, answered atomic.Int64 // requests to the site during the load
	refreshes      refreshes
}

// weekTries is the maximum number of attempts per call. The gateway may close connections early, because its clock is
// fast.
const weekTries = 10

// releaseWithin is the maximum time from the publication of a release of the trade register until the gateway serves
// it. The gateway looks for a release every 24 to 25 hours and then loads it.
const releaseWithin = 26 * time.Hour

// newWeek builds the program, learns the answers, and starts a gateway whose clock shows start at that moment.
func newWeek(ctx context.Context, start time.Time, duration time.Duration, factor int) (_ *week, err error) {
	w := &week{clock: newClock(factor), start: start, certificates: new(certificates)}
	w.end = start.Add(w.real(duration))
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()

	// The newest complete release changes on the 4th.
	w.published = time.Date(start.Year(), start.Month(), 4, 0, 0, 0, 0, time.UTC)
	if !w.published.After(start) {
		w.published = w.published.AddDate(0, 1, 0)
	}

	if w.ledger, err = newLedger(ctx); err != nil {
		return nil, err
	}

	overlays, err := os.MkdirTemp("", "rodata-clock")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(overlays)

	overlay, err := clockOverlay(overlays, factor)
	if err != nil {
		return nil, err
	}

	w.testbed, err = newTestbed(ctx, upstreamtest.Options{
		Now: func() time.Time { return w.clock.now() }, PastUntil: releaseOf(w.published),
	}, "-overlay", overlay)
	if err != nil {
		return nil, err
	}

	if w.after, err = w.learnAt(ctx, w.published.Add(releaseWithin)); err != nil {
		return nil, fmt.Errorf("learning the answers with the next release: %w", err)
	}

	return w, w.launch(ctx)
}

// learnAt starts a gateway at a time and learns its answers.
func (w *week) learnAt(ctx context.Context, t time.Time) (*checker, error) {
	config := w.edited("later", quiet, map[string]string{"\trodata {\n": "\trodata {\n" + callers(0)})
	server, err := w.startAt(ctx, t, "later", config)
	if err != nil {
		return nil, err
	}

	later := newWeekChecker(w.companies)
	return later, errors.Join(later.learnSettled(ctx, server), server.stop())
}

// startAt sets the clock, and starts a gateway that follows it.
func (w *week) startAt(ctx context.Context, t time.Time, name, config string) (*server, error) {
	if err := w.clock.set(t); err != nil {
		return nil, err
	}

	w.testbed.environment = []string{w.clock.environment()}
	return w.caddy(ctx, name, config)
}

// launch starts the gateway at the start of the week.
func (w *week) launch(ctx context.Context) error {
	_, port, _ := strings.Cut(loopback.FreeAddress(), ":")
	w.secure, w.accessLog = "localhost:"+port, filepath.Join(w.folder, "access.log")
	name := "week"
	w.soak = soak{checker: newWeekChecker(w.companies), file: filepath.Join(w.folder, name+".caddyfile"),
		metrics: loopback.FreeAddress(), admin: loopback.FreeAddress(), tries: weekTries}
	config := w.edited(name, `
	admin `+w.admin+`
	persist_config off
	auto_https disable_redirects
	skip_install_trust
	local_certs
`,
		map[string]string{
			"{$RODATA_ADDRESS:localhost}": "https://" + w.secure + ", ADDRESS",
			"{env.RODATA_STORE}":          `"` + w.database + `"`,
			"\trodata {\n":                "\trodata {\n" + callers(0) + weekPlans,
			// The callers do not use the clock.
			"read_header 10s":  "read_header " + w.real(10*time.Second).String(),
			"read_body 30s":    "read_body " + w.real(30*time.Second).String(),
			"idle 5m":          "idle " + w.real(5*time.Minute).String(),
			"grace_period 10s": "grace_period " + w.real(10*time.Second).String(),
			"\trodata_log {\n": "\trodata_log {\n\t\toutput file " + w.accessLog +
				" {\n\t\t\troll_size 1MiB\n\t\t\troll_uncompressed\n\t\t\troll_keep 100000\n" +
				"\t\t\troll_keep_for 8760h\n\t\t}\n",
		}) + "http://" + w.metrics + " {\n\tmetrics\n}\n"

	var err error
	if w.server, err = w.startAt(ctx, w.start, name, config); err != nil {
		return err
	}
	if err := w.checker.learnSettled(ctx, w.server); err != nil {
		return err
	}
	if err := w.ledger.open(ctx, w); err != nil {
		return err
	}
	if err := w.trust(w.folder); err != nil {
		return err
	}

	w.logged, err = readAccessLog(w.accessLog)
	return err
}

// run makes the calls of a schedule, while it prints lines, reloads the configuration and watches the central bank.
func (w *week) run(ctx context.Context, plan schedule, every, reload time.Duration) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var beside, calling sync.WaitGroup
	beside.Go(func() { stop(w.watch(ctx, every)) })
	beside.Go(func() { stop(w.reload(ctx, reload, w.load)) })
	beside.Go(func() { w.watchBank(ctx) })

	due := make(chan time.Time, plan.rate)
	calling.Go(func() { plan.feed(ctx, time.Now(), due) })
	for i := range plan.connections {
		calling.Go(func() {
			if err := w.caller(ctx, uint64(i), due); err != nil {
				stop(err)
			}
		})
	}

	calling.Wait()
	stop(nil)
	beside.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}

	w.end = w.now()
	return nil
}

func (w *week) close() error {
	var errs []error
	if w.testbed != nil {
		errs = append(errs, w.testbed.close())
	}
	if w.ledger != nil {
		errs = append(errs, w.ledger.close())
	}

	return errors.Join(errs...)
}
