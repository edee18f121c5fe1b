package operate

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
)

func passwordLink() *cobra.Command {
	return gatewayCommand("password-link <account>", "Makes a link for the owner to set a password", `
Prints a link with which the owner of an account can set a password, once and within
an hour: for a new owner where no mail is sent, or for an owner who forgot the
password. Anyone who has the link can use it: give it to the owner alone. Using it
ends the owner's sessions and, if the address was never verified, also revokes the
keys and connected programs of the person who signed up with it.

Without a base_url (RODATA_BASE_URL) only the path of the link is printed, with a
note on standard error; put the address of the service in front.`,
		"rodata accounts password-link ana@example.ro", 1, onAccount(func(g *Gateway, path string, _ []string) error {
			return printPasswordLink(g, path)
		}))
}

// printPasswordLink creates and prints a link for the owner of an account. If the gateway returns only a path, it adds
// a note, so that nobody sends the path to the owner as it is.
func printPasswordLink(g *Gateway, account string) error {
	answer, err := g.Send(http.MethodPost, account+"/password-link", nil)
	if err != nil {
		return err
	}

	var link adminapi.PasswordLink
	if err := g.read(answer, &link); err != nil {
		return err
	}
	if strings.HasPrefix(link.URL, "/") {
		fmt.Fprintln(g.Notes, "This is only the path of the link: put the service's URL in front of it, or set "+
			"base_url (RODATA_BASE_URL), with which whole links are printed.")
	}

	return g.print(link, link.URL)
}

func setEmail() *cobra.Command {
	return gatewayCommand("set-email <account> <address>", "Changes the e-mail address of the owner", `
Changes the e-mail address with which the owner of an account signs in. Where mail is
sent, they verify it as after signing up; links that were sent to the old address
stop working.`,
		"rodata accounts set-email ana@example.ro ana.exemplu@example.ro", 2,
		onAccount(func(g *Gateway, path string, args []string) error {
			return printAnswer(g, http.MethodPut, path+"/email", map[string]string{"email": args[1]},
				func(w io.Writer, a adminapi.Account) {
					fmt.Fprintf(w, "account %s belongs to %s\n", a.ID, a.Email)
				})
		}))
}
