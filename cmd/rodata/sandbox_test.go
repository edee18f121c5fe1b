package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// later collects the output of the sandboxes after their introductions.
var later synced

// synced is a buffer for concurrent use.
type synced struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *synced) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

func (s *synced) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// sandboxRate is above the default, so that tests need not wait.
const sandboxRate = 20

// runSandbox starts a sandbox with sandboxRate, and returns its address and its output; stop ends it.
func runSandbox(t *testing.T) (address, printed string, stop func()) {
	t.Helper()
	address = "http://" + loopback.FreeAddress()
	for name, value := range map[string]string{
		"RODATA_ADDRESS": address, "RODATA_BIND": "", "RODATA_DATA_DIR": "",
		"RODATA_ANAF_URL": "", "RODATA_ANAF_FILES_URL": "", "RODATA_ONRC_URL": "", "RODATA_BNR_URL": "",
		"RODATA_VIES_URL": "", "RODATA_STORE": "", "RODATA_REDIS": "",
		"TMPDIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}

	ctx, cancel := context.WithCancel(t.Context())
	introduction, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- sandbox(ctx, out, sandboxRate, false)
		out.Close()
	}()
	text := make([]byte, 64<<10)
	n, err := introduction.Read(text)
	testkit.NoError(t, err)

	go io.Copy(&later, introduction) // further output
	return address, string(text[:n]), func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the sandbox does not stop")
		}
	}
}

// The commands in the sandbox's introduction work as printed. The sandbox can be reached only from this machine, and
// leaves no files behind.
func TestSandboxLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	address, printed, stop := runSandbox(t)
	t.Run("what it tells to try", func(t *testing.T) { tryWhatItTells(t, address, printed) })
	t.Run("what it prints", func(t *testing.T) { printsWhatPeopleNeed(t, address, printed) })
	t.Run("who reaches it", func(t *testing.T) { staysOnThisMachine(t, address) })
	t.Run("its rate", func(t *testing.T) { hasRate(t, address) })

	stop()
	left, err := os.ReadDir(os.TempDir())
	testkit.NoError(t, err)

	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), "rodata-sandbox-") {
			t.Errorf("%s is left behind", entry.Name())
		}
	}
}

func tryWhatItTells(t *testing.T, address, printed string) {
	free, withKey, _ := strings.Cut(printed, "With the key")
	urls := regexp.MustCompile(address+`/v1/[^\s']*`).FindAllString(free, -1)
	if len(urls) < 5 {
		t.Errorf("it tells to try only %v", urls)
	}

	for _, url := range urls {
		if status, body := get(t, url); status != http.StatusOK {
			t.Errorf("%s answers %d %s", url, status, body)
		}
	}

	match := regexp.MustCompile(`curl '(` + address +
		`/v1/[^']*)' -H 'Authorization: Bearer (\w+)'`).FindStringSubmatch(withKey)
	if match == nil {
		t.Fatalf("it tells of no key: %s", printed)
	}
	if got := status(t, match[1], match[2]); got != http.StatusOK {
		t.Errorf("%s with the key answers %d", match[1], got)
	}

	var state struct{ Environment string }
	if _, body := get(t, address+"/v1/status"); json.Unmarshal(body, &state) != nil || state.Environment != "sandbox" {
		t.Errorf("the state is %s", body)
	}
}

// hasRate checks the limit for callers without a key.
func hasRate(t *testing.T, address string) {
	res, err := http.Get(address + "/v1/counties")
	testkit.NoError(t, err)
	defer res.Body.Close()

	if got := res.Header.Get("RateLimit-Limit"); got != strconv.Itoa(sandboxRate) {
		t.Errorf("%q requests a second are allowed, want %d", got, sandboxRate)
	}
}

// printsWhatPeopleNeed checks that the sandbox prints addresses, mails and the name of the log file.
func printsWhatPeopleNeed(t *testing.T, address, printed string) {
	for _, part := range []string{"/", "/v1", "/mcp"} {
		if !strings.Contains(printed, " "+address+part+"\n") {
			t.Errorf("%s is not printed in\n%s", part, printed)
		}
	}

	match := regexp.MustCompile(`(?m)^  Log +(\S+)$`).FindStringSubmatch(printed)
	if match == nil {
		t.Fatalf("it tells of no log:\n%s", printed)
	}
	if status, _ := get(t, address+"/v1/plans"); status != http.StatusOK {
		t.Fatalf("got %d", status)
	}

	testkit.Until(t, "the call is logged", func() bool {
		logged, _ := os.ReadFile(match[1])
		return bytes.Contains(logged, []byte(`"route":"/v1/plans"`))
	})

	body := `{"name": "Ana Exemplu", "email": "ana@example.ro", "password": "a long password", "callbackURL": "/"}`
	r, err := http.NewRequestWithContext(t.Context(), "POST", address+"/api/auth/sign-up/email",
		strings.NewReader(body))
	testkit.NoError(t, err)

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", address)
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)

	res.Body.Close()
	if got := planOf(t, address, res.Cookies()); got != sandboxPlan {
		t.Errorf("a new account has the plan %q, want %q", got, sandboxPlan)
	}

	link := regexp.MustCompile(`(?s)Mail to ana@example\.ro: .*` + address + `/\S+token=`)
	testkit.Until(t, "the mail is printed", func() bool { return link.MatchString(later.String()) })
	if strings.Contains(later.String(), `"level"`) || strings.Contains(later.String(), "/v1/plans") {
		t.Errorf("the log is among it:\n%s", &later)
	}
}

// planOf returns the plan of the account of a session.
func planOf(t *testing.T, address string, session []*http.Cookie) string {
	r, err := http.NewRequestWithContext(t.Context(), "GET", address+"/v1/usage", nil)
	testkit.NoError(t, err)

	for _, cookie := range session {
		r.AddCookie(cookie)
	}
	res, err := http.DefaultClient.Do(r)
	testkit.NoError(t, err)
	defer res.Body.Close()

	var usage struct{ Plan string }
	testkit.NoError(t, json.NewDecoder(res.Body).Decode(&usage))
	return usage.Plan
}

// A data directory keeps its key as long as the key is valid.
func TestSandboxKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	make := func() string {
		t.Helper()
		key, err := sandboxKey(t.Context(), dir)
		if err != nil || !account.IsWellFormed(account.DefaultPrefix, key) {
			t.Fatalf("got %q, %v", key, err)
		}

		return key
	}
	first := make()
	if again := make(); again != first {
		t.Error("the second start created another key")
	}

	t.Setenv("RODATA_SECRET", "another secret than the generated")
	if other := make(); other == first || other != make() {
		t.Error("the key does not fit the secret")
	}
}

// Each fault number keeps its fault after others have failed, and companies without a fault are answered.
func TestFaultNumbersLeaveEachOtherAloneLong(t *testing.T) {
	long.Only(t, "each call waits for the pace of the tax authority, some several times")
	address, _, stop := runSandbox(t)
	defer stop()
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	expect := func(cui string, want int) {
		t.Helper()
		if status, body := get(t, address+"/v1/companies/"+cui); status != want {
			t.Errorf("%s: got %d, want %d: %s", cui, status, want, body)
		}
	}
	numbers := standin.FaultNumbers
	for i := range numbers { // the unknown one comes last
		number := numbers[len(numbers)-1-i]
		expect(number.CUI.String(), number.Status)
	}

	expect(companies[0].CUI.String(), http.StatusOK)
	expect(numbers[1].CUI.String(), numbers[1].Status)
}

// staysOnThisMachine checks that the sandbox can be reached only from this machine, also by the name localhost.
func staysOnThisMachine(t *testing.T, address string) {
	_, port, _ := strings.Cut(strings.TrimPrefix(address, "http://"), ":")
	if status, body := get(t, "http://localhost:"+port+"/"); status != http.StatusMisdirectedRequest ||
		!strings.Contains(string(body), "/problems/misdirected-request") {
		t.Errorf("by another name: got %d %s", status, body)
	}
	// 127.0.0.2 is also a loopback address: only a listener on all addresses of the machine accepts connections on it.
	if c, err := net.Dial("tcp", "127.0.0.2:"+port); err == nil {
		c.Close()
		t.Error("it listens on addresses other than 127.0.0.1")
	}
}

func get(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	res, err := http.Get(url)
	testkit.NoError(t, err)
	defer res.Body.Close()

	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}

	return res.StatusCode, body
}
