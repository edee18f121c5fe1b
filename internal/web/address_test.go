package web

import "testing"

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "[::1]": true,
		"::ffff:127.0.0.1": true,
		"":                 false, "localhost.example.ro": false, "10.0.0.1": false, "0.0.0.0": false,
		"127.0.0.1.example.ro": false,
		"::":                   false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("Loopback(%q) is %t", host, got)
		}
	}
}

func TestPublic(t *testing.T) {
	for text, want := range map[string]string{
		"http://registry.example/":       "http://registry.example",
		"https://registry.example":       "https://registry.example",
		"ftp://registry.example":         "",
		"http://ana:pw@registry.example": "",
		"http://registry.example?a=b":    "",
		"registry.example":               "",
	} {
		got, err := Public(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Public(%q) is %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestService(t *testing.T) {
	for text, want := range map[string]string{
		"https://registry.example":        "https://registry.example",
		"https://registry.example/a/":     "https://registry.example/a",
		"http://127.0.0.1:8080/":          "http://127.0.0.1:8080",
		"http://LOCALHOST:8080":           "http://LOCALHOST:8080",
		"http://[::1]:8080":               "http://[::1]:8080",
		"http://registry.example":         "",
		"ftp://registry.example":          "",
		"https://ana:pw@registry.example": "",
		"https://registry.example?a=b":    "",
		"https://registry.example#a":      "",
		"registry.example":                "",
		"":                                "",
		"https://%zz":                     "",
	} {
		got, err := Service(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Service(%q) is %q, %v; want %q", text, got, err, want)
		}
	}
}
