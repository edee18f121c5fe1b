package oauth

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
)

const clientIDPrefix = "app_"

// clientIDs issues and decodes client ids. An id is the registration itself, encrypted and authenticated (RFC 7591,
// appendix A.5.2). Registration is open, so nothing is stored until a person grants a client access; a flood of
// registrations cannot displace others or slow down the store.
type clientIDs struct{ sealer account.Sealer }

func newClientIDs(secret []byte) clientIDs {
	return clientIDs{account.NewSealer(secret, "rodata OAuth client")}
}

// issue returns an id for a client that registered at a time. Names and redirect URIs contain no line breaks, and
// redirect URIs no spaces.
func (c clientIDs) issue(a account.App, at time.Time) string {
	text := fmt.Sprintf("%d\n%s\n%s", at.UnixMilli(), a.Name, strings.Join(a.Redirects, " "))
	return clientIDPrefix + base64.RawURLEncoding.EncodeToString(c.sealer.Seal(clientIDPrefix, []byte(text)))
}

// app decodes an id that issue returned. For any other id it returns unknownClient.
func (c clientIDs) app(id string) (account.App, error) {
	encoded, ok := strings.CutPrefix(id, clientIDPrefix)
	content, err1 := base64.RawURLEncoding.DecodeString(encoded)
	text, err2 := c.sealer.Open(clientIDPrefix, content)
	if !ok || err1 != nil || err2 != nil {
		return account.App{}, unknownClient()
	}

	_, registration, _ := strings.Cut(string(text), "\n") // after the time
	name, redirects, _ := strings.Cut(registration, "\n")
	return account.App{ID: id, Name: name, Redirects: strings.Fields(redirects)}, nil
}
