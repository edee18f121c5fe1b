package api

import (
	"context"
	"net/netip"
	"testing"

	"github.com/rodata/rodata/account"
)

// tokens is a directory with one token.
type tokens struct{ down error }

func (d tokens) KeyFrom(_ context.Context, token string, _ netip.Addr) (account.Key, error) {
	if d.down != nil {
		return account.Key{}, d.down
	}
	if token != "a token" {
		return account.Key{}, account.ErrUnknownKey
	}
	return account.Key{ID: "grant", Account: "acc-1", Plan: "free"}, nil
}

// OAuth tokens are accepted over MCP only, and keys are still accepted there.
func TestTokensAreForMCP(t *testing.T) {
	g := newGateway(t)
	for name, c := range map[string]struct {
		tokens          Directory
		channel, secret string
		status          int
		id              string
	}{
		"a token over MCP":                {tokens{}, "mcp", "a token", 0, "grant"},
		"a token over REST":               {tokens{}, "rest", "a token", 401, ""},
		"a token where there are none":    {nil, "mcp", "a token", 401, ""},
		"another token":                   {tokens{}, "mcp", "another token", 401, ""},
		"a key over MCP":                  {tokens{}, "mcp", goodKey, 0, "key1"},
		"a token while the store is down": {tokens{account.ErrStoreDown}, "mcp", "a token", 503, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g.Tokens = c.tokens
			caller, problem := g.Authenticate(t.Context(),
				&Call{Channel: c.channel, Authorization: "Bearer " + c.secret})
			status, id := 0, ""
			if problem != nil {
				status = problem.Status()
			}
			if caller.Key != nil {
				id = caller.Key.ID
			}
			if status != c.status || id != c.id {
				t.Errorf("got %d and the key %q", status, id)
			}
		})
	}
}
