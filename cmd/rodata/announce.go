package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule"
	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/service"
)

// announceOnTerminal makes "rodata run" print its addresses if it runs on a terminal, and the mails of a sandbox that
// has no mail server.
func announceOnTerminal(run *cobra.Command, builtIn bool) {
	if !ask.IsTerminal(run.OutOrStdout()) {
		return
	}

	logForPeople(run.ErrOrStderr())
	file, _ := run.Flags().GetString("config")
	config := configName(cmp.Or(file, "Caddyfile"), builtIn)
	if resume, _ := run.Flags().GetBool("resume"); resume {
		config = "the last active configuration (--resume)"
	}

	out := run.OutOrStdout()
	caddymodule.Terminal = caddymodule.Console{
		Serving: func(dataDir string, endpoints []caddymodule.Endpoint) { announce(out, config, dataDir, endpoints) },
		Mail:    func(m mail.Message) { printMail(out, m) },
	}
}

// announce prints the addresses and channels of the gateway.
func announce(out io.Writer, config, dataDir string, endpoints []caddymodule.Endpoint) {
	if len(endpoints) == 0 {
		fmt.Fprintln(out, "rodata runs, but no site of the configuration has it: add the directive rodata to one")
		return
	}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range endpoints {
		fmt.Fprintf(table, "\nrodata %s serves %s\n\n", service.Version(), e.URL)
		for _, c := range e.Channels() {
			fmt.Fprintf(table, "  %s\t%s\n", channelNames[c.Name], c.URL)
		}
	}

	fmt.Fprintf(table, "  Data directory\t%s\n  Configuration\t%s\n\nStop with Ctrl-C.\n\n", dataDir, config)
	table.Flush()
}

var channelNames = map[string]string{"pages": "Pages", "rest": "REST", "mcp": "MCP"}
