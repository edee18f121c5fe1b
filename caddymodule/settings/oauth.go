package settings

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/rodata/rodata/internal/web"
)

// checkOAuth rejects base URLs that cannot identify the issuer of tokens, or that are not encrypted.
func checkOAuth(on, baseURL string) error {
	if on != "on" {
		return nil
	}

	u, err := url.Parse(baseURL)
	switch {
	case baseURL == "":
		return errors.New("base_url (RODATA_BASE_URL) is missing: OAuth clients compare the issuer's address letter " +
			"by letter")
	case err != nil || u.Path != "":
		return fmt.Errorf("base_url %s has a path, under which OAuth clients do not look for metadata: use a host of "+
			"its own", baseURL)
	case u.Scheme != "https" && !web.IsLoopback(u.Hostname()):
		return fmt.Errorf("base_url %s is not encrypted: use https", baseURL)
	}

	return nil
}
