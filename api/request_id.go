package api

import "net/http"

// maxRequestID is how long a request id may be, in characters.
const maxRequestID = 64

// RequestID is what a client calls its request in the header X-Request-Id, so
// that it can be found in the logs of both sides: letters, digits, hyphens and
// underscores, at most 64. It is empty when there is none that may be repeated.
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
	return ids[0]
}
