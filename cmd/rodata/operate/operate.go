// Package operate contains the commands with which operators look after a running gateway, through its admin API.
package operate

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/ro"
)

// Commands returns the commands that call a running gateway.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		gatewayCommand("sources", "Shows the state of the registries", `
Shows the state of each registry as a running gateway sees it: whether it answers,
when it last did, how old its newest data is, and how many publications are missing.
Then the state of the mirror, which checks companies in the background: its scope,
the number of companies, and how many checks are overdue. With --json, see
"rodata mirror".`,
			"rodata sources", 0, sources),
		gatewayCommand("mirror", "Shows the state of the mirror", `
Shows which companies a running gateway checks in the background:

  COMPANIES  watched, seen, in_operation or all
  STATE      looking; resting while requests to the tax authority are blocked;
             elsewhere if another server of the fleet runs the mirror
  SHARE      share of the tax authority's ration: used in the last hour, and allowed
  IN SCOPE   companies to check
  24H        companies checked in the last 24 hours
  OLDEST     when the least recently checked watched company was checked
  OVERDUE    watched companies overdue for a check by a day or more
  UNPAID     watched companies that no account has paid for this month`,
			"rodata mirror", 0, func(g *Gateway, _ []string) error { return show(g, "/rodata/mirror", printMirror) }),
		gatewayCommand("queue", "Shows the queue of a registry", `
Shows how many companies wait for a request to the tax authority:

  INTERACTIVE  callers wait for them
  REFRESH      stale entries, renewed in the background
  PREFETCH     popular entries, renewed before they expire
  QUARANTINED  requested alone, because they made a batch fail
  AGAIN        from batches that failed
  STATEMENTS   yearly statements, requested one by one

then the requests in flight, and the totals since the start.`,
			"rodata queue", 0, func(g *Gateway, _ []string) error { return show(g, "/rodata/queue", printQueues) }),
		gatewayCommand("purge <cui>", "Removes a company from the cache", `
Removes a company from the cache of a running gateway, in memory and on disk, so
that the next call asks the registry again. <cui> is its number, without RO.`,
			"rodata purge 9900000010", 1, purge),
		backupCommand(), accountsCommand(), keysCommand(), plansCommand(), contactCommand(), invoicesCommand(),
		paymentsCommand(), receiptsCommand(),
	}
}

// The ends of help texts: one for commands on accounts and keys, and one for all commands that call a running gateway.
const (
	aboutAccounts = `

<account> is the id of an account, or the e-mail address of its owner.`
	aboutGateway = `

This asks the admin API of a running gateway, which listens on its own machine only,
unless the configuration says otherwise. The sandbox has none.`
)

// gatewayCommand returns a command that calls a running gateway.
func gatewayCommand(use, short, long, example string, arguments int,
	run func(*Gateway, []string) error) *cobra.Command {
	if strings.Contains(use, "<account>") {
		long += aboutAccounts
	}

	cmd := command.New(use, short, long+aboutGateway, example, arguments)
	address := cmd.Flags().String("address", caddy.DefaultAdminListen,
		"Address of the gateway's admin API: host:port, or unix//path")
	asJSON := cmd.Flags().Bool("json", false, "Print the answer as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return run(&Gateway{cmp.Or(*address, caddy.DefaultAdminListen), *asJSON, cmd.OutOrStdout(),
			cmd.ErrOrStderr()}, args)
	}
	return cmd
}

// sources prints the registries and, in a separate table, the mirror.
func sources(g *Gateway, _ []string) error {
	err := show(g, "/rodata/sources", printSources)
	if err != nil || g.JSON {
		return err
	}

	fmt.Fprintln(g.Out)
	return show(g, "/rodata/mirror", printMirror)
}

func printMirror(w io.Writer, m system.MirrorStatus) {
	fmt.Fprintln(w, "COMPANIES\tSTATE\tSHARE\tIN SCOPE\t24H\tOLDEST\tOVERDUE\tUNPAID")
	fmt.Fprintf(w, "%s\t%s\t%.1f%% of %.3g%%\t%d\t%d\t%s\t%d\t%d\n", m.Companies, m.State, 100*m.ShareUsed, 100*m.Share,
		m.InScope, m.LookedAt, timeOr(m.OldestLook, time.RFC3339, "never"), m.Overdue, m.Unpaid)
}

func printSources(w io.Writer, sources []system.SourceStatus) {
	fmt.Fprintln(w, "SOURCE\tSTATE\tBREAKER\tLAST SUCCESS\tAS OF\tMISSED")
	for _, s := range sources {
		day := "-"
		if s.AsOf != nil {
			day = s.AsOf.String()
		}

		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", s.Name, s.State, s.Breaker,
			timeOr(s.LastSuccess, time.RFC3339, "never"), day, s.MissedPublications)
	}
}

func printQueues(w io.Writer, queues []adminapi.Queue) {
	fmt.Fprintln(w, "REGISTRY\tINTERACTIVE\tREFRESH\tPREFETCH\tQUARANTINED\tAGAIN\tSTATEMENTS\tRUNNING\tREQUESTS\tCOMPANIES\tSPLIT\tREFUSED")
	for _, q := range queues {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", q.Name, q.Interactive, q.Refresh, q.Prefetch,
			q.Quarantined, q.Again, q.Statements, q.Running, q.Requests, q.Companies, q.Split, q.Refused)
	}
}

func purge(g *Gateway, args []string) error {
	var cui ro.CUI
	if err := cui.UnmarshalText([]byte(args[0])); err != nil {
		return err
	}
	if _, err := g.Send(http.MethodDelete, "/rodata/cache/companies/"+cui.String(), nil); err != nil {
		return err
	}

	return g.print(map[string]any{"taxId": cui, "purged": true},
		"company "+cui.String()+" is removed from the cache; the next call asks the registry")
}
