package operate

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// keysCommand groups the commands on API keys.
func keysCommand() *cobra.Command {
	return command.Group("keys", "Issues, lists and revokes API keys", issueKey(), listKeys(), revokeKey())
}

func issueKey() *cobra.Command {
	var wanted struct {
		Name string `json:"name"`
	}
	cmd := gatewayCommand("issue <account> --name <name>", "Issues an API key and prints it", `
Issues a key for an account and prints it. It is shown only once: the gateway keeps a
hash of it. An account has up to 20 keys.`,
		"rodata keys issue ana@example.ro --name ERP", 1, func(g *Gateway, args []string) error {
			if wanted.Name == "" {
				return ask.WrongUsage("the key needs a name, as in: rodata keys issue ana@example.ro --name ERP")
			}
			return onAccount(func(g *Gateway, path string, _ []string) error {
				return printAnswer(g, http.MethodPost, path+"/keys", wanted,
					func(w io.Writer, key customer.NewKey) { fmt.Fprintln(w, key.Key) })
			})(g, args)
		})

	cmd.Flags().StringVar(&wanted.Name, "name", "", "Name of the key, 1 to 100 characters (required)")
	return cmd
}

func listKeys() *cobra.Command {
	return gatewayCommand("list <account>", "Lists the API keys of an account", `
Lists the keys of an account that are not revoked. Of each key it shows the beginning
and the last four characters.`,
		"rodata keys list ana@example.ro", 1,
		onAccount(func(g *Gateway, path string, _ []string) error { return show(g, path+"/keys", printKeys) }))
}

func printKeys(w io.Writer, keys []customer.KeyInfo) {
	fmt.Fprintln(w, "KEY\tBEGINS\tENDS\tCREATED\tLAST USED\tEXPIRES\tNAME")
	for _, k := range keys {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Prefix, k.Last4, day(&k.CreatedAt), day(k.LastUsedAt),
			day(k.ExpiresAt), k.Name)
	}
}

func revokeKey() *cobra.Command {
	return gatewayCommand("revoke <account> <key>", "Revokes an API key", `
Revokes a key, and the keys that were made with it, for good: at once in this gateway,
within 10 seconds in others on the same store. <key> is its id, as "rodata keys list"
shows it, not the key itself.`,
		"rodata keys revoke ana@example.ro 019c0de5-0000-7000-8000-000000000000", 2,
		onAccount(func(g *Gateway, path string, args []string) error {
			path, err := resourcePath(path+"/keys", args[1], `an id is empty; "rodata keys list" lists the keys`)
			if err != nil {
				return err
			}
			return g.confirm(http.MethodDelete, path, "key "+args[1]+" is revoked")
		}))
}
