package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/api"
)

// What ends the help of the commands on accounts and keys, and of all that ask a
// running gateway.
const (
	aboutAccounts = `

<account> is the id of an account, or the e-mail address of who signs in to it.`
	aboutGateway = `

The command asks the admin API of a running gateway, which is not reachable from
other machines unless the configuration says so. The sandbox has none.`
)

// groupCommands are the commands that ask a running gateway, by what they are
// about.
func groupCommands() []caddycmd.Command {
	return []caddycmd.Command{accountsCommand(), keysCommand(), plansCommand(), contactCommand(), invoicesCommand(), paymentsCommand()}
}

// accountsCommand groups the commands on accounts.
func accountsCommand() caddycmd.Command {
	return groupCommand("accounts", "Manages the accounts of a running gateway",
		createAccount(), listAccounts(), showAccount(), setPlan(), setEmail(), passwordLink(), giveCredits(), closeAccount(), importAccounts())
}

// groupCommand is a command that only has others below it.
func groupCommand(name, short string, below ...*cobra.Command) caddycmd.Command {
	return caddycmd.Command{
		Name: name, Short: short,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Args = cobra.NoArgs
			cmd.AddCommand(below...)
		},
	}
}

// subCommand is a gatewayCommand about an account.
func subCommand(use, short, long, example string, arguments int, run func(*remote, []string) error) *cobra.Command {
	return gatewayCommand(use, short, long+aboutAccounts, example, arguments, run)
}

// gatewayCommand is a command below another that asks a running gateway. The example
// says how many arguments it takes.
func gatewayCommand(use, short, long, example string, arguments int, run func(*remote, []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(long) + aboutGateway, Example: "  " + example,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != arguments {
				return fmt.Errorf("%d arguments are needed and %d were given, as in: %s", arguments, len(args), example)
			}
			return nil
		}}
	askGateway(cmd, run)
	return cmd
}

// accountInfo is an account as the admin API tells it.
type accountInfo struct {
	ID, Plan, Email, Name string
	CreatedAt             time.Time
	ClosedAt              *time.Time
}

// accountDetails is one account with all that is told of it.
type accountDetails struct {
	accountInfo
	Period                    string
	CreditsUsed, CreditsGiven int64
	Keys                      []api.KeyInfo
}

func createAccount() *cobra.Command {
	var wanted struct {
		Plan  string `json:"plan"`
		Email string `json:"email"`
		Name  string `json:"name"`
	}
	cmd := subCommand("create [--email <address>] [--name <name>] [--plan <code>]", "Opens an account and prints its id", `
Opens an account and prints its id. With an e-mail address it is one that its owner
can sign in to: by a link that is mailed, or with a password that they set, by asking
for a new one or with the link of "rodata accounts password-link". Without one it
has nothing but the keys that "rodata keys issue" makes.`,
		"rodata accounts create --email ana@example.ro --plan starter", 0, func(g *remote, _ []string) error {
			body, err := g.send(http.MethodPost, "/rodata/accounts", wanted)
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, a accountInfo) { fmt.Fprintln(w, a.ID) })
		})
	cmd.Flags().StringVar(&wanted.Email, "email", "", "Address of who signs in to it")
	cmd.Flags().StringVar(&wanted.Name, "name", "", "Name of who signs in to it; default: the address")
	cmd.Flags().StringVar(&wanted.Plan, "plan", "", "Code of its plan; default: the first in the catalogue")
	return cmd
}

// query is what is looked for among accounts.
type query struct {
	Query string `json:"query"`
	After string `json:"after"`
	Limit int    `json:"limit"`
}

func listAccounts() *cobra.Command {
	var q query
	cmd := subCommand("list [--query <text>] [--after <id>] [--limit <number>]", "Lists accounts", `
Lists accounts in the order in which they were opened. --query keeps those with an
e-mail address, with a plan, or with an id that begins so; --after goes on behind
the last id of a list before.`,
		"rodata accounts list --query ana@example.ro", 0, func(g *remote, _ []string) error {
			body, err := g.send(http.MethodPost, "/rodata/accounts/find", q)
			if err != nil {
				return err
			}
			return tell(g, body, printAccounts)
		})
	cmd.Flags().StringVar(&q.Query, "query", "", "An e-mail address, the code of a plan, or the beginning of an id")
	cmd.Flags().StringVar(&q.After, "after", "", "Id of the account behind which to go on")
	cmd.Flags().IntVar(&q.Limit, "limit", 100, "How many to list at most, 1 to 100")
	return cmd
}

func printAccounts(w io.Writer, accounts []accountInfo) {
	fmt.Fprintln(w, "ACCOUNT\tPLAN\tOPENED\tCLOSED\tE-MAIL\tNAME")
	for _, a := range accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", a.ID, a.Plan, day(&a.CreatedAt), day(a.ClosedAt), orDash(a.Email), orDash(a.Name))
	}
}

func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateOnly)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// path is the address of an account that is named by its id or its owner's
// e-mail address, and of what is below it.
func (g *remote) path(name string, below ...string) (string, error) {
	if strings.Contains(name, "@") {
		body, err := g.send(http.MethodPost, "/rodata/accounts/find", query{Query: name, Limit: 1})
		if err != nil {
			return "", err
		}
		var found []accountInfo
		if err := json.Unmarshal(body, &found); err != nil {
			return "", fmt.Errorf("reading the answer of %s: %w", g.address, err)
		}
		if len(found) == 0 {
			return "", fmt.Errorf("nobody signs in with %s; \"rodata accounts list\" shows all accounts", name)
		}
		name = found[0].ID
	}
	path := "/rodata/accounts"
	for _, part := range append([]string{name}, below...) {
		if part == "" {
			return "", errors.New("an id is empty; \"rodata accounts list\" shows the accounts")
		}
		path += "/" + url.PathEscape(part)
	}
	return path, nil
}

func showAccount() *cobra.Command {
	return subCommand("show <account>", "Shows an account, its use and its keys", `
Shows an account: its plan, whose it is, the credits of this month, and its keys.`,
		"rodata accounts show ana@example.ro", 1, func(g *remote, args []string) error {
			path, err := g.path(args[0])
			if err != nil {
				return err
			}
			return show(g, path, func(w io.Writer, a accountDetails) {
				printAccounts(w, []accountInfo{a.accountInfo})
				fmt.Fprintf(w, "\nCredits of %s: %d used, %d given beyond the plan's.\n\n", a.Period, a.CreditsUsed, a.CreditsGiven)
				printKeys(w, a.Keys)
			})
		})
}

func setPlan() *cobra.Command {
	return subCommand("set-plan <account> <plan>", "Gives an account another plan", `
Gives an account another plan, from the next call on (within 10 seconds in other
processes on the same store). The credits that were used this month stay used.
"rodata plans list" shows the plans. An account with a paid subscription gets its
plan from there again when that is renewed or changed.`,
		"rodata accounts set-plan ana@example.ro pro", 2, func(g *remote, args []string) error {
			path, err := g.path(args[0], "plan")
			if err != nil {
				return err
			}
			body, err := g.send(http.MethodPut, path, map[string]string{"plan": args[1]})
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, a accountInfo) { fmt.Fprintf(w, "account %s has the plan %s\n", a.ID, a.Plan) })
		})
}

func giveCredits() *cobra.Command {
	return subCommand("give-credits <account> <number>", "Gives an account credits for this month", `
Gives an account credits beyond its plan's, for this calendar month (UTC). What is
not used by its end is gone.`,
		"rodata accounts give-credits ana@example.ro 500", 2, func(g *remote, args []string) error {
			credits, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || credits < 1 {
				return fmt.Errorf("%q is not a number of credits, as 500", args[1])
			}
			path, err := g.path(args[0], "credits")
			if err != nil {
				return err
			}
			body, err := g.send(http.MethodPost, path, map[string]int64{"credits": credits})
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, given struct {
				Account, Period string
				Credits         int64
			}) {
				fmt.Fprintf(w, "account %s has %d credits more in %s\n", given.Account, given.Credits, given.Period)
			})
		})
}

func closeAccount() *cobra.Command {
	return subCommand("close <account>", "Closes an account for good", `
Closes an account for good: its keys are not accepted any more, and who signs in to
it is deleted; their address can sign up again. What the law wants kept stays, in
which nothing names the person. This cannot be undone.`,
		"rodata accounts close ana@example.ro", 1, func(g *remote, args []string) error {
			path, err := g.path(args[0])
			if err != nil {
				return err
			}
			return g.done(http.MethodDelete, path, "account "+args[0]+" is closed")
		})
}

// done asks for what is answered with nothing, and says that it is done.
func (g *remote) done(method, path, said string) error {
	if _, err := g.ask(method, path); err != nil {
		return err
	}
	if g.json {
		return json.NewEncoder(g.out).Encode(map[string]bool{"done": true})
	}
	_, err := fmt.Fprintln(g.out, said)
	return err
}
