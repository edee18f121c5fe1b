package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

func passwordLink() *cobra.Command {
	return subCommand("password-link <account>", "Makes a link with which the owner of an account sets a password", `
Prints a link with which the owner of an account sets a password, within an hour and
once: for a new owner where no mail is sent, and for one who forgot theirs. Whoever
has the link can do so: give it to the owner alone. It ends the owner's sessions and,
if nobody had verified the address, also the keys and connected programs of whoever
signed up with it.
Without a base_url it is printed from the first / on; what comes before is the
address of the service.`,
		"rodata accounts password-link ana@example.ro", 1, func(g *remote, args []string) error {
			path, err := g.path(args[0], "password-link")
			if err != nil {
				return err
			}
			body, err := g.ask(http.MethodPost, path)
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, link struct{ URL string }) { fmt.Fprintln(w, link.URL) })
		})
}

func setEmail() *cobra.Command {
	return subCommand("set-email <account> <address>", "Gives the owner of an account another e-mail address", `
Gives the owner of an account another e-mail address to sign in with. Where mail is
sent, they verify it as after signing up; links that were sent to the address
before do not work any more.`,
		"rodata accounts set-email ana@example.ro ana.exemplu@example.ro", 2, func(g *remote, args []string) error {
			path, err := g.path(args[0], "email")
			if err != nil {
				return err
			}
			body, err := g.send(http.MethodPut, path, map[string]string{"email": args[1]})
			if err != nil {
				return err
			}
			return tell(g, body, func(w io.Writer, a accountInfo) { fmt.Fprintf(w, "account %s is that of %s\n", a.ID, a.Email) })
		})
}
