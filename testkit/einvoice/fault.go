package einvoice

import (
	"bytes"
	"net/http"
)

// Fault is a fault in a response. The empty Fault has no effect.
type Fault string

// These are the faults. Only Lost and LostSlowly let the request take effect.
const (
	Reset        Fault = "reset"        // the connection ends without a response, and the request has no effect
	Lost         Fault = "lost"         // the request takes effect, and the connection ends without a response
	LostSlowly   Fault = "lost-slowly"  // the request takes effect, and there is no response until the client leaves
	Hang         Fault = "hang"         // there is no response until the client leaves, and the request has no effect
	Broken       Fault = "broken"       // 500
	Gateway      Fault = "gateway"      // 502 with an HTML page
	Busy         Fault = "busy"         // 429 with a Retry-After of two hours
	Firewall     Fault = "firewall"     // 200 with the HTML page of a firewall
	Quota        Fault = "quota"        // 200: the daily quota is used up
	Technical    Fault = "technical"    // 200: a technical error without effect
	Refusal      Fault = "refusal"      // 200: the document is invalid, without effect
	Unauthorized Fault = "unauthorized" // 401
	Oversize     Fault = "oversize"     // 200 with 9 MiB of blanks
)

// reaches reports whether the request takes effect despite the fault.
func (f Fault) reaches() bool { return f == "" || f == Lost || f == LostSlowly }

const firewallPage = "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>"

// write writes the response with the fault, or drops the connection.
func (f Fault) write(w http.ResponseWriter, r *http.Request, endpoint string, a answer) {
	switch f {
	case Reset, Lost:
		panic(http.ErrAbortHandler)
	case Hang, LostSlowly:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Broken:
		a = answer{status: http.StatusInternalServerError, mime: "application/json",
			body: []byte(`{"status":500,"error":"Internal Server Error"}`)}
	case Gateway:
		a = answer{status: http.StatusBadGateway, mime: "text/html",
			body: []byte("<html><body>Bad Gateway</body></html>")}
	case Busy:
		w.Header().Set("Retry-After", "7200")
		a = answer{status: http.StatusTooManyRequests, mime: "text/plain", body: []byte("Limit exceeded")}
	case Firewall:
		a = answer{mime: "text/html", body: []byte(firewallPage)}
	case Quota:
		a = complain(endpoint, "S-au facut deja 100 descarcari de mesaj in cursul zilei")
	case Technical:
		a = complain(endpoint, "A aparut o eroare tehnica. Cod: 1814")
	case Refusal:
		a = complain(endpoint, "Fisierul transmis nu este valid. org.xml.sax.SAXParseException")
	case Unauthorized:
		a = answer{status: http.StatusUnauthorized, mime: "text/plain", body: []byte("Unauthorized")}
	case Oversize:
		a = answer{mime: "application/xml", body: bytes.Repeat([]byte(" "), 9<<20)}
	}

	w.Header().Set("Content-Type", a.mime)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}

	_, _ = w.Write(a.body) // the client may have disconnected
}

// complain writes an error in the format of an endpoint.
func complain(endpoint, message string) answer {
	switch endpoint {
	case "upload":
		return refusedUpload(message)
	case "stareMesaj":
		return stateError(message)
	case "descarcare":
		return trouble("Descarcare mesaj", message)
	}

	return trouble("Lista Mesaje", message)
}
