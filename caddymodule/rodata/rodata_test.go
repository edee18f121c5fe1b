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
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// command is a command of Caddy's, as far as its flags matter here.
func command(name string, flags ...string) *cobra.Command {
	c := &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return nil }}
	for _, f := range flags {
		c.Flags().String(f, "", "")
	}
	return c
}

func TestShippedConfigurationIsTheDefault(t *testing.T) {
	for name, c := range map[string]struct {
		caddyfile bool
		args      []string
		want      string // config and adapter
	}{
		"nothing given":             {args: []string{"run"}, want: os.DevNull + " rodata"},
		"a Caddyfile in the folder": {caddyfile: true, args: []string{"run"}, want: " "},
		"a configuration given":     {args: []string{"run", "--config", "x.json"}, want: "x.json "},
		"an adapter given":          {args: []string{"run", "--adapter", "yaml"}, want: " yaml"},
		"resuming":                  {args: []string{"run", "--resume", "yes"}, want: " "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.caddyfile {
				if err := os.WriteFile("Caddyfile", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run := command("run", "config", "adapter", "resume")
			root := &cobra.Command{Use: "rodata"}
			root.AddCommand(run, command("version"))
			if err := run.ParseFlags(c.args[1:]); err != nil {
				t.Fatal(err)
			}
			useShipped(root)
			config, _ := run.Flags().GetString("config")
			adapter, _ := run.Flags().GetString("adapter")
			if got := config + " " + adapter; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAdapter(t *testing.T) {
	shipped, _, err := shippedAdapter{}.Adapt(nil, nil)
	if err != nil || !bytes.Contains(shipped, []byte(`"handler":"rodata"`)) {
		t.Errorf("got %s %v", shipped, err)
	}
	own, _, err := shippedAdapter{}.Adapt([]byte(":8080\nrespond ok\n"), map[string]any{"filename": "Caddyfile"})
	if err != nil || bytes.Contains(own, []byte(`"handler":"rodata"`)) || !bytes.Contains(own, []byte(`"body":"ok"`)) {
		t.Errorf("got %s %v", own, err)
	}
}

func TestSandbox(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	for name, value := range map[string]string{
		"RODATA_ADDRESS": address, "RODATA_DATA_DIR": "", "RODATA_ANAF_URL": "", "RODATA_ONRC_URL": "", "RODATA_BNR_URL": "",
		"TMPDIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	ctx, stop := context.WithCancel(t.Context())
	introduction, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- sandbox(ctx, out)
		out.Close()
	}()
	said := make([]byte, 64<<10)
	n, err := introduction.Read(said)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, introduction) // what is still to come

	urls := regexp.MustCompile(address+`/v1/[^\s']*`).FindAllString(string(said[:n]), -1)
	if len(urls) < 5 {
		t.Errorf("it tells to try only %v", urls)
	}
	for _, url := range urls {
		if status, body := get(t, url); status != http.StatusOK {
			t.Errorf("%s answers %d %s", url, status, body)
		}
	}
	var status struct{ Environment string }
	if _, body := get(t, address+"/v1/status"); json.Unmarshal(body, &status) != nil || status.Environment != "sandbox" {
		t.Errorf("the state is %s", body)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the sandbox does not stop")
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), "rodata-sandbox-") {
			t.Errorf("%s is left behind", entry.Name())
		}
	}
}

func get(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}
