package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://App.Example.ro/page?a=b": "https://app.example.ro",
		"https://app.example.ro:443":      "https://app.example.ro",
		"http://app.example.ro:80/":       "http://app.example.ro",
		"http://app.example.ro:8080":      "http://app.example.ro:8080",
		"null":                            "",
		"":                                "",
		"ftp://app.example.ro":            "",
		"https://ana@app.example.ro":      "",
		"//app.example.ro":                "",
	} {
		if got := Origin(address); got != want {
			t.Errorf("Origin(%q) is %q, want %q", address, got, want)
		}
	}
}

func TestOrigins(t *testing.T) {
	trusted := Origins{"https://app.example.ro", "http://LOCALHOST:3000", "vscode-webview://panel"}
	for origin, want := range map[string]bool{
		"https://app.example.ro": true, "HTTPS://App.Example.RO": true, "https://app.example.ro:443": true,
		"http://localhost:3000": true, "vscode-webview://panel": true,
		"": false, "null": false, "*": false, "http://app.example.ro": false, "https://app.example.ro:8443": false,
		"https://app.example.ro/":                  false,
		"https://app.example.ro.elsewhere.example": false, "https://ana@app.example.ro": false,
		"http://localhost": false,
	} {
		if got := trusted.Has(origin); got != want {
			t.Errorf("Has(%q) is %t", origin, got)
		}
	}

	if IsSameOrigin("", "") {
		t.Error("nothing has an origin")
	}
}

func TestCheckOrigin(t *testing.T) {
	for text, want := range map[string]bool{
		"https://app.example.ro": true, "http://localhost:3000": true, "vscode-webview://panel": true,
		"": false, "*": false, "null": false, "app.example.ro": false, "https://app.example.ro/": false,
		"https://ana@app.example.ro": false, "https://app.example.ro?a=b": false,
	} {
		if got := CheckOrigin(text) == nil; got != want {
			t.Errorf("CheckOrigin(%q) accepts it: %t", text, got)
		}
	}
}

func TestAllowsPage(t *testing.T) {
	for _, c := range []struct {
		name, host, origin  string
		overLoopback, isAny bool
		want                bool
	}{
		{"own host", "rodata.example", "https://rodata.example", false, false, true},
		{"own host on another port", "rodata.example", "https://rodata.example:8443", false, false, false},
		{"allowed", "rodata.example", "https://app.example.ro", false, false, true},
		{"allowed in other case", "rodata.example", "https://APP.example.ro", false, false, true},
		{"foreign", "rodata.example", "https://evil.example", false, false, false},
		{"foreign, and all are allowed", "rodata.example", "https://evil.example", false, true, true},
		{"that only begins alike", "rodata.example", "https://app.example.ro.evil.example", false, false, false},
		{"of a file", "rodata.example", "null", false, false, false},
		{"of this machine", "localhost:8080", "http://localhost:3000", true, false, true},
		{"of this machine by address", "127.0.0.1:8080", "http://[::1]:3000", true, false, true},
		{"rebound to this machine", "evil.example", "http://evil.example", true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			local := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}
			if c.overLoopback {
				local.IP = net.IPv4(127, 0, 0, 1)
			}

			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey,
				net.Addr(local)), "POST", "https://"+c.host, nil)
			r.Header.Set("Origin", c.origin)
			allowed := Origins{"https://app.example.ro"}
			if c.isAny {
				allowed = Origins{AnyOrigin}
			}
			if got := allowed.AllowsPage(r, "https://"+c.host); got != c.want {
				t.Errorf("%t, want %t", got, c.want)
			}
		})
	}
}
