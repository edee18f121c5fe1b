package mcp

import (
	"strings"
	"testing"
)

// If users can authorize clients, every 401 has a challenge, including the 401 for a tool call that needs an account.
// Otherwise no response has one.
func TestChallenge(t *testing.T) {
	const where = `resource_metadata="https://rodata.example/.well-known/oauth-protected-resource/mcp", scope="mcp"`
	usage := callOf(1, "get_usage", `{}`)
	for name, c := range map[string]struct {
		challenge, body, authorization string
		status                         int
		want                           string
	}{
		"no key where one is needed":      {where, usage, "", 401, "Bearer " + where},
		"a wrong key":                     {where, list, "Bearer wrong", 401, `Bearer error="invalid_token", ` + where},
		"no key where none is needed":     {where, list, "", 200, ""},
		"off: no key where one is needed": {"", usage, "", 200, ""},
		"off: a wrong key":                {"", list, "Bearer wrong", 401, `Bearer error="invalid_token"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Challenge = c.challenge
			header := []string{}
			if c.authorization != "" {
				header = append(header, "Authorization", c.authorization)
			}

			answer := w.send("POST", c.body, header...)
			if answer.Code != c.status || answer.Header().Get("WWW-Authenticate") != c.want {
				t.Errorf("%d %q", answer.Code, answer.Header().Get("WWW-Authenticate"))
			}
			if c.status == 401 && !strings.Contains(answer.Header().Get("Content-Type"), "problem+json") {
				t.Errorf("the header is %v", answer.Header())
			}
		})
	}
}
