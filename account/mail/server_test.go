package mail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestServers(t *testing.T) {
	for address, want := range map[string]Server{
		"smtp://mail.example.ro": {"mail.example.ro", 587, "", "", upgraded},
		"smtp://desk%40example.ro:p%3A%2Fss@mail.example.ro/": {"mail.example.ro", 587, "desk@example.ro", "p:/ss",
			upgraded},
		"smtp://mail.example.ro:2525":  {"mail.example.ro", 2525, "", "", upgraded},
		"smtp://127.0.0.1.example.com": {"127.0.0.1.example.com", 587, "", "", upgraded},
		"smtps://u:p@mail.example.ro":  {"mail.example.ro", 465, "u", "p", encrypted},
		"smtps://127.0.0.1:1465":       {"127.0.0.1", 1465, "", "", encrypted},
		"smtp://127.0.0.1:25":          {"127.0.0.1", 25, "", "", plain},
		"smtp://u:p@[::1]:25":          {"::1", 25, "u", "p", plain},
		"smtp://localhost":             {"localhost", 587, "", "", plain},
	} {
		testkit.Equal(t, testkit.Must(ParseServer(address)), want, address)
	}
}

func TestServersThatAreRefused(t *testing.T) {
	for name, address := range map[string]string{
		"empty":              "",
		"no scheme":          "hush-hush@mail.example.ro:587",
		"another scheme":     "http://u:hush-hush@mail.example.ro",
		"no host":            "smtp://u:hush-hush@",
		"no password":        "smtp://hush-hush@mail.example.ro",
		"no user":            "smtp://:hush-hush@mail.example.ro",
		"a path":             "smtp://u:hush-hush@mail.example.ro/inbox",
		"a query":            "smtp://u:hush-hush@mail.example.ro?tls=off",
		"a wrong port":       "smtp://u:hush-hush@mail.example.ro:70000",
		"port zero":          "smtp://u:hush-hush@mail.example.ro:0",
		"not well encoded":   "smtp://u:hush-hush%@mail.example.ro",
		"hash in a password": "smtp://u:hush-hush#x@mail.example.ro",
		"a line break":       "smtp://u:hush-hush\n@mail.example.ro",
	} {
		_, err := ParseServer(address)
		if err == nil {
			t.Errorf("%s: the address was accepted", name)
		} else if strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), "example.ro/") {
			t.Errorf("%s: the error repeats the address: %v", name, err)
		}
	}
}

func TestServersDoNotPrintTheirPassword(t *testing.T) {
	s := testkit.Must(ParseServer("smtps://user:hush-hush@mail.example.ro"))

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(verb, s); strings.Contains(text, "hush-hush") ||
			!strings.Contains(text, "mail.example.ro:465") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}
