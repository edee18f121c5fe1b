package oauth

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
)

// clientIDPrefix is the prefix of registered clients' ids.
const clientIDPrefix = "app_"

// clientIDs issues and decodes client ids. An id is the registration itself, encrypted and authenticated (RFC 7591,
// appendix A.5.2). Registration is open, so nothing is stored until a person grants a client access; a flood of
// registrations cannot displace others or slow down the store.
type clientIDs struct{ sealer account.Sealer }

func newClientIDs(secret []byte) clientIDs {
	return clientIDs{account.NewSealer(secret, "rodata OAuth client")}
}

// issue returns a client's id. Names and redirect URIs contain no line breaks, and redirect URIs no spaces.
func (c clientIDs) issue(a account.App) string {
	text := fmt.Sprintf("%d\n%s\n%s", a.CreatedAt.UnixMilli(), a.Name, strings.Join(a.Redirects, " "))
	return clientIDPrefix + base64.RawURLEncoding.EncodeToString(c.sealer.Seal(clientIDPrefix, []byte(text)))
}

// app decodes an id that issue returned. For any other id it returns account.ErrNoApp.
func (c clientIDs) app(id string) (account.App, error) {
	content, err1 := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, clientIDPrefix))
	text, err2 := c.sealer.Open(clientIDPrefix, content)
	if err1 != nil || err2 != nil {
		return account.App{}, account.ErrNoApp
	}

	fields := strings.Split(string(text), "\n")
	if len(fields) != 3 {
		return account.App{}, account.ErrNoApp
	}

	created, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return account.App{}, account.ErrNoApp
	}

	return account.App{ID: id, Name: fields[1], Redirects: strings.Fields(fields[2]),
		CreatedAt: time.UnixMilli(created).UTC()}, nil
}
