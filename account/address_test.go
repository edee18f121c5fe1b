package account_test

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
)

func TestCheckURL(t *testing.T) {
	for url, want := range map[string]string{
		"https://api.example":            "",
		"https://api.example:8443/a/b":   "",
		"http://localhost:12111":         "",
		"http://127.0.0.1:12111/rest":    "",
		"http://[::1]:12111":             "",
		"http://api.example":             "not encrypted",
		"http://localhost.example":       "not encrypted",
		"ftp://127.0.0.1":                "not encrypted",
		"https://user@api.example":       "not a plain URL",
		"https://api.example?key=secret": "not a plain URL",
		"https://api.example#top":        "not a plain URL",
		"api.example":                    "not a plain URL",
		"":                               "not a plain URL",
		"https://api example":            "invalid character",
	} {
		if err := account.CheckURL(url); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", url, err, want)
		}
	}
}
