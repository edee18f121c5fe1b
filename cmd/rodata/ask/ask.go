// Package ask contains the commands that call a gateway through its public API: for companies, rates, codes, VAT
// numbers, and watch-lists.
package ask

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

// DefaultURL is the address of a sandbox.
const DefaultURL = "http://127.0.0.1:8080"

// Commands returns the commands. The version is for the gateway's log.
func Commands(version string) []*cobra.Command {
	commands := []*cobra.Command{
		getCommand(), searchCommand(), batchCommand(), statusCommand(), verifyCommand(), vatCommand(),
		fxCommand(), caenCommand(), watchCommand(),
	}
	for _, cmd := range commands {
		cmd.Annotations = map[string]string{versionAnnotation: version}
	}
	return commands
}

const versionAnnotation = "version"

// patience is the longest Retry-After that a command waits for. It is enough for the rate limit, but not for a registry
// that is down.
const patience = 2 * time.Second

// question is a command that calls a gateway.
type question struct {
	use, short, long, examples string
	minArgs                    int
	maxArgs                    int  // 0 for any number, -1 for none
	plain                      bool // without --json and --csv
	run                        func(ctx context.Context, s *session, args []string) error
}

// aboutAsking is the end of every command's help.
const aboutAsking = `

The gateway is the one at RODATA_URL, by default the sandbox on this machine, and
RODATA_KEY holds the key, if there is one. Exit codes: 0 answered, 1 error, 2 wrong
usage, 3 not found or not valid, 4 not answered now, so try again.`

// session is one run of a command.
type session struct {
	*client.Client
	keyed     bool
	form      form
	out, errs io.Writer
	colours   bool
}

// command returns the command of a question, to which the caller adds flags.
func (q question) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: q.use + " [flags]", Short: q.short, Long: strings.TrimSpace(q.long) + aboutAsking, Example: q.examples,
		Args: q.checkArgs, ValidArgsFunction: cobra.NoFileCompletions,
	}
	address := cmd.Flags().String("url", "", "Address of the gateway (default RODATA_URL, else "+DefaultURL+")")
	allowHTTP := cmd.Flags().Bool("allow-http", false, "Send the key over http:// within a private network")
	var asJSON, asCSV bool
	if !q.plain {
		cmd.Flags().BoolVar(&asJSON, "json", false, "Print JSON, for programs")
		cmd.Flags().BoolVar(&asCSV, "csv", false, "Print CSV, for spreadsheets")
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if asJSON && asCSV {
			return WrongUsage("--json and --csv cannot be combined; choose one")
		}

		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		s, err := newSession(cmd, *address, *allowHTTP)
		if err != nil {
			return err
		}

		s.form = formOf(asJSON, asCSV)
		return s.explain(ctx, q.run(ctx, s, args))
	}
	return cmd
}

func newSession(cmd *cobra.Command, address string, allowHTTP bool) (*session, error) {
	key := strings.TrimSpace(os.Getenv("RODATA_KEY"))
	c, err := client.New(client.Options{
		URL: cmp.Or(address, os.Getenv("RODATA_URL"), DefaultURL), Key: key, AllowHTTP: allowHTTP,
		UserAgent: "rodata/" + versionOf(cmd), MaxWait: patience,
	})
	if err != nil {
		return nil, WrongUsage("%w; RODATA_URL or --url names the gateway", err)
	}

	out := cmd.OutOrStdout()
	return &session{Client: c, keyed: key != "", out: out, errs: cmd.ErrOrStderr(), colours: hasColours(out)}, nil
}

func versionOf(cmd *cobra.Command) string {
	for ; cmd != nil; cmd = cmd.Parent() {
		if version, ok := cmd.Annotations[versionAnnotation]; ok {
			return version
		}
	}

	return ""
}

func (q question) checkArgs(cmd *cobra.Command, args []string) error {
	example, _, _ := strings.Cut(strings.TrimSpace(q.examples), "\n")
	example = strings.TrimSpace(example)
	switch {
	case len(args) < q.minArgs:
		return WrongUsage("%s needs another argument, as in: %s", cmd.CommandPath(), example)
	case q.maxArgs > 0 && len(args) > q.maxArgs, q.maxArgs < 0 && len(args) > 0:
		return WrongUsage("%s does not take the argument %q, as in: %s", cmd.CommandPath(), args[len(args)-1], example)
	}

	return nil
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.errs, format+"\n", args...) }
