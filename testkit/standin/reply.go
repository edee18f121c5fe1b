package standin

import (
	"encoding/json"
	"net/http"
	"time"
)

// reply is a registry's answer before any fault.
type reply struct {
	status   int // default 200
	mime     string
	header   map[string]string
	body     []byte
	modified time.Time // non-zero: the body is a file, with ranges and conditions
	latest   bool      // the body is the newest daily file
	numbers  int       // requested company numbers
	fault    Fault     // the fault caused by the question itself
}

// plain returns a reply of one line of text, with a header if its name is given.
func plain(status int, line string, header ...string) reply {
	p := reply{status: status, mime: "text/plain; charset=utf-8", body: []byte(line + "\n")}
	if len(header) == 2 {
		p.header = map[string]string{header[0]: header[1]}
	}
	return p
}

var notFoundPage = reply{status: http.StatusNotFound, mime: "text/html; charset=utf-8",
	body: []byte("<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>")}

// encode writes a value of this package as JSON, which cannot fail.
func encode(value any) []byte {
	body, err := json.Marshal(value)
	must(err)
	return body
}

// must panics on an error. It is for operations that cannot fail, such as writes to memory.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
