package standin

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Fault is a fault in a stand-in's answer. The empty Fault has no effect. Faults are comparable with ==.
type Fault struct {
	name   string
	wait   time.Duration
	status int
}

// The faults without parameters.
var (
	Reset         = Fault{name: "reset"}            // the connection is reset, without a reply
	Hang          = Fault{name: "hang"}             // no reply until the client leaves or Release
	WAF           = Fault{name: "html-waf"}         // 200 with the firewall's HTML page
	Maintenance   = Fault{name: "html-maintenance"} // 200 with the maintenance page
	Truncate      = Fault{name: "truncate"}         // half of the body, then the connection ends
	Garbage       = Fault{name: "garbage-json"}     // the right headers, a body that does not parse
	ErrorEnvelope = Fault{name: "error-envelope"}   // 200 with a JSON object that says cod 500
	ChangedShape  = Fault{name: "changed-shape"}    // a body that parses and has none of the known fields
	LacksVAT      = Fault{name: "lacks-vat"}        // the records of companies have no VAT data
	Redirect      = Fault{name: "redirect"}         // 302 to the root
	Oversize      = Fault{name: "oversize"}         // 50 MB instead of the body
	GzipBomb      = Fault{name: "gzip-bomb"}        // a small gzip body that unpacks to 256 MiB

	// Faults of the daily file of VAT on collection.
	LateFile   = Fault{name: "late-file"}   // 404 for today's file; the files of earlier days exist
	HalfRows   = Fault{name: "half-rows"}   // a little more than half of the lines are missing
	CutArchive = Fault{name: "cut-archive"} // half of the archive, with the correct length for it
	ZipBomb    = Fault{name: "zip-bomb"}    // a small archive that unpacks to 1 GiB
)

// Delay returns a fault that answers correctly, but only after d. Its text is delay=2s.
func Delay(d time.Duration) Fault { return Fault{name: "delay", wait: d} }

// SlowDrip returns a fault that answers correctly, but sends only one byte every d. Its text is slow-drip=50ms.
func SlowDrip(d time.Duration) Fault { return Fault{name: "slow-drip", wait: d} }

// Status returns a fault that answers with a bare status and, if retryAfter is at least a second, the header
// Retry-After. Its text is status=503 or status=503;30s.
func Status(code int, retryAfter time.Duration) Fault {
	return Fault{name: "status", status: code, wait: retryAfter}
}

// String returns the text that ParseFault parses.
func (f Fault) String() string {
	switch {
	case f.name == "status" && f.wait > 0:
		return fmt.Sprintf("status=%d;%s", f.status, f.wait)
	case f.name == "status":
		return fmt.Sprintf("status=%d", f.status)
	case f.wait > 0:
		return f.name + "=" + f.wait.String()
	}

	return f.name
}

// ParseFault parses the text of a fault, as in X-Sim-Fault: a name alone, or delay=2s, slow-drip=50ms, status=503,
// status=429;30s. The text "none" is the empty Fault.
func ParseFault(text string) (Fault, error) {
	name, measure, measured := strings.Cut(strings.TrimSpace(text), "=")
	f := Fault{name: name}
	if name == "none" && !measured {
		return Fault{}, nil
	}
	if name == "html-maint" {
		f.name = Maintenance.name
	}
	if spoilers[f.name] == nil {
		return Fault{}, fmt.Errorf("fault %q: unknown name", text)
	}

	needed := name == "delay" || name == "slow-drip" || name == "status"
	if needed != measured {
		return Fault{}, fmt.Errorf("fault %q: delay, slow-drip and status need a value after =, and no other fault takes one", text)
	}

	if name == "status" {
		code, rest, waits := strings.Cut(measure, ";")
		var err error
		if f.status, err = strconv.Atoi(code); err != nil || f.status < 200 || f.status > 599 {
			return Fault{}, fmt.Errorf("fault %q: a status must be from 200 to 599", text)
		}
		if measured, measure = waits, rest; !waits {
			return f, nil
		}
	}

	if measured {
		var err error
		if f.wait, err = time.ParseDuration(measure); err != nil || f.wait <= 0 {
			return Fault{}, fmt.Errorf("fault %q: write a duration as 2s or 50ms", text)
		}
	}

	return f, nil
}

// spoilers maps each fault to its effect on an exchange.
var spoilers = map[string]func(Fault, *exchange){
	"":                 func(_ Fault, e *exchange) { e.send() },
	Reset.name:         func(_ Fault, e *exchange) { e.reset() },
	Hang.name:          hang,
	WAF.name:           func(_ Fault, e *exchange) { e.sendInstead(firewallPage) },
	Maintenance.name:   func(_ Fault, e *exchange) { e.sendInstead(maintenancePage) },
	Truncate.name:      truncate,
	Garbage.name:       func(_ Fault, e *exchange) { e.sendBody(`{"found":[{"date_generale":{"cui":`) },
	ErrorEnvelope.name: func(_ Fault, e *exchange) { e.sendInstead(errorEnvelope) },
	ChangedShape.name:  changeShape,
	LacksVAT.name:      func(_ Fault, e *exchange) { e.sendBody(vatGroup.ReplaceAllString(string(e.reply.body), "")) },
	Redirect.name:      func(_ Fault, e *exchange) { e.sendInstead(homeRedirect) },
	Oversize.name:      func(_ Fault, e *exchange) { e.sendBlanks("", bytes.Repeat([]byte{' '}, 1<<20), 50) },
	GzipBomb.name:      gzipBomb,
	LateFile.name:      withholdLatest,
	HalfRows.name:      halveRows,
	CutArchive.name:    cutArchive,
	ZipBomb.name:       zipBomb,
	"delay":            delay,
	"slow-drip":        drip,
	"status":           status,
}

func (f Fault) spoil(e *exchange) { spoilers[f.name](f, e) }

// vatGroup matches the VAT data of a record.
var vatGroup = regexp.MustCompile(`"inregistrare_scop_Tva":\{[^]]*\]\},`)

var (
	firewallPage = reply{mime: "text/html; charset=utf-8",
		body: []byte("<html><head><title>Request Rejected</title></head><body>" +
			"The requested URL was rejected. Please consult with your administrator.<br><br>" +
			"Your support ID is: 9900000000000000001</body></html>")}
	maintenancePage = reply{mime: "text/html; charset=utf-8",
		body: []byte("<!DOCTYPE html><html><head><title>Mentenanta sistem</title></head>" +
			"<body>Sistemul este in mentenanta.</body></html>")}
	errorEnvelope = reply{mime: "application/json", body: []byte(`{"cod":500,"message":"EROARE INTERNA"}`)}
	homeRedirect  = reply{status: http.StatusFound, mime: "text/html", header: map[string]string{"Location": "/"}}
)

func hang(_ Fault, e *exchange) {
	if e.until(nil) {
		e.send()
	}
}

func delay(f Fault, e *exchange) {
	if e.wait(f.wait) {
		e.send()
	}
}

func drip(f Fault, e *exchange) {
	e.w = &dripWriter{e.w, e, f.wait}
	e.send()
}

func truncate(_ Fault, e *exchange) {
	e.w = &cutWriter{ResponseWriter: e.w}
	e.send()
}

func status(f Fault, e *exchange) {
	p := reply{status: f.status, mime: "text/plain", body: []byte(http.StatusText(f.status) + "\n")}
	if seconds := int(f.wait / time.Second); seconds > 0 {
		p.header = map[string]string{"Retry-After": strconv.Itoa(seconds)}
	}
	if f.status == http.StatusNoContent || f.status == http.StatusNotModified {
		p.body = nil
	}

	e.sendInstead(p)
}

// changeShape answers with well-formed text of the reply's own type, but with an unknown structure.
func changeShape(_ Fault, e *exchange) {
	switch {
	case strings.Contains(e.reply.mime, "xml"):
		e.sendBody(`<?xml version="1.0"?><RateList version="2"><Day on="2026-01-05"/></RateList>`)
	case strings.Contains(e.reply.mime, "csv"):
		e.sendBody("NAME;NUMBER\r\nEXEMPLU;1\r\n")
	case strings.Contains(e.reply.mime, "zip"):
		e.sendBody(string(zipText(strings.Repeat("9900000010;2020-01-01;;I\n", 100))))
	default:
		e.sendBody(`{"version":10,"records":[{"id":1}]}`)
	}
}

// sendBody keeps the reply's type and replaces the rest.
func (e *exchange) sendBody(body string) {
	e.sendInstead(reply{mime: e.reply.mime, body: []byte(body)})
}

// gzipBomb sends the same small member repeatedly. A gzip body may have many members, and readers unpack them all.
func gzipBomb(_ Fault, e *exchange) {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, err := z.Write(bytes.Repeat([]byte{' '}, 1<<20))
	must(errors.Join(err, z.Close()))

	e.sendBlanks("gzip", member.Bytes(), 256)
}

// sendBlanks streams a piece many times, without announcing a length.
func (e *exchange) sendBlanks(encoding string, piece []byte, times int) {
	h := e.w.Header()
	h.Set("Content-Type", e.reply.mime)
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
	}

	for range times {
		if _, err := e.w.Write(piece); err != nil {
			return // the client has disconnected
		}
	}
}
