package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/rodata/rodata/caddymodule/adminapi"
	"github.com/spf13/cobra"
)

// backupCommand copies the account store.
func backupCommand() *cobra.Command {
	return gatewayCommand("backup <file>", "Copies the accounts", `
Has a running gateway write a consistent copy of its accounts to a new file, on the
machine that it runs on.

To restore it, stop the gateway and put the copy in the place of accounts.db in the
data directory; delete accounts.db-wal and accounts.db-shm. Keys are only recognised
with the same secret: the file "secret" there, or RODATA_SECRET. Accounts in
PostgreSQL are copied with pg_dump.`, "rodata backup /var/backups/accounts.db", 1, backup)
}

func backup(g *remote, args []string) error {
	if args[0] == "" {
		return errors.New("the name of the file to write is empty")
	}
	file, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}

	return tell(g, http.MethodPost, "/rodata/backup?file="+url.QueryEscape(file), nil,
		func(w io.Writer, copied adminapi.Backup) {
			fmt.Fprintf(w, "the accounts are copied to %s (%s); keep the secret of the deployment with them\n",
				file, humanize.IBytes(uint64(copied.Bytes)))
		})
}
