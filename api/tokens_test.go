package api

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/gateway"
)

// tokens is a directory with tokens for each scope; the one that is called "a token" has all scopes.
type tokens struct{ down error }

func (d tokens) KeyFrom(_ context.Context, token string, _ netip.Addr) (account.Key, error) {
	if d.down != nil {
		return account.Key{}, d.down
	}
	key := account.Key{ID: "grant", Account: "acc-1", Plan: "free", Scope: account.AllScopes}
	switch token {
	case "a token":
	case string(account.ReadScope), string(account.WatchScope):
		key.Scope = account.Scope(token)
	default:
		return account.Key{}, account.ErrUnknownKey
	}

	return key, nil
}

// OAuth tokens are accepted over MCP only, and keys are still accepted there.
func TestTokensAreForMCP(t *testing.T) {
	g := gateway.New(t)
	for name, c := range map[string]struct {
		tokens          op.Directory
		channel, secret string
		status          int
		id              string
	}{
		"a token over MCP":                {tokens{}, "mcp", "a token", 0, "grant"},
		"a token over REST":               {tokens{}, "rest", "a token", 401, ""},
		"a token where there are none":    {nil, "mcp", "a token", 401, ""},
		"another token":                   {tokens{}, "mcp", "another token", 401, ""},
		"a key over MCP":                  {tokens{}, "mcp", gateway.GoodKey, 0, "key1"},
		"a token while the store is down": {tokens{account.ErrStoreDown}, "mcp", "a token", 503, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g.Tokens = c.tokens
			caller, problem := g.Authenticate(t.Context(),
				&op.Call{Channel: c.channel, Authorization: "Bearer " + c.secret})
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

// Without the scope for watch-lists, an app can look up companies and read its usage. Every other operation of the
// account needs that scope, including those that are added later.
func TestScopesOfOperations(t *testing.T) {
	var read []string
	for _, o := range Operations(Registries{}, metering.DefaultPlans(), system.About{}) {
		switch o.Scope {
		case account.WatchScope:
		case account.ReadScope:
			if o.Mutates {
				t.Errorf("%s changes something", o.Name)
			}
			if o.Account {
				read = append(read, o.Name)
			}
		default:
			t.Errorf("%s needs the scope %q", o.Name, o.Scope)
		}
	}

	if !slices.Equal(read, []string{"get_usage"}) {
		t.Errorf("without the scope for watch-lists, an app may call %v", read)
	}
}

func TestCallsBeyondTheScope(t *testing.T) {
	g := gateway.New(t)
	g.Tokens = tokens{}
	ops := newOperations()
	for _, c := range []struct {
		token, target string
		refused       bool
	}{
		{"rodata:read", "/v1/plans", false}, {"rodata:read", "/v1/usage", false}, {"rodata:read", "/v1/keys", true},
		{"rodata:watch", "/v1/keys", false}, {"rodata:watch", "/v1/usage", true}, {"a token", "/v1/usage", false},
	} {
		reply := gateway.Ask(t, g, ops, &op.Call{Channel: "mcp", Authorization: "Bearer " + c.token}, c.target)
		h := http.Header{}
		reply.WriteHeader(h)
		refused := reply.Status == 403 && reply.Problem.Kind == problem.InsufficientScope &&
			h.Get("WWW-Authenticate") == `Bearer error="insufficient_scope"` && reply.Cost == 0
		if refused != c.refused || !refused && reply.Status != 200 {
			t.Errorf("%s for %s: %d %v %v", c.token, c.target, reply.Status, reply.Problem, h)
		}
	}
}
