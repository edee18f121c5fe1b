package mcp

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
)

// If users can authorize clients, every 401 has a challenge, including the 401 for a tool call that needs an account.
// Otherwise no response has one.
func TestChallenge(t *testing.T) {
	const where = `resource_metadata="https://rodata.example/.well-known/oauth-protected-resource/mcp", scope="rodata:read rodata:watch"`
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

// tokens is a directory with one access token, which is only for reading.
type tokens struct{}

func (tokens) KeyFrom(_ context.Context, token string, _ netip.Addr) (account.Key, error) {
	if token != "for reading" {
		return account.Key{}, account.ErrUnknownKey
	}
	return account.Key{ID: "grant", Account: "pro", Plan: "pro", Scope: account.ReadScope}, nil
}

// A message beyond the scope of a token is answered with a 403 that makes the client ask its user for more.
func TestMessagesBeyondTheScope(t *testing.T) {
	w, _ := watchWorld(t)
	w.Gateway.Tokens = tokens{}
	w.Challenge = `resource_metadata="https://rodata.example/meta", scope="rodata:read rodata:watch"`
	want := `Bearer error="insufficient_scope", ` + w.Challenge
	for name, answer := range map[string]struct {
		body    string
		header  []string
		refused bool
	}{
		"a look-up":        {body: callOf(1, "get_company", fmt.Sprintf(`{"cui":"%d"}`, example))},
		"the usage":        {body: callOf(1, "get_usage", `{}`)},
		"watching":         {body: callOf(1, "watch_company", fmt.Sprintf(`{"cui":"%d"}`, example)), refused: true},
		"no more watching": {body: callOf(1, "unwatch_company", fmt.Sprintf(`{"cui":"%d"}`, example)), refused: true},
		"the events":       {body: callOf(1, "list_changes", `{}`), refused: true},
		"a watch-list":     {body: rpc(1, "resources/read", `{"uri":"watchlist://default"}`), refused: true},
		"a subscription": {
			body: rpc(1, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["watchlist://default"]},`+
				modernMeta+`}`),
			header:  []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"},
			refused: true,
		},
	} {
		got := w.send("POST", answer.body, append(answer.header, "Authorization", "Bearer for reading")...)
		refused := got.Code == 403 && got.Header().Get("WWW-Authenticate") == want &&
			strings.Contains(got.Body.String(), `"code":"insufficient-scope"`)
		if refused != answer.refused || !refused && got.Code != 200 {
			t.Errorf("%s: %d %v %s", name, got.Code, got.Header(), got.Body)
		}
	}
}
