package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// statementPortal is a stand-in for the open-data portal, with invented yearly statements and no release of the trade
// register. It can hold back the rest of a file that is being downloaded.
type statementPortal struct {
	*httptest.Server
	first int               // the first year with statements
	files map[string][]byte // by the beginnings of their names
	held  sync.RWMutex      // write-locked while files are held back
}

// The numbers of statements that are not of small companies, per year.
const (
	largeStatements = 77_000
	ifrsStatements  = 300
)

// newStatementPortal starts a portal with the statements of the last years, each of as many small companies. All years
// have the same files.
func newStatementPortal(years, small int) (*statementPortal, error) {
	p := &statementPortal{first: time.Now().Year() - years, files: map[string][]byte{}}
	next := 1
	for family, n := range map[string]int{"web_uu_an": small, "web_bl_bs_sl_an": largeStatements,
		"web_ir_an": ifrsStatements} {
		body, err := io.ReadAll(invented.Statements(next, n))
		if err != nil {
			return nil, err
		}

		p.files[family], next = body, next+n
	}

	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	return p, nil
}

// hold holds back the files until release.
func (p *statementPortal) hold()    { p.held.Lock() }
func (p *statementPortal) release() { p.held.Unlock() }

func (p *statementPortal) answer(w http.ResponseWriter, r *http.Request) {
	family, year, isFile := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files/"), "/")
	switch {
	case strings.HasSuffix(r.URL.Path, "/package_search"):
		respond(w, map[string]any{"results": []any{}})
	case strings.HasSuffix(r.URL.Path, "/package_show"):
		p.show(w, r.URL.Query().Get("id"))
	case isFile && strings.HasSuffix(year, ".csv"):
		io.WriteString(w, legend())
	case isFile:
		p.send(w, p.files[family])
	}
}

// respond sends the result of an action of the portal's API; nil for what does not exist.
func respond(w http.ResponseWriter, result any) {
	if result == nil {
		w.WriteHeader(http.StatusNotFound)
	}
	json.NewEncoder(w).Encode(map[string]any{"success": result != nil, "result": result})
}

// show describes the package of a year.
func (p *statementPortal) show(w http.ResponseWriter, id string) {
	year, err := strconv.Atoi(strings.TrimLeft(strings.TrimPrefix(id, "situatii_financiare"), "_"))
	if err != nil || year < p.first {
		respond(w, nil)
		return
	}

	var resources []any
	for family, body := range p.files {
		for _, kind := range []string{"txt", "csv"} {
			name := fmt.Sprintf("%s%d.%s", family, year, kind)
			resources = append(resources, map[string]any{"name": name, "format": strings.ToUpper(kind),
				"url": fmt.Sprintf("%s/files/%s/%s", p.URL, family, name), "size": len(body),
				"last_modified": fmt.Sprintf("%d-06-18T09:00:00", year+1)})
		}
	}

	respond(w, map[string]any{"name": id, "license_id": "cc-by", "resources": resources})
}

// send sends a file in pieces, so that it can be held back.
func (p *statementPortal) send(w http.ResponseWriter, file []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	for rest := bytes.NewReader(file); rest.Len() > 0; {
		p.held.RLock()
		_, err := io.CopyN(w, rest, int64(min(64<<10, rest.Len())))
		p.held.RUnlock()
		if err != nil {
			return
		}
	}
}

// legend returns the legend of every file.
func legend() string {
	var text strings.Builder
	for i, label := range statements.Labels[:invented.StatementColumns] {
		fmt.Fprintf(&text, "%s;i%d\r\n", label, i+1)
	}
	return text.String()
}
