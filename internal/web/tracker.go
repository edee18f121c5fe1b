package web

import "net/http"

// Tracker is a response writer that records whether an answer has begun. A problem can replace only one that has not.
type Tracker struct {
	http.ResponseWriter
	Began bool
}

// WriteHeader implements http.ResponseWriter.
func (t *Tracker) WriteHeader(status int) {
	t.Began = true
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *Tracker) Write(p []byte) (int, error) {
	t.Began = true
	return t.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (t *Tracker) Unwrap() http.ResponseWriter { return t.ResponseWriter }
