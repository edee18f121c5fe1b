package caddymodule

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/caddyserver/caddy/v2"
)

// backup copies the store of accounts into a new file of this machine, which the
// parameter file names with its whole path.
func (a *Admin) backup(w http.ResponseWriter, r *http.Request) error {
	return a.with(w, r, http.MethodPost, func(s *service) error {
		file := r.URL.Query().Get("file")
		if !filepath.IsAbs(file) {
			return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: errors.New("name the file to write with its whole path, as in /rodata/backup?file=/var/backups/accounts.db")}
		}
		err := s.store.Backup(r.Context(), file)
		switch {
		case errors.Is(err, fs.ErrExist):
			return caddy.APIError{HTTPStatus: http.StatusConflict, Err: err}
		case err != nil:
			return err
		}
		written, err := os.Stat(file)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(map[string]any{"file": file, "bytes": written.Size()})
	})
}
