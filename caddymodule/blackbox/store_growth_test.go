package blackbox

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/mailserver"
)

// The gateway tidies its store automatically. If verification is required, it deletes users who have not verified
// their address within 30 days, and their data disappears from the files.
func TestGatewayTidiesItsStore(t *testing.T) {
	const address = "ana.nowhere@exemplu.example"
	at := time.Now().AddDate(0, 0, -31)
	var file string
	seed := func(*gateway) {
		file = filepath.Join(os.Getenv("RODATA_DATA_DIR"), "accounts.db")
		withStore(t, file, func(db *store.DB) error {
			u := account.User{ID: "user-1", Account: "account-1", Email: address, CreatedAt: at, UpdatedAt: at}
			return db.CreateUser(t.Context(), u, "free",
				account.Login{
					ID: "login-1", User: u.ID, Provider: account.Credential, Subject: u.ID, Password: "$",
					CreatedAt: at,
					UpdatedAt: at,
				})
		})
	}
	inFiles := func() bool {
		files, err := filepath.Glob(file + "*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		return slices.ContainsFunc(files, func(name string) bool {
			content, err := os.ReadFile(name)
			return err == nil && bytes.Contains(content, []byte(address))
		})
	}
	mails := mailserver.Start(t, mailserver.Options{})
	start(t, mailTo(mails.Address()), seed)
	testkit.Until(t, "the address is no longer in the files", func() bool { return !inFiles() })
}

// Registering clients or revoking keys in a loop does not starve paying callers of the store.
func TestPaidCallsWhileTheStoreIsAttacked(t *testing.T) {
	if os.Getenv("RODATA_TEST_SPEED") == "" {
		t.Skip("RODATA_TEST_SPEED is not set: this needs a machine that does nothing else, and no race detector")
	}

	const connections, attackers, duration = 40, 8, 8 * time.Second
	for name, attack := range map[string]struct {
		seed string // of the store, by another account than the paying one
		send func(a *attacker) error
	}{
		"registrations, 6,700 unused": {
			`INSERT INTO oauth_clients (id, name, redirects, created_at, used_at)
				SELECT 'unused-' || n, 'Exemplu', 'https://exemplu.example/back',
				` + fmt.Sprint(time.Now().UnixMilli()) + `, ` + fmt.Sprint(time.Now().UnixMilli()) + ` FROM numbers
				WHERE n <= 6700`,
			(*attacker).register,
		},
		"revocations, 300,000 revoked": {
			`INSERT INTO api_keys (id, account_id, name, prefix, last4, hash, created_at, revoked_at)
				SELECT 'revoked-' || n, 'attacker', '', '', '', 'revoked-' || n, 0,
				` + fmt.Sprint(time.Now().UnixMilli()) + ` FROM numbers`,
			(*attacker).rotate,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RODATA_TRUSTED_PROXIES", "127.0.0.1/32") // attackers have many addresses
			var payer, other wallet
			g := start(t, withOAuth, paying(t, &payer, -1),
				func(g *gateway) { paying(t, &other, -1)(g); seedAttack(t, attack.seed, &other) })
			path := companies(t)[0]
			payer.get(t, g, path)
			transport := &http.Transport{MaxIdleConnsPerHost: connections + attackers}
			defer transport.CloseIdleConnections()

			quiet := median(g.payFor(t, duration, transport, connections, path, payer.key))
			var wg sync.WaitGroup
			var ended atomic.Bool
			var sent atomic.Int64
			for range attackers {
				a := &attacker{g: g, transport: transport, key: other.key}
				wg.Go(func() {
					for !ended.Load() {
						if err := attack.send(a); err != nil {
							t.Error(err)
							return
						}

						sent.Add(1)
					}
				})
			}

			attacked := median(g.payFor(t, duration, transport, connections, path, payer.key))
			ended.Store(true)
			wg.Wait()
			t.Logf("median of a paid call on %d connections: %s, and %s while %d a second are sent", connections, quiet,
				attacked, sent.Load()/int64(duration/time.Second))
			if attacked > 10*quiet+50*time.Millisecond {
				t.Error("the attack holds the store")
			}
		})
	}
}

// seedAttack writes rows into the store; its keys belong to the wallet's account.
func seedAttack(t *testing.T, seed string, w *wallet) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(os.Getenv("RODATA_DATA_DIR"), "accounts.db"))
	testkit.NoError(t, err)
	defer db.Close()

	seed = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300000) ` +
		strings.ReplaceAll(seed, `'attacker'`, `'`+w.account+`'`)
	if _, err := db.Exec(seed); err != nil {
		t.Fatal(err)
	}
}

// attacker sends as many requests as possible.
type attacker struct {
	g         *gateway
	transport *http.Transport
	key       string
}

var attackerAddress atomic.Uint32

func (a *attacker) send(method, path, body string, status int) (string, error) {
	r, err := http.NewRequest(method, a.g.url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}

	n := attackerAddress.Add(1)
	r.Header = http.Header{
		"Content-Type":    {"application/json"},
		"X-Forwarded-For": {fmt.Sprintf("10.%d.%d.%d", byte(n>>16), byte(n>>8), byte(n))},
	}
	if strings.HasPrefix(path, "/v1/") {
		r.Header.Set("Authorization", "Bearer "+a.key)
	}

	res, err := a.transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()

	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != status && res.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("%s %s: got %d %s", method, path, res.StatusCode, text)
	}

	return string(text), err
}

func (a *attacker) register() error {
	_, err := a.send("POST", "/api/auth/oauth2/register", `{"redirect_uris":["https://exemplu.example/back"]}`,
		http.StatusCreated)
	return err
}

// rotate creates a key and revokes it.
func (a *attacker) rotate() error {
	text, err := a.send("POST", "/v1/keys", `{"name":"ERP"}`, http.StatusCreated)
	if err != nil {
		return err
	}

	_, id, found := strings.Cut(text, `"id":"`)
	if !found {
		return nil // the store was overloaded
	}

	_, err = a.send("DELETE", "/v1/keys/"+id[:36], "", http.StatusNoContent)
	return err
}

// payFor calls a path with a key repeatedly on a number of connections for a time, and returns the durations of the
// calls. Calls that fail because of the store count.
func (g *gateway) payFor(t *testing.T, duration time.Duration, transport *http.Transport, connections int, path,
	key string) (times []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	refused := 0
	for end := time.Now().Add(duration); connections > 0; connections-- {
		wg.Go(func() {
			for time.Now().Before(end) {
				r, err := http.NewRequest("GET", g.url+path, nil)
				if err != nil {
					t.Error(err)
					return
				}

				r.Header.Set("Authorization", "Bearer "+key)
				began := time.Now()
				res, err := transport.RoundTrip(r)
				if err != nil {
					t.Error(err)
					return
				}

				io.Copy(io.Discard, res.Body)
				res.Body.Close()
				took := time.Since(began)
				mu.Lock()
				times = append(times, took)
				if res.StatusCode != http.StatusOK {
					refused++
				}

				mu.Unlock()
			}
		})
	}

	wg.Wait()
	if refused > 0 {
		t.Errorf("%d of %d paid calls were refused", refused, len(times))
	}

	return times
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
