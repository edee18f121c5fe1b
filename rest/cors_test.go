package rest

import "testing"

// Public answers allow all pages, and are the same for all requests, so that shared caches can store them. Other answers
// allow them only if a page asks.
func TestPagesOfAnyOriginMayRead(t *testing.T) {
	h := newHandler(t)
	for path, public := range map[string]bool{"/openapi.json": true, "/problems/not-found": true, "/v1/nothing": false} {
		for _, origin := range []string{"", "https://shop.example"} {
			r := newRequest("GET", path, nil)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			header := answer(h, r).Header
			allows := header.Get("Access-Control-Allow-Origin") == "*" && header.Get("Access-Control-Expose-Headers") != ""
			if allows != (public || origin != "") {
				t.Errorf("%s from the origin %q: %v", path, origin, header)
			}
			if varies := header.Get("Vary") == "Origin"; varies == public {
				t.Errorf("%s varies by %q", path, header["Vary"])
			}
		}
	}
}
