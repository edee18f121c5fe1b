package op

import (
	"net/http"
	"strings"
)

// maxRequestID is the maximum length in characters.
const maxRequestID = 64

// RequestID returns the client's id of its request from the header X-Request-Id, for the logs of both sides: at most 64
// letters, digits, hyphens and underscores. It is empty for any other value, and for one that looks like an API key,
// since ids are logged.
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
