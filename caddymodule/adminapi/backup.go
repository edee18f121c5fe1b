package adminapi

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/caddyserver/caddy/v2"
)

// Backup is a copy of a store.
type Backup struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// backUp copies a store to a new file on this machine: ?file={absolute path}, the accounts or, with &store=history, the
// observations and receipts.
func backUp(g gateway, r *http.Request) (any, error) {
	file := r.URL.Query().Get("file")
	if !filepath.IsAbs(file) {
		return nil, badRequest("name the file to write with its whole path, as in " +
			"/rodata/backup?file=/var/backups/accounts.db")
	}

	copyTo := g.Store.Backup
	switch which := r.URL.Query().Get("store"); which {
	case "", "accounts":
	case "history":
		copyTo = g.History.Backup
	default:
		return nil, badRequest("there is no store %q; there are: accounts, history", which)
	}

	err := copyTo(r.Context(), file)
	if errors.Is(err, fs.ErrExist) {
		return nil, caddy.APIError{HTTPStatus: http.StatusConflict, Err: err}
	}
	if err != nil {
		return nil, err
	}

	written, err := os.Stat(file)
	if err != nil {
		return nil, err
	}

	return Backup{file, written.Size()}, nil
}
