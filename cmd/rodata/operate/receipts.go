package operate

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/rodata/rodata/cmd/rodata/command"
)

// receiptsCommand groups the commands on the keys of receipts.
func receiptsCommand() *cobra.Command {
	return command.Group("receipts", "Lists and rotates the keys that sign receipts", listReceiptKeys(),
		rotateReceiptKeys())
}

func listReceiptKeys() *cobra.Command {
	return gatewayCommand("keys", "Lists the keys that sign receipts", `
Lists the keys that sign receipts, the newest first: since when each signs, and whether
its private half has been erased. A public half is kept for good, so that every receipt
can be verified with /.well-known/jwks.json.`,
		"rodata receipts keys", 0, func(g *Gateway, _ []string) error {
			return show(g, "/rodata/receipts/keys", printReceiptKeys)
		})
}

func rotateReceiptKeys() *cobra.Command {
	return gatewayCommand("rotate", "Makes a new key that signs receipts", `
Makes a new key that signs receipts. It is published at once, and signs an hour later,
when all servers and all verifiers know it; two hours from now the private halves of the
keys before it are erased. Receipts that they signed stay valid. A gateway rotates its
key once a year by itself.`,
		"rodata receipts rotate", 0, func(g *Gateway, _ []string) error {
			return printAnswer(g, http.MethodPost, "/rodata/receipts/keys", nil, printReceiptKeys)
		})
}

func printReceiptKeys(w io.Writer, keys []adminapi.ReceiptKey) {
	fmt.Fprintln(w, "KEY\tCREATED\tSIGNS FROM\tPRIVATE HALF")
	for _, k := range keys {
		private := "encrypted"
		if k.Erased {
			private = "erased"
		}

		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.ID, k.Created.Format(time.RFC3339), k.Signs.Format(time.RFC3339), private)
	}
}
