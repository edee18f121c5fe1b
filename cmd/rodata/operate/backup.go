package operate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/caddymodule/adminapi"
)

// backupCommand copies the accounts, or the observations and receipts.
func backupCommand() *cobra.Command {
	var history bool
	cmd := gatewayCommand("backup <file>", "Copies the accounts, or the observations and receipts", `
Has a running gateway write a consistent copy of its accounts to a new file, on the
machine that it runs on; with --history, of what it observed and of its receipts.

To restore it, stop the gateway and put the copy in the place of accounts.db (or
history.db) in the data directory; delete accounts.db-wal and accounts.db-shm (or those
of history.db). Keys are only recognised, and receipts signed with the keys that are
there, with the same secret: the file "secret" there, or RODATA_SECRET. Stores in
PostgreSQL are copied with pg_dump.`, "rodata backup /var/backups/accounts.db", 1, func(g *Gateway, args []string) error {
		return backup(g, args[0], history)
	})

	cmd.Flags().BoolVar(&history, "history", false, "Copy the observations and receipts")
	return cmd
}

func backup(g *Gateway, name string, history bool) error {
	if name == "" {
		return errors.New("the name of the file to write is empty")
	}

	file, err := filepath.Abs(name)
	if err != nil {
		return err
	}

	path, copied := "/rodata/backup?file="+url.QueryEscape(file), "the accounts are"
	if history {
		path, copied = path+"&store=history", "the observations and receipts are"
	}

	return printAnswer(g, http.MethodPost, path, nil, func(w io.Writer, b adminapi.Backup) {
		fmt.Fprintf(w, "%s copied to %s (%s); keep the secret of the deployment with them\n",
			copied, file, humanize.IBytes(uint64(b.Bytes)))
	})
}
