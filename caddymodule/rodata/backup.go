package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// backupCommand copies the accounts.
func backupCommand() caddycmd.Command {
	return operatorCommand("backup <file>", "Has a running gateway copy its accounts", `
Has a running gateway write a copy of its accounts, as they are at one moment, to a
new file on the machine that it runs on: rodata backup /var/backups/accounts.db

To restore it, stop the gateway and put the copy in the place of accounts.db in the
data directory, without the files accounts.db-wal and accounts.db-shm. Keys are only
recognised with the same secret: the file "secret" there, or RODATA_SECRET. Accounts
in PostgreSQL are copied with pg_dump.`, oneFile, backup)
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return errors.New("give the file to write, as in: rodata backup /var/backups/accounts.db")
	}
	return nil
}

func backup(g *remote, args []string) error {
	file, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	body, err := g.ask(http.MethodPost, "/rodata/backup?file="+url.QueryEscape(file))
	if err != nil {
		return err
	}
	if g.json {
		_, err := g.out.Write(body)
		return err
	}
	var copied struct{ Bytes uint64 }
	if err := json.Unmarshal(body, &copied); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", g.address, err)
	}
	_, err = fmt.Fprintf(g.out, "the accounts are copied to %s, %s; keep the secret of the deployment with them\n", file, humanize.IBytes(copied.Bytes))
	return err
}
