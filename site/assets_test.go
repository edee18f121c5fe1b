package site

import (
	"bytes"
	"net/http"
	"testing"
)

// The widget is sent in at most 6 KB, even without compression.
func TestWidgetIsSmall(t *testing.T) {
	const most = 6 << 10
	size := get(newSite(t), widgetPath).Body.Len()
	if size > most {
		t.Errorf("the widget has %d bytes, more than %d", size, most)
	}

	t.Logf("the widget has %d bytes; its source %d", size, len(widgetSource))
}

// Pages of other hosts may load the widget and cache it under its fixed address.
func TestWidgetIsForOtherHosts(t *testing.T) {
	s := newSite(t)
	w := get(s, widgetPath, "Origin", "https://shop.example")
	for name, want := range map[string]string{
		"Content-Type":                 "text/javascript; charset=utf-8",
		"Access-Control-Allow-Origin":  "*", // a module is loaded with CORS
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Cache-Control":                "public, max-age=86400, stale-while-revalidate=604800, stale-if-error=604800",
		"Vary":                         "Accept-Encoding",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}

	if again := get(s, widgetPath, "If-None-Match", w.Header().Get("Etag")); again.Code != http.StatusNotModified {
		t.Errorf("a copy is checked with %d, not 304", again.Code)
	}
	if page := get(s, "/widget"); page.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("other hosts may read a page")
	}
}

// The widget contains nothing that a strict Content-Security-Policy forbids.
func TestWidgetNeedsNoExemption(t *testing.T) {
	for _, forbidden := range []string{"eval", "Function(", "innerHTML", "outerHTML", "insertAdjacentHTML",
		"document.write", "<style", "'style'"} {
		if bytes.Contains(widgetSource, []byte(forbidden)) {
			t.Errorf("the widget has %q", forbidden)
		}
	}
}
