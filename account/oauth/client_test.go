package oauth

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	clientauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// resource returns an MCP server that requires a token; its one tool names the caller.
func (s *site) resource() http.Handler {
	type nobody struct{}
	type caller struct {
		Account, Name string
	}
	who := func(ctx context.Context, _ *mcp.CallToolRequest, _ nobody) (*mcp.CallToolResult, caller, error) {
		k := ctx.Value(callerKey{}).(account.Key)
		return nil, caller{k.Account, k.Name}, nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "who", Description: "Says who calls."}, who)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := s.Tokens.Key(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer "+s.Challenge())
			w.WriteHeader(http.StatusUnauthorized)
			return
		}

		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, key)))
	})
}

type callerKey struct{}

// programs starts a host of client metadata documents, by path.
func programs(t testing.TB, document func(w http.ResponseWriter, r *http.Request, id string)) *httptest.Server {
	var server *httptest.Server
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document(w, r, server.URL+r.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server
}

// The official Go client discovers the server from the 401, identifies itself by a document or registers, and calls.
func TestOfficialClientConnects(t *testing.T) {
	const native = "http://127.0.0.1:4711/back"
	host := programs(t, func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"client_id": id, "client_name": "Exemplu",
			"redirect_uris": []string{"http://127.0.0.1/back"}, "token_endpoint_auth_method": "none"})
	})
	for name, config := range map[string]clientauth.AuthorizationCodeHandlerConfig{
		"by a document": {ClientIDMetadataDocumentConfig: &clientauth.ClientIDMetadataDocumentConfig{URL: host.URL +
			"/client.json"}},
		"by registration": {DynamicClientRegistrationConfig: &clientauth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Exemplu", RedirectURIs: []string{native}}}},
	} {
		t.Run(name, func(t *testing.T) {
			accountstore.Each(t, func(t *testing.T, db *store.DB) {
				s := newSite(t, db, host.Client())
				person := s.member("ana@exemplu.example")
				client := &http.Client{Transport: new(http.Transport)}
				defer client.CloseIdleConnections()
				config.RedirectURL, config.Client = native, client
				config.AuthorizationCodeFetcher = func(_ context.Context,
					args *clientauth.AuthorizationArgs) (*clientauth.AuthorizationResult, error) {
					u, err := url.Parse(args.URL)
					if err != nil {
						return nil, err
					}

					back := person.allow(u.Query())
					return &clientauth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"),
						Iss: back.Get("iss")}, nil
				}
				handler := testkit.Must(clientauth.NewAuthorizationCodeHandler(&config))
				session := testkit.Must(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"},
					nil).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: s.Resource, HTTPClient: client, OAuthHandler: handler},
					nil))
				defer session.Close()

				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "who"})
				if err != nil || result.IsError {
					t.Fatalf("%+v %v", result, err)
				}
				if got := result.StructuredContent.(map[string]any); got["Name"] != "Exemplu" || got["Account"] == "" {
					t.Errorf("the caller is %v", got)
				}

				renewed(t, handler, s)
			})
		})
	}
}

// renewed refreshes the token with the client's own library.
func renewed(t *testing.T, handler *clientauth.AuthorizationCodeHandler, s *site) {
	t.Helper()
	source := testkit.Must(handler.TokenSource(t.Context()))
	token := testkit.Must(source.Token())
	if !s.accepted(token.AccessToken) || token.RefreshToken == "" || token.Expiry.IsZero() {
		t.Errorf("the token is %+v", oauth2.Token{TokenType: token.TokenType, Expiry: token.Expiry})
	}
}
