package oauth

import (
	"strings"

	"github.com/rodata/rodata/account"
)

// The well-known paths of the metadata (RFC 8414, section 3; RFC 9728, section 3).
const (
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
)

// belowResource returns a well-known path for the resource. Both documents are at both of their paths, since clients
// differ in where they look first.
func (s *Server) belowResource(path string) string {
	return path + strings.TrimPrefix(s.Resource, s.Issuer)
}

// Challenge returns the parameters of WWW-Authenticate for a 401 or 403 of the resource, with which clients discover
// the authorization server (RFC 9728, section 5.1). It names all scopes, so that a client asks the person once.
func (s *Server) Challenge() string {
	return `resource_metadata="` + s.Issuer + s.belowResource(resourceMetadataPath) + `", scope="` + string(account.AllScopes) + `"`
}

// serverMetadata sends the authorization server's metadata (RFC 8414).
func (s *Server) serverMetadata() func(*exchange) error {
	type list = []string
	return sendMetadata(map[string]any{
		"issuer":                                         s.Issuer,
		"authorization_endpoint":                         s.Issuer + Path + "/authorize",
		"token_endpoint":                                 s.Issuer + Path + "/token",
		"registration_endpoint":                          s.Issuer + Path + "/register",
		"revocation_endpoint":                            s.Issuer + Path + "/revoke",
		"scopes_supported":                               account.AllScopes.Tokens(),
		"response_types_supported":                       list{"code"},
		"response_modes_supported":                       list{"query"},
		"grant_types_supported":                          list{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          list{"none"},
		"revocation_endpoint_auth_methods_supported":     list{"none"},
		"code_challenge_methods_supported":               list{"S256"},
		"client_id_metadata_document_supported":          true,
		"authorization_response_iss_parameter_supported": true, // RFC 9207
		"ui_locales_supported":                           list{"en", "ro"},
	})
}

// resourceMetadata sends the protected resource's metadata (RFC 9728).
func (s *Server) resourceMetadata() func(*exchange) error {
	return sendMetadata(map[string]any{
		"resource":                 s.Resource,
		"authorization_servers":    []string{s.Issuer},
		"scopes_supported":         account.AllScopes.Tokens(),
		"bearer_methods_supported": []string{"header"},
		"resource_name":            "rodata",
	})
}

func sendMetadata(document map[string]any) func(*exchange) error {
	return func(x *exchange) error {
		x.w.Header().Set("Cache-Control", "public, max-age=300")
		return x.answer(document)
	}
}
