package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
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
	holds atomic.Bool       // the files are held back
}

// newStatementPortal starts a portal with the statements of the last years, each of a number of small companies and of
// as many others as in reality. All years have the same files.
func newStatementPortal(years, small int) (*statementPortal, error) {
	p := &statementPortal{first: time.Now().Year() - years, files: map[string][]byte{}}
	next := 1
	for _, family := range []struct {
		name       string
		statements int
	}{{"web_uu_an", small}, {"web_bl_bs_sl_an", 77_000}, {"web_ir_an", 300}} {
		body, err := io.ReadAll(invented.Statements(next, family.statements))
		if err != nil {
			return nil, err
		}

		p.files[family.name], next = body, next+family.statements
	}

	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	return p, nil
}

// close stops the portal, even if a gateway is still downloading.
func (p *statementPortal) close() {
	p.CloseClientConnections()
	p.Close()
}

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
		p.send(r.Context(), w, p.files[family])
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
func (p *statementPortal) send(ctx context.Context, w http.ResponseWriter, file []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	for piece := range slices.Chunk(file, 64<<10) {
		for p.holds.Load() && ctx.Err() == nil {
			_ = pause(ctx, 10*time.Millisecond)
		}
		if _, err := w.Write(piece); err != nil {
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
