package samples

import (
	"net/http"
	"strings"
)

// curl writes a command of a POSIX shell.
func (r Request) curl(w *writer) {
	w.put("curl ")
	if usual := r.Type != "" && r.Method == http.MethodPost || r.Type == "" && r.Method == http.MethodGet; !usual {
		w.put("-X " + r.Method + " ")
	}

	w.put(quoteShell(r.URL))
	w.key(" \\\n  -H " + quoteShell("Authorization: "+bearer))
	if r.Type != "" {
		w.put(" \\\n  -H " + quoteShell("Content-Type: "+r.Type) + " \\\n  --data-binary " + quoteShell(r.Body))
	}
	if r.Answer == File {
		w.put(" \\\n  --fail --output " + quoteShell(r.File))
	}

	w.put("\n")
}

// quoteShell quotes a text for a shell.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
