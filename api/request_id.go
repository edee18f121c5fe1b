package api

import (
	"net/http"
	"strings"
)

// maxRequestID is how long a request id may be, in characters.
const maxRequestID = 64

// RequestID is what a client calls its request in the header X-Request-Id, so
// that it can be found in the logs of both sides: letters, digits, hyphens and
// underscores, at most 64. It is empty when there is none that may be repeated, as
// when somebody sends an API key there: ids are logged.
func RequestID(h http.Header) string {
	ids := h["X-Request-Id"]
	if len(ids) != 1 || len(ids[0]) > maxRequestID {
		return ""
	}
	for _, c := range []byte(ids[0]) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return ""
		}
	}
	if strings.Contains(strings.ToLower(ids[0]), "_live_") {
		return ""
	}
	return ids[0]
}
