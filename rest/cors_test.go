package rest

import "testing"

// Public responses always have CORS headers and do not vary by Origin, so that shared caches can serve them to any
// client. Other responses have CORS headers only if the request has an Origin, and vary by it.
func TestPagesOfAnyOriginMayRead(t *testing.T) {
	h := newHandler(t)
	for path, public := range map[string]bool{"/openapi.json": true, "/problems/not-found": true,
		"/v1/nothing": false} {
		for _, origin := range []string{"", "https://shop.example"} {
			r := newRequest("GET", path, nil)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}

			header := answer(h, r).Header
			allows := header.Get("Access-Control-Allow-Origin") == "*" &&
				header.Get("Access-Control-Expose-Headers") != ""
			if allows != (public || origin != "") {
				t.Errorf("%s with Origin %q: CORS headers present is %v; headers %v", path, origin, allows, header)
			}
			if varies := header.Get("Vary") == "Origin"; varies == public {
				t.Errorf("%s has Vary %q", path, header["Vary"])
			}
		}
	}
}
