package operate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// accountsCommand groups the commands on accounts.
func accountsCommand() *cobra.Command {
	return command.Group("accounts", "Opens, lists, changes and closes accounts",
		createAccount(), listAccounts(), showAccount(), setPlan(), setEmail(), passwordLink(), giveCredits(),
		closeAccount(), importAccounts())
}

func createAccount() *cobra.Command {
	var wanted adminapi.NewAccount
	cmd := gatewayCommand("create [--email <address>] [--name <name>] [--plan <code>]",
		"Opens an account and prints its id", `
Opens an account and prints its id. With an e-mail address its owner can sign in: by
a link in a mail, or with a password that they set after asking for a new one or with
the link of "rodata accounts password-link". An account without an address has no
sign-in, only the keys that "rodata keys issue" makes.`,
		"rodata accounts create --email ana@example.ro --plan starter", 0, func(g *Gateway, _ []string) error {
			return printAnswer(g, http.MethodPost, "/rodata/accounts", wanted,
				func(w io.Writer, a adminapi.Account) { fmt.Fprintln(w, a.ID) })
		})

	cmd.Flags().StringVar(&wanted.Email, "email", "", "E-mail address of the owner, who can then sign in")
	cmd.Flags().StringVar(&wanted.Name, "name", "", "Name of the owner (default: the address)")
	cmd.Flags().StringVar(&wanted.Plan, "plan", "", "Code of the plan (default: the first of \"rodata plans list\")")
	return cmd
}

func listAccounts() *cobra.Command {
	var q adminapi.AccountQuery
	cmd := gatewayCommand("list [--query <text>] [--after <id>] [--limit <number>]", "Lists accounts", `
Lists accounts, the oldest first. --query keeps those with an e-mail address, with a
plan, or whose id begins with a text; --after continues a list after its last id.`,
		"rodata accounts list --query ana@example.ro", 0, func(g *Gateway, _ []string) error {
			return printAnswer(g, http.MethodPost, "/rodata/accounts/find", q, printAccounts)
		})

	cmd.Flags().StringVar(&q.Query, "query", "", "E-mail address, code of a plan, or beginning of an id")
	cmd.Flags().StringVar(&q.After, "after", "", "Id of the account after which to continue")
	cmd.Flags().IntVar(&q.Limit, "limit", 100, "Maximum number of accounts to list, 1 to 100")
	return cmd
}

func printAccounts(w io.Writer, accounts []adminapi.Account) {
	fmt.Fprintln(w, "ACCOUNT\tPLAN\tOPENED\tCLOSED\tE-MAIL\tNAME")
	for _, a := range accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", a.ID, a.Plan, day(&a.CreatedAt), day(a.ClosedAt), orDash(a.Email),
			orDash(a.Name))
	}
}

func day(t *time.Time) string { return timeOr(t, time.DateOnly, "-") }

// timeOr formats a time in a layout; it returns another text for none.
func timeOr(t *time.Time, layout, none string) string {
	if t == nil {
		return none
	}
	return t.Format(layout)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// onAccount adapts run to a command with an account as its first argument, given by its id or by its owner's e-mail
// address. run gets the path of the account.
func onAccount(run func(g *Gateway, path string, args []string) error) func(*Gateway, []string) error {
	return func(g *Gateway, args []string) error {
		id, err := g.accountID(args[0])
		if err != nil {
			return err
		}

		path, err := resourcePath("/rodata/accounts", id, `an id is empty; "rodata accounts list" lists the accounts`)
		if err != nil {
			return err
		}

		return run(g, path, args)
	}
}

// accountID returns the id of an account. The argument is the id itself or the address of the owner.
func (g *Gateway) accountID(name string) (string, error) {
	if !strings.Contains(name, "@") {
		return name, nil
	}

	body, err := g.Send(http.MethodPost, "/rodata/accounts/find", adminapi.AccountQuery{Query: name, Limit: 1})
	if err != nil {
		return "", err
	}

	var found []adminapi.Account
	if err := g.read(body, &found); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no account has the address %s; \"rodata accounts list\" lists all accounts", name)
	}

	return found[0].ID, nil
}

// resourcePath returns the path of a resource in a collection. It returns an error with the message if the id is empty.
func resourcePath(collection, id, message string) (string, error) {
	if id == "" {
		return "", errors.New(message)
	}
	return collection + "/" + url.PathEscape(id), nil
}

func showAccount() *cobra.Command {
	return gatewayCommand("show <account>", "Shows an account, its use and its keys", `
Shows an account: its plan, its owner, the credits of this month, and its keys.`,
		"rodata accounts show ana@example.ro", 1, onAccount(func(g *Gateway, path string, _ []string) error {
			return show(g, path, func(w io.Writer, a adminapi.AccountDetails) {
				printAccounts(w, []adminapi.Account{a.Account})
				if a.Consent != "" {
					fmt.Fprintf(w, "\nTerms and privacy statement %s accepted on %s.\n", a.Consent, day(a.ConsentedAt))
				}

				fmt.Fprintf(w, "\nCredits of %s: %d used; %d given in addition to the plan's.\n\n", a.Period,
					a.Used, a.Given)
				printKeys(w, a.Keys)
			})
		}))
}

func setPlan() *cobra.Command {
	return gatewayCommand("set-plan <account> <plan>", "Changes the plan of an account", `
Changes the plan of an account, from the next call on (within 10 seconds in other
processes on the same store). Credits that were used this month stay used. "rodata
plans list" lists the plans. The plan of a paid subscription replaces this one when
the subscription is renewed or changed.`,
		"rodata accounts set-plan ana@example.ro pro", 2, onAccount(func(g *Gateway, path string, args []string) error {
			return printAnswer(g, http.MethodPut, path+"/plan", map[string]string{"plan": args[1]},
				func(w io.Writer, a adminapi.Account) {
					fmt.Fprintf(w, "account %s is on the plan %s\n", a.ID, a.Plan)
				})
		}))
}

func giveCredits() *cobra.Command {
	return gatewayCommand("give-credits <account> <number>", "Gives an account more credits for this month", `
Gives an account credits in addition to its plan's, for this calendar month (UTC).
They expire at the end of the month.`,
		"rodata accounts give-credits ana@example.ro 500", 2, func(g *Gateway, args []string) error {
			credits, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || credits < 1 {
				return ask.WrongUsage("%q is not a number of credits; give a whole number from 1 on, as in: rodata "+
					"accounts give-credits ana@example.ro 500", args[1])
			}

			return onAccount(func(g *Gateway, path string, _ []string) error {
				return printAnswer(g, http.MethodPost, path+"/credits", map[string]int64{"credits": credits},
					func(w io.Writer, given adminapi.GivenCredits) {
						fmt.Fprintf(w, "account %s has %d more credits in %s\n", given.Account, given.Credits,
							given.Period)
					})
			})(g, args)
		})
}

func closeAccount() *cobra.Command {
	return gatewayCommand("close <account>", "Closes an account permanently", `
Closes an account permanently: its keys are revoked, and its owner is deleted; the
address can sign up again. Records that the law requires are kept without the
person's name. This cannot be undone.`,
		"rodata accounts close ana@example.ro", 1, onAccount(func(g *Gateway, path string, args []string) error {
			return g.confirm(http.MethodDelete, path, "account "+args[0]+" is closed")
		}))
}
