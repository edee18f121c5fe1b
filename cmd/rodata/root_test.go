package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// each calls visit with a command and all of its descendants.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, subcommand := range cmd.Commands() {
		each(subcommand, visit)
	}
}

// typed runs a command line and returns its output on both streams.
func typed(words ...string) (out, errs string, err error) {
	root := newRoot()
	var stdout, stderr bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	root.SetArgs(words)
	err = root.Execute()
	return stdout.String(), stderr.String(), err
}

// The help of the root, and of every command of rodata or described by it, matches the golden file.
func TestHelp(t *testing.T) {
	t.Setenv("RODATA_DATA_DIR", "/var/lib/rodata")
	var all strings.Builder
	each(newRoot(), func(cmd *cobra.Command) {
		if group := groupOf(cmd); group == caddyGroup || cmd.Name() == "help" ||
			group == otherGroup && strings.Contains(cmd.CommandPath(), "completion") {
			return
		}

		out, errs, err := typed(append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if err != nil || errs != "" {
			t.Errorf("%s: got %v %s", cmd.CommandPath(), err, errs)
		}

		all.WriteString("$ " + cmd.CommandPath() + " --help\n" + out + "\n")
	})
	testkit.Golden(t, filepath.Join("testdata", "help.golden"), all.String())
}

// groupOf returns the group of the command directly below the root.
func groupOf(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.GroupID
}

// No help text, not even of Caddy's commands, tells users to type caddy or refers to Caddy's site for this program.
func TestHelpIsOfThisProgram(t *testing.T) {
	for _, words := range [][]string{{}, {"help"}, {"--help"}, {"help", "run"}} {
		if out, _, err := typed(words...); err != nil || !strings.Contains(out, "rodata") {
			t.Errorf("%v: got %v %s", words, err, out)
		}
	}

	each(newRoot(), func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath())[1:]
		if cmd.Name() == "help" {
			return
		}

		out, _, err := typed(append(words, "--help")...)
		if err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
		}

		for _, foreign := range []string{"$ caddy", "'caddy ", "\"caddy ", "`caddy ",
			"caddyserver.com/docs/command-line"} {
			if strings.Contains(out, foreign) {
				t.Errorf("%s: %s is in\n%s", cmd.CommandPath(), foreign, out)
			}
		}

		if cmd.Short == "" && cmd.HasParent() || strings.HasSuffix(cmd.Short, ".") && groupOf(cmd) != caddyGroup {
			t.Errorf("%s: one line says %q", cmd.CommandPath(), cmd.Short)
		}
	})
}

// Each of our commands has a working example.
func TestExamplesCanBeTyped(t *testing.T) {
	each(newRoot(), func(cmd *cobra.Command) {
		if group := groupOf(cmd); group != gatewayGroup || cmd.HasSubCommands() {
			return
		}

		example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
		words := strings.Fields(example)
		found, rest, err := newRoot().Find(words[1:])
		if err != nil || found.CommandPath() != cmd.CommandPath() {
			t.Fatalf("%s: the example is %q, %v", cmd.CommandPath(), cmd.Example, err)
		}
		if err := found.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", example, err)
		}
		if err := found.ValidateArgs(found.Flags().Args()); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	})
}

// A command with only subcommands lists them, one per line.
func TestGroupsListTheirCommands(t *testing.T) {
	for _, group := range []string{"accounts", "keys", "plans", "contact", "invoices", "payments", "register"} {
		out, _, err := typed(group)
		cmd, _, _ := newRoot().Find([]string{group})
		if err != nil || !cmd.HasSubCommands() {
			t.Fatalf("%s: %v", group, err)
		}

		for _, subcommand := range cmd.Commands() {
			if !strings.Contains(out, "\n  "+subcommand.Name()) || !strings.Contains(out, " "+subcommand.Short+"\n") {
				t.Errorf("%s: no line on %s in\n%s", group, subcommand.Name(), out)
			}
		}
	}
}

// A mistyped command results in one sentence with the correct usage, and has the exit code of wrong usage.
func TestMistypedCommands(t *testing.T) {
	for want, words := range map[string][]string{
		`Error: there is no command "rodata purg"; did you mean "rodata purge"?`:                                                                          {"purg"},
		`Error: there is no command "rodata watsh"; did you mean "rodata watch"?`:                                                                         {"watsh"},
		`Error: there is no command "rodata accounts list-all"; did you mean "rodata accounts list"?`:                                                     {"accounts", "list-all"},
		`Error: there is no command "rodata serch"; did you mean "rodata search"?`:                                                                        {"help", "serch"},
		`Error: there is no command "rodata accounts zz"; "rodata accounts --help" lists the commands`:                                                    {"help", "accounts", "zz"},
		`Error: there is no command "rodata completion csh"; did you mean "rodata completion zsh"?`:                                                       {"completion", "csh"},
		`Error: there is no command "rodata accounts zzz"; "rodata accounts --help" lists the commands`:                                                   {"accounts", "zzz"},
		`Error: rodata accounts show takes one argument, <account>, but none was given, as in: rodata accounts show ana@example.ro`:                       {"accounts", "show"},
		`Error: rodata accounts set-plan takes the arguments <account> and <plan>, but one was given, as in: rodata accounts set-plan ana@example.ro pro`: {"accounts", "set-plan", "ana@example.ro"},
		`Error: rodata sources takes no arguments, but 2 were given, as in: rodata sources`:                                                               {"sources", "anaf", "bnr"},
		`Error: rodata backup takes one argument, <file>, but none was given, as in: rodata backup /var/backups/accounts.db`:                              {"backup"},
		`Error: unknown flag: --bogus; "rodata stop --help" lists the flags`:                                                                              {"stop", "--bogus"},
		`Error: the key needs a name, as in: rodata keys issue ana@example.ro --name ERP`:                                                                 {"keys", "issue", "ana@example.ro"},
		`Error: "few" is not a number of credits; give a whole number from 1 on, as in: rodata accounts give-credits ana@example.ro 500`:                  {"accounts", "give-credits", "ana@example.ro", "few"},
	} {
		out, errs, err := typed(words...)
		if err == nil || exitCode(err) != 2 || out != "" || errs != want+"\n" {
			t.Errorf("%v: got status %d, %q, %q, want %q", words, exitCode(err), out, errs, want)
		}
	}
}

func TestNoGatewayToStop(t *testing.T) {
	want := `Error: no gateway answers at 127.0.0.1:1 (connection refused); start one with "rodata run", or name the ` +
		"address of its admin API with --address\n"
	if _, errs, err := typed("stop", "--address", "127.0.0.1:1"); exitCode(err) != 1 || errs != want {
		t.Errorf("got status %d, %q, want %q", exitCode(err), errs, want)
	}
}

// If its address is in use, the sandbox says so and explains what to do.
func TestSandboxOnATakenAddressLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer l.Close()

	t.Setenv("RODATA_ADDRESS", "http://"+l.Addr().String())
	t.Setenv("RODATA_BIND", "127.0.0.1")
	t.Setenv("RODATA_DATA_DIR", t.TempDir())
	want := "another program listens on " + l.Addr().String() +
		": stop it, or choose another address (RODATA_ADDRESS; CADDY_ADMIN for the admin API)"
	if err := sandbox(t.Context(), io.Discard, sandboxRate, false); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// exiting is an error as returned by Caddy's commands.
type exiting struct{ ExitCode int }

func (*exiting) Error() string { return "" }

func TestExitCode(t *testing.T) {
	for want, err := range map[int]error{1: errors.New("any"), 3: &exiting{3}} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: got %d", err, got)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, words := range [][]string{{"version"}, {"--version"}} {
		out, _, err := typed(words...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[0], "rodata ") ||
			!strings.Contains(lines[0], "(commit ") ||
			!strings.HasPrefix(lines[1], "Caddy v2.") || !strings.HasPrefix(lines[2], "go1.") {
			t.Errorf("%v: got %v %q", words, err, out)
		}
	}

	out, _, err := typed("version", "--json")
	var reported build
	if err != nil || json.Unmarshal([]byte(out), &reported) != nil || reported.Rodata == "" || reported.Caddy == "" ||
		reported.Go == "" {
		t.Errorf("got %v %s", err, out)
	}
}

func TestCommitOfABuild(t *testing.T) {
	const revision = "4a72428c0ffee00000000000000000000000000d"
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"in a repository": {debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}}},
			revision},
		"a release":    {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, ""},
		"a prerelease": {debug.BuildInfo{Main: debug.Module{Version: "v1.2.3-rc.1"}}, ""},
		"pseudo-version": {debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261122063000-4a72428c0ffe"}},
			"4a72428c0ffe"},
		"nothing known": {debug.BuildInfo{}, ""},
	} {
		if got := buildOf(&c.info).Commit; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
