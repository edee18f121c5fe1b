package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// runOperator runs a command as typed and returns its output, without its notes on standard error.
func runOperator(name string, args ...string) (string, error) {
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(io.Discard)
	root.SetArgs(append([]string{name}, args...))
	err := root.Execute()
	return out.String(), err
}

// runWithAdmin starts the shipped configuration, with changes to its app, with stand-ins, and returns the addresses of
// its admin API and of its site.
func runWithAdmin(t *testing.T, changes ...func(app map[string]any)) (admin, site string) {
	t.Helper()
	site = "http://" + loopback.FreeAddress()
	setenv(t, standin.For(t, standin.Options{}).Environment())
	setenv(t, map[string]string{"RODATA_ADDRESS": site, "RODATA_BIND": "127.0.0.1", "RODATA_DATA_DIR": t.TempDir()})

	shipped, err := sandboxConfig(1000, "")
	testkit.NoError(t, err)

	var config map[string]any
	testkit.NoError(t, json.Unmarshal(shipped, &config))

	admin = loopback.FreeAddress()
	config["admin"] = map[string]any{"listen": admin, "config": map[string]any{"persist": false}}
	app := config["apps"].(map[string]any)["rodata"].(map[string]any)
	app["upstreams"].(map[string]any)["onrc"].(map[string]any)["off"] = true // loading it takes longer than most tests
	for _, change := range changes {
		change(app)
	}

	config["storage"] = map[string]any{"module": "file_system", "root": t.TempDir()}
	if shipped, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	testkit.NoError(t, caddy.Load(shipped, true))

	return admin, site
}

func TestOperatorCommandsLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	admin, site := runWithAdmin(t)
	const company = "/v1/companies/9900000010"
	cached := func() string {
		res, err := http.Get(site + company)
		testkit.NoError(t, err)

		res.Body.Close()
		return res.Header.Get("x-cache")
	}
	cached()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"sources"}, []string{
			"SOURCE               STATE", "\nanaf                 ok ", "\nonrc  ", "\nbnr  ",
			"\nanaf-vat-collection  ",
		}},
		{[]string{"sources", "--json"}, []string{`[{"name":"anaf","state":"ok"`}},
		{[]string{"queue"}, []string{
			"REGISTRY  INTERACTIVE", "AGAIN  STATEMENTS  RUNNING",
			"\nanaf      0            0        0         0            0      0           0        1         1        " +
				"  0      0\n",
		}},
		{[]string{"queue", "--json"}, []string{`"requests":1,"companies":1`}},
		{[]string{"receipts", "keys"}, []string{"KEY  ", "  CREATED  ", "encrypted"}},
		{[]string{"receipts", "rotate", "--json"}, []string{`[{"id":"`, `"signsFrom":"`, `"erased":false},{`}},
		{[]string{"purge", "9900000010"}, []string{"company 9900000010 is removed from the cache"}},
		{[]string{"purge", "9900000010", "--json"}, []string{`{"purged":true,"taxId":9900000010}`}},
	} {
		before := cached()
		got, err := runOperator(c.args[0], append(c.args[1:], "--address", admin)...)
		if err != nil {
			t.Errorf("%v: %v", c.args, err)
		}

		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, got)
			}
		}

		if after := cached(); before != "HIT" || c.args[0] == "purge" == (after == "HIT") {
			t.Errorf("%v: the company was a %s, and then a %s", c.args, before, after)
		}
	}
}

// Errors include the remedy.
func TestOperatorMistakes(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("<html>"))
	}))
	defer odd.Close()
	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing runs":        {[]string{"sources", "--address", loopback.FreeAddress()}, "rodata run"},
		"another server":      {[]string{"queue", "--address", address(other)}, "not a rodata gateway"},
		"another version":     {[]string{"queue", "--address", address(odd)}, "--json"},
		"no address":          {[]string{"queue", "--address", "127.0.0.1:1-9"}, "gateway at 127.0.0.1:1-9"},
		"no company":          {[]string{"purge"}, "rodata purge 9900000010"},
		"two companies":       {[]string{"purge", "9900000010", "9900000029"}, "one argument, <cui>, but 2 were given"},
		"not a company":       {[]string{"purge", "RO9900000010"}, "digits only"},
		"wrong control digit": {[]string{"purge", "9900000011"}, "control digit"},
		"surplus argument":    {[]string{"sources", "anaf"}, "no arguments, but one was given"},
	} {
		if out, err := runOperator(c.args[0], c.args[1:]...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to say %q; printed %s", name, err, c.want, out)
		}
	}
}
