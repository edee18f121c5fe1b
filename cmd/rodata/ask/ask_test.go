package ask

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/testkit"
)

// typed runs a command line against a gateway, and returns its output and exit code.
func typed(ctx context.Context, words ...string) (out, errs string, code int) {
	root := &cobra.Command{Use: "rodata", SilenceUsage: true}
	root.AddCommand(Commands("1.2.3")...)
	root.SetFlagErrorFunc(FlagError)
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(words)
	if err := root.ExecuteContext(ctx); err != nil {
		code = 1
		if known := (*failure)(nil); errors.As(err, &known) {
			code = known.ExitCode
		}
	}

	return stdout.String(), stderr.String(), code
}

// serve starts a gateway for the commands with the given handler. key is the caller's key; empty for no key.
func serve(t *testing.T, key string, handle http.HandlerFunc) (url string) {
	t.Helper()
	gateway := httptest.NewServer(handle)
	t.Cleanup(gateway.Close)
	t.Setenv("RODATA_URL", gateway.URL)
	t.Setenv("RODATA_KEY", key)
	return gateway.URL
}

// answer is a handler with a fixed answer.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const problemType = "application/problem+json"

// Every error is one sentence with a remedy, and has an exit code for programs.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		key    string
		handle http.HandlerFunc
		code   int
		says   string // GATEWAY stands for the address
	}{
		"a key is needed": {"", answer(401, problemType, `{"status": 401, "code": "unauthorized"}`), 1,
			"this needs a key: create one at GATEWAY/dashboard/keys, and set RODATA_KEY to it"},
		"a wrong key": {"rodata_live_wrong", answer(401, problemType, `{"status": 401, "code": "unauthorized"}`), 1,
			"the gateway at GATEWAY refuses the key in RODATA_KEY: it is mistyped, revoked or from another gateway; " +
				"set a valid one"},
		"no credits": {"key", answer(402, problemType,
			`{"status": 402, "code": "quota-exhausted", "detail": "1 credit is needed, 0 are left"}`), 1,
			"there are not enough credits: 1 credit is needed, 0 are left"},
		"the limit": {"", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "90")
			answer(429, problemType, `{"status": 429, "code": "rate-limited", "detail": "1 a second is allowed"}`)(w, r)
		}, 4, "the limit is reached: 1 a second is allowed; wait 1m30s; a key in RODATA_KEY raises the limit"},
		"an unknown company": {"", answer(404, problemType,
			`{"status": 404, "code": "not-found", "detail": "no register knows it; search by name with search_companies (GET /v1/companies?q=...)"}`), 3,
			`no register knows it; search by name with "rodata search <name>"`},
		"a number that is not valid": {"", answer(400, problemType,
			`{"status": 400, "code": "invalid-request", "detail": "the control digit is wrong", "errors": [{"parameter": "cui", "code": "check_digit"}]}`), 3,
			"the control digit is wrong"},
		"a flag that is not valid": {"", answer(400, problemType,
			`{"status": 400, "code": "invalid-request", "detail": "date lies in the future", "errors": [{"parameter": "date", "code": "out_of_range"}]}`), 2,
			"date lies in the future"},
		"another version": {"", answer(404, problemType,
			`{"status": 404, "code": "not-found", "errors": [{"code": "unknown_path"}]}`), 1,
			"the gateway at GATEWAY does not know this operation: it is of another version, or RODATA_URL has a " +
				"wrong path"},
		"a registry is down": {"", answer(502, problemType,
			`{"status": 502, "code": "upstream-error", "detail": "the registry does not answer"}`), 4,
			"the registry does not answer"},
		"an internal error occurred": {"",
			answer(500, problemType, `{"status": 500, "code": "internal", "detail": "report the id abc"}`), 1,
			"report the id abc"},
		"another server": {"", answer(200, "text/html", "<h1>Hello</h1>"), 1,
			"the server at GATEWAY is not a rodata gateway: set RODATA_URL to the address of yours"},
		"a redirect": {"key", http.RedirectHandler("https://other.example/", http.StatusMovedPermanently).ServeHTTP, 1,
			"the server at GATEWAY redirects to https://other.example/: set RODATA_URL to the address of the gateway " +
				"there if you trust it"},
		"a proxy without its gateway": {"", answer(502, "text/html", "Bad Gateway"), 4,
			"the gateway behind GATEWAY does not answer (502): try again"},
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, c.key, c.handle)
			out, errs, code := typed(t.Context(), "status", "9900000010")
			if want := "Error: " + strings.ReplaceAll(c.says, "GATEWAY", url) + "\n"; out != "" || errs != want ||
				code != c.code {
				t.Errorf("got %d, %q, %q; want %d, %q", code, out, errs, c.code, want)
			}
		})
	}
}

func TestNoGateway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)

	url := "http://" + l.Addr().String()
	testkit.NoError(t, l.Close())

	t.Setenv("RODATA_URL", url)
	_, errs, code := typed(t.Context(), "fx")
	want := "Error: no gateway answers at " + url +
		` (connection refused): start one with "rodata sandbox", or set RODATA_URL to the address of yours` + "\n"
	if code != 4 || errs != want {
		t.Errorf("got %d, %q, want %q", code, errs, want)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	gateway := httptest.NewUnstartedServer(answer(200, "application/json", "{}"))
	gateway.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake that fails
	gateway.StartTLS()
	defer gateway.Close()
	t.Setenv("RODATA_URL", gateway.URL)
	if _, errs, code := typed(t.Context(), "fx"); code != 1 || !strings.Contains(errs, `is not trusted (`) ||
		!strings.Contains(errs, `"rodata trust"`) {
		t.Errorf("got %d, %q", code, errs)
	}
}

// The key is sent to this machine, or encrypted.
func TestUnencryptedKey(t *testing.T) {
	t.Setenv("RODATA_KEY", "rodata_live_key")
	_, errs, code := typed(t.Context(), "fx", "--url", "http://api.example.ro")
	want := `Error: the key would travel unencrypted to "http://api.example.ro"; use https://, or AllowHTTP within a private ` +
		"network; RODATA_URL or --url names the gateway\n"
	if code != 2 || errs != want {
		t.Errorf("got %d, %q, want %q", code, errs, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, errs, _ = typed(ctx, "fx", "--url", "http://api.example.ro", "--allow-http")
	if strings.Contains(errs, "unencrypted") {
		t.Errorf("with --allow-http: %q", errs)
	}
}

// A day is read as the gateway reads it.
func TestDayOfATimeWithAZone(t *testing.T) {
	for text, want := range map[string]string{"2026-03-31T00:00:00Z": "2026-03-31",
		"2026-03-31T23:30:00Z": "2026-04-01", "31.03.2026 10:20": "2026-03-31"} {
		if got, err := parseDay(text); err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
}

// Invalid command lines cause no requests.
func TestWrongUsage(t *testing.T) {
	serve(t, "", func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) })
	const huge = "99999999999999999999"
	for line, want := range map[string]string{
		"get":                         "rodata get needs another argument, as in: rodata get 9900000010",
		"get 9900000010 --bogus":      `unknown flag: --bogus; "rodata get --help" lists the flags`,
		"get 9900000010 --date June":  `--date: "June" is not a day; write it as 2026-06-10 or 10.06.2026`,
		"get --date June":             `--date: "June" is not a day; write it as 2026-06-10 or 10.06.2026`,
		"status --date 2026-06-31":    `--date: "2026-06-31" is not a day; write it as 2026-06-10 or 10.06.2026`,
		"status 1 2":                  `rodata status does not take the argument "2", as in: rodata status 9900000010 --date 2026-06-10`,
		"get 9900000010 --json --csv": "--json and --csv cannot be combined; choose one",
		"search a --limit 0":          "--limit must be a whole number from 1 to 100, not 0",
		"search a --csv --limit 101":  "--limit must be a whole number from 1 to 100, not 101",
		"search a --limit 5.0":        `--limit must be a whole number, not "5.0"; "rodata search --help" lists the flags`,
		"search a --offset " + huge:   `--offset must be a whole number, not "` + huge + `"; "rodata search --help" lists the flags`,
		"search a --csv=yes":          `--csv is given alone, or as --csv=false, not with "yes"; "rodata search --help" lists the flags`,
		"caen coafor --limit 0":       "--limit must be a whole number from 1 to 100, not 0",
		"search a --all":              "--all needs --csv, as in: rodata search --county CJ --csv --all",
		"search --vat maybe":          `--vat is yes or no, not "maybe"`,
		"fx --from 2026-06-01": "a range of days is about one currency, as in: rodata fx EUR --from " +
			"2026-06-01 --to 2026-06-30",
		"fx --convert 100": "--convert converts from one currency, as in: rodata fx EUR --convert 100",
		"fx EUR --to 2026-06-01 --invoice": "--from and --to cannot be combined with --date, --convert or --invoice, " +
			"as in: rodata fx EUR --from 2026-06-01 --to 2026-06-30",
		"watch changes --follow --csv": "--follow never ends, so it cannot print a table; use --json, which prints one event per line",
		"watch ad":                     `there is no command "rodata watch ad"; "rodata watch --help" lists the commands`,
		"batch missing.csv":            "there is no file missing.csv",
		"batch missing.csv -o x.pdf":   `"pdf" cannot be written; the formats are csv, xlsx, ndjson, json, parquet, as in: rodata batch suppliers.csv -o checked.xlsx`,
		"fx --url localhost":           `"localhost" is not the URL of a gateway; give one such as https://api.example.ro; RODATA_URL or --url names the gateway`,
	} {
		out, errs, code := typed(t.Context(), strings.Fields(line)...)
		if code != 2 || out != "" || errs != "Error: "+want+"\n" {
			t.Errorf("%s: got %d, %q, %q; want %q", line, code, out, errs, want)
		}
	}
}

// An empty name, such as that of an unset variable, is no search of all companies.
func TestEmptySearch(t *testing.T) {
	serve(t, "", func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) })
	if _, errs, code := typed(t.Context(), "search", ""); code != 2 || !strings.Contains(errs, "are empty") {
		t.Errorf("got %d, %q", code, errs)
	}
}

// The gateway's log distinguishes the command line from other callers.
func TestUserAgent(t *testing.T) {
	var agent, key string
	serve(t, "rodata_live_key", func(w http.ResponseWriter, r *http.Request) {
		agent, key = r.Header.Get("User-Agent"), r.Header.Get("Authorization")
		answer(200, "application/json", `{"items": []}`)(w, r)
	})
	if _, errs, code := typed(t.Context(), "watch", "list"); code != 0 || agent != "rodata/1.2.3" ||
		key != "Bearer rodata_live_key" {
		t.Errorf("got %d, %s, %q, %q", code, errs, agent, key)
	}
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"fx E":                   "EUR\n",
		"search --county C":      "CJ\tCluj\n",
		"search --vat ":          "yes\n",
		"batch x --format ":      "parquet\n",
		"watch ":                 "changes\tShows what changed about watched companies\n",
		"get 1 --include ":       "balanceSheets\n",
		"watch changes --type c": "company.vat.cancelled\n",
	} {
		words := strings.Split(line, " ")
		if out, _, code := typed(t.Context(), append([]string{"__complete"}, words...)...); code != 0 ||
			!strings.Contains(out, want) {
			t.Errorf("%q: got %d, %q", line, code, out)
		}
	}
}

// A company with its verdict shows the outcome and the rules behind it.
func TestCompanyWithVerdict(t *testing.T) {
	serve(t, "", answer(200, "application/x-ndjson", `{"index":0,"status":200,"company":{"taxId":9900000010,`+
		`"name":"EXEMPLU SRL","verdict":{"outcome":"stop","failed":["not_inactive"],"unknown":[]}}}
{"summary":{"count":1,"found":1}}
`))
	out, errs, code := typed(t.Context(), "get", "9900000010", "--include", "verdict")
	if code != 0 || !regexp.MustCompile(`(?m)^ *Verdict +stop: not_inactive$`).MatchString(out) {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
}
