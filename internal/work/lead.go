package work

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rodata/rodata/internal/database"
)

// LeaseTime is how long a lease lasts. When its holder dies, another process takes over after at most that time.
const LeaseTime = 30 * time.Second

// Leases are exclusive rights in a fleet: at any time, at most one process holds a lease.
type Leases interface {
	// Take acquires or renews the named lease until a time, and reports whether this process holds it.
	Take(ctx context.Context, name string, now, until time.Time) (bool, error)
	// End releases the named lease if this process holds it.
	End(ctx context.Context, name string) error
}

// Lead calls a function whenever this process holds a lease, until the context ends. The function's context ends with
// the lease: at once when another process has taken it, and before it expires when the store cannot be reached. The
// lease is renewed after a third of its duration. When the function returns early, it is called again at the next
// renewal.
//
// Within a process, several calls with the same leases and name lead one at a time: after a reload, the new leader
// starts when the old one has ended. Leases must be comparable.
func Lead(ctx context.Context, leases Leases, name string, lasting time.Duration, log *slog.Logger,
	lead func(context.Context)) {
	turn, _ := turns.LoadOrStore(leaseKey{leases, name}, make(chan struct{}, 1))
	select {
	case turn.(chan struct{}) <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-turn.(chan struct{}) }()

	l := &leader{leases: leases, name: name, lasting: lasting, log: log, lead: lead}
	defer l.end(context.WithoutCancel(ctx))
	tick := time.NewTicker(lasting / 3)
	defer tick.Stop()
	for ctx.Err() == nil {
		l.renew(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// turns ensures that only one leader of each lease works at a time in this process. The store cannot ensure this,
// because all leaders of a process are the same holder to the store.
var turns sync.Map // of leaseKey to chan struct{}

type leaseKey struct {
	leases Leases
	name   string
}

// leader is a process that holds a lease or waits for one.
type leader struct {
	leases  Leases
	name    string
	lasting time.Duration
	log     *slog.Logger
	lead    func(context.Context)

	until   time.Time // the end of the lease; zero while not held
	failing bool      // the store could not be reached
	stop    context.CancelFunc
	led     chan struct{} // closed when the function has returned; nil while it is not running
}

// renew acquires or renews the lease, and starts or stops the function accordingly.
func (l *leader) renew(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, l.lasting/4)
	defer cancel()
	now := time.Now()
	held, err := l.leases.Take(asking, l.name, now, now.Add(l.lasting))
	l.report(ctx, err)
	switch {
	case err == nil && held:
		l.until = now.Add(l.lasting)
		l.start(ctx)
	case err == nil, time.Until(l.until) < 2*l.lasting/3: // it would expire before the next try ends
		l.halt()
	}
}

func (l *leader) report(ctx context.Context, err error) {
	switch failing := err != nil; {
	case failing && !l.failing && ctx.Err() == nil:
		l.log.Warn("acquiring or renewing a lease failed; trying again", "lease", l.name, "error", err)
	case !failing && l.failing:
		l.log.Info("leases can be acquired and renewed again", "lease", l.name)
	}

	l.failing = err != nil
}

// start calls the function unless it is running.
func (l *leader) start(ctx context.Context) {
	if l.led != nil {
		select {
		case <-l.led:
			l.stop()
		default:
			return
		}
	}

	leading, stop := context.WithCancel(ctx)
	led := make(chan struct{})
	l.stop, l.led = stop, led
	go func() {
		defer close(led)
		l.lead(leading)
	}()
}

// halt stops the function if it is running, and waits for it.
func (l *leader) halt() {
	l.until = time.Time{}
	if l.led == nil {
		return
	}

	l.stop()
	<-l.led
	l.led = nil
}

// end releases the lease.
func (l *leader) end(ctx context.Context) {
	held := l.led != nil
	l.halt()
	if !held {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, l.lasting/4)
	defer cancel()
	if err := l.leases.End(ctx, l.name); err != nil {
		l.log.Warn("releasing a lease failed; it will expire by itself", "lease", l.name, "error", err)
	}
}

// LeaseTable stores leases in a table of a SQLite or PostgreSQL database, with the columns name, holder and expires.
// The holder is the process that opened the database. Two values are equal if they have the same open database and
// name.
type LeaseTable struct {
	db   *database.DB
	name string
}

// LeasesIn returns the leases in a table of a database. The table must exist.
func LeasesIn(db *database.DB, table string) LeaseTable { return LeaseTable{db, table} }

// Take acquires or renews a named lease until a time, and reports whether this process holds it. The clock
// skew between processes must be less than the time between a renewal and the end of the lease.
func (t LeaseTable) Take(ctx context.Context, name string, now, until time.Time) (bool, error) {
	taken, err := database.Change(ctx, t.db.Writer,
		`INSERT INTO `+t.name+` AS held (name, holder, expires) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
		WHERE held.holder = excluded.holder OR held.expires <= $4`,
		name, t.db.Holder, until.UnixMilli(), now.UnixMilli())
	return taken > 0, database.Wrap("taking the lease "+name, err)
}

// End releases a lease if this process holds it.
func (t LeaseTable) End(ctx context.Context, name string) error {
	return database.Wrap("ending the lease "+name,
		database.Exec(ctx, t.db.Writer, `DELETE FROM `+t.name+` WHERE name = $1 AND holder = $2`, name, t.db.Holder))
}
