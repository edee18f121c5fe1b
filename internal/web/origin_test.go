package web

import "testing"

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
