package store

import (
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/testkit"
)

// A key revoked by one process is refused by the others long before their cache expires.
func TestRevocationReachesOtherProcesses(t *testing.T) {
	url := migrated.URL(t)
	here, elsewhere := open(t, url), open(t, url)
	ours := account.NewDirectory(here, pepper, account.DefaultPrefix)
	theirs := account.NewDirectory(elsewhere, pepper, account.DefaultPrefix)
	secret := issue(t, here, ours, account.Key{ID: "key-1"})
	notified := make(chan string, 10)
	elsewhere.Watch(func(account string) {
		theirs.Forget(account)
		notified <- account
	})
	testkit.NoError(t, testkit.Err(theirs.Key(t.Context(), secret)))

	began := time.Now()
	testkit.NoError(t, ours.Revoke(t.Context(), "acc-1", "key-1", ""))

	for receive(t, notified) != "acc-1" { // other tests on the same server send notifications too
	}
	testkit.Equal(t, testkit.Err(theirs.Key(t.Context(), secret)), account.ErrUnknownKey, "the other process")

	t.Logf("after %v", time.Since(began))
}

func receive(t *testing.T, notified <-chan string) string {
	t.Helper()
	select {
	case account := <-notified:
		return account
	case <-time.After(20 * time.Second):
		t.Fatal("no watcher was notified")
		return ""
	}
}

// While the server is down, calls fail at once. Once it is reachable, they succeed, and notifications arrive again.
func TestServerGoesAway(t *testing.T) {
	address := migrated.URL(t)
	line := newLine(t, address)
	db, elsewhere := open(t, line.url), open(t, address)
	d := account.NewDirectory(db, pepper, account.DefaultPrefix)
	secret := issue(t, db, d, account.Key{ID: "key-1"})
	notified := make(chan string, 100)
	db.Watch(func(account string) { notified <- account })

	line.cut(true)
	began := time.Now()
	testkit.ErrorIs(t, testkit.Err(d.Key(t.Context(), secret)), account.ErrStoreDown, "a call without the server")
	if err := db.SetPlan(t.Context(), "acc-1", "pro"); err == nil {
		t.Error("a change succeeded without the server")
	}

	<-notified // a change that failed may have been committed
	if err := db.Ping(t.Context()); err == nil {
		t.Error("the store answered without the server")
	}
	if took := time.Since(began); took > database.ConnectTimeout {
		t.Errorf("took %v", took)
	}

	line.cut(false)
	testkit.Equal(t, testkit.Must(d.Key(t.Context(), secret)).Plan, "starter", "with the server back")

	want := func(who string) {
		t.Helper()
		for receive(t, notified) != who { // other tests on the same server send notifications too
		}
	}
	want(account.Everyone) // the listener is back, and has missed all changes in between
	testkit.NoError(t, elsewhere.SetPlan(t.Context(), "acc-1", "pro"))

	want("acc-1")
}

// line is a connection to PostgreSQL that can be cut.
type line struct {
	url    string
	server func() (net.Conn, error)

	mu   sync.Mutex
	dead bool
	ends map[net.Conn]bool
}

func newLine(t *testing.T, address string) *line {
	t.Helper()
	config := testkit.Must(pgx.ParseConfig(address))
	listener := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))
	u, _ := url.Parse(address)
	query := u.Query()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	network, at := pgxNetwork(config)
	l := &line{url: u.String(), ends: make(map[net.Conn]bool),
		server: func() (net.Conn, error) { return net.Dial(network, at) }}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}

			serving.Go(func() { l.carry(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.cut(true)
		serving.Wait()
	})
	return l
}

func pgxNetwork(config *pgx.ConnConfig) (network, address string) {
	port := strconv.Itoa(int(config.Port))
	if strings.HasPrefix(config.Host, "/") {
		return "unix", config.Host + "/.s.PGSQL." + port
	}
	return "tcp", net.JoinHostPort(config.Host, port)
}

// carry forwards data between a client and the server until either side ends, or the line is cut.
func (l *line) carry(client net.Conn) {
	defer client.Close()
	server, err := l.server()
	if err != nil {
		return
	}
	defer server.Close()

	l.mu.Lock()
	dead := l.dead
	l.ends[client] = true
	l.mu.Unlock()
	if dead {
		return
	}

	go func() {
		defer server.Close()
		io.Copy(server, client)
	}()
	io.Copy(client, server)
}

// cut ends all connections and blocks new ones, or restores the line.
func (l *line) cut(dead bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = dead
	for end := range l.ends {
		end.Close()
	}

	clear(l.ends)
}
