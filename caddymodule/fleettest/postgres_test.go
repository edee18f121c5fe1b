package fleettest

import (
	"database/sql"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/process"
)

// postgres is a PostgreSQL server with durable writes and one database.
type postgres struct {
	whole                  *testing.T // the test at whose end the process ends
	programs, dir, address string
	owner                  *syscall.SysProcAttr
	process                *process.Process // its child processes notice when it is killed
}

// database is the name of the edges' database.
const database = "rodata"

// startPostgres starts an empty server that ends with the test.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	p := &postgres{whole: t, address: loopback.FreeAddress()}
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian's location
	if len(folders) == 0 {
		t.Skip("PostgreSQL is not installed: .ci/fleet installs it")
	}

	p.programs = slices.MaxFunc(folders, func(a, b string) int { return version(a) - version(b) })
	var err error
	// The test's own folder cannot be used, because only root can enter it if root runs the tests.
	if p.dir, err = os.MkdirTemp("", "rodata-postgres-"); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { os.RemoveAll(p.dir) })
	p.lowerRights(t)
	p.run(t, "initdb", "--username=rodata", "--auth=trust", "--encoding=UTF8", "--no-sync",
		"--pgdata="+filepath.Join(p.dir, "data"))
	p.restart(t)
	p.exec(t, "postgres", `CREATE DATABASE `+database)
	return p
}

// version is the number in the path of PostgreSQL's programs.
func version(programs string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(programs)))
	return n
}

// lowerRights makes the server run as another user if root runs the tests, because it refuses to run as root.
func (p *postgres) lowerRights(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}

	other, err := user.Lookup("postgres")
	testkit.NoError(t, err)

	uid, _ := strconv.Atoi(other.Uid)
	gid, _ := strconv.Atoi(other.Gid)
	testkit.NoError(t, os.Chown(p.dir, uid, gid))

	p.owner = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func (p *postgres) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(p.programs, program), args...)
	c.Dir, c.SysProcAttr = p.dir, p.owner
	return c
}

func (p *postgres) run(t *testing.T, program string, args ...string) {
	t.Helper()
	if output, err := p.command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
}

// launch starts the server's process.
func (p *postgres) launch(t *testing.T) {
	t.Helper()
	host, port, _ := net.SplitHostPort(p.address)
	c := p.command("postgres", "-D", filepath.Join(p.dir, "data"), "-k", p.dir, "-h", host, "-p", port, "-c",
		"max_connections=200")
	p.process = process.Start(p.whole, c)
}

// restart starts the server, again and again until it answers, and returns the time this took. The server exits while
// processes of the killed one remain.
func (p *postgres) restart(t *testing.T) time.Duration {
	t.Helper()
	p.launch(t)
	return testkit.Until(t, "PostgreSQL answers", func() bool {
		select {
		case <-p.process.Ended():
			p.launch(t)
		default:
		}

		db := p.open(t, "postgres")
		defer db.Close()
		return db.PingContext(t.Context()) == nil
	})
}

// url returns the database's URL at an address.
func (p *postgres) url(address string) string {
	return "postgres://rodata@" + address + "/" + database + "?sslmode=disable"
}

// open opens a database directly.
func (p *postgres) open(t *testing.T, database string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", "postgres://rodata@"+p.address+"/"+database+"?sslmode=disable")
	testkit.NoError(t, err)

	return db
}

func (p *postgres) exec(t *testing.T, database, statement string) {
	t.Helper()
	db := p.open(t, database)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
