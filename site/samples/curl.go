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

	w.put(inShell(r.URL))
	w.key(" \\\n  -H " + inShell("Authorization: "+bearer))
	if r.Type != "" {
		w.put(" \\\n  -H " + inShell("Content-Type: "+r.Type) + " \\\n  --data-binary " + inShell(r.Body))
	}
	if r.Answer == File {
		w.put(" \\\n  --fail --output " + inShell(r.File))
	}

	w.put("\n")
}

// inShell quotes a text for a shell.
func inShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
