package web

import (
	"net/http"
	pathpkg "path"
	"slices"
	"strings"
)

// NewMux returns a mux for routes by method and path ("GET /invoices/{id}"). It answers OPTIONS, including preflights
// if the headers allow pages of other origins to read the answer. Refuse answers all other requests: allow is the value
// of the header Allow for a method that the path does not support, and empty for an unknown path. Nothing is
// redirected: a path that is not clean is unknown.
func NewMux(routes map[string]http.HandlerFunc, refuse func(w http.ResponseWriter, r *http.Request,
	allow string)) http.Handler {
	mux, methods := http.NewServeMux(), make(map[string][]string)
	for pattern, handler := range routes {
		mux.HandleFunc(pattern, handler)
		method, path, _ := strings.Cut(pattern, " ")
		if methods[path] = append(methods[path], method); method == http.MethodGet {
			methods[path] = append(methods[path], http.MethodHead)
		}
	}

	for path, supported := range methods {
		allow := strings.Join(slices.Sorted(slices.Values(append(supported, http.MethodOptions))), ", ")
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodOptions {
				AnswerOptions(w, allow)
				return
			}

			w.Header()["Allow"] = []string{allow}
			refuse(w, r, allow)
		})
	}

	unknown := func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "" // for the access log
		refuse(w, r, "")
	}
	mux.HandleFunc("/", unknown)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !HasCleanPath(r) {
			unknown(w, r)
			return
		}

		mux.ServeHTTP(w, r)
	})
}

// HasCleanPath reports whether the path of a request has no empty segments, "." and "..". http.ServeMux redirects other
// paths with a page of HTML.
func HasCleanPath(r *http.Request) bool {
	path := r.URL.EscapedPath()
	clean := pathpkg.Clean(path)
	return path == clean || path == clean+"/" && clean != "/"
}
