package web

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns the pause that the header Retry-After of an answer requests, in seconds or as a date (RFC 9110,
// section 10.2.3), but at most the given one. It is 0 if there is no valid header.
func RetryAfter(h http.Header, most time.Duration) (wait time.Duration) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = time.Until(at)
	}

	return min(max(wait, 0), most)
}
