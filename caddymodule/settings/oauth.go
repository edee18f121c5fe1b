package settings

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/rodata/rodata/internal/weburl"
)

// checkOAuth refuses base URLs that cannot identify the issuer of tokens, or that are not
// encrypted.
func checkOAuth(on, baseURL string) error {
	if on == "" || on == "off" {
		return nil
	}
	if err := checkSwitch(on); err != nil {
		return err
	}
	u, err := url.Parse(baseURL)
	switch {
	case baseURL == "":
		return errors.New("it needs the address of the service, which programs compare letter by letter: give it as base_url (RODATA_BASE_URL)")
	case err != nil || u.Path != "":
		return fmt.Errorf("base_url %s has a path, below which programs would not look: serve it at a host of its own", baseURL)
	case u.Scheme != "https" && !weburl.Loopback(u.Hostname()):
		return fmt.Errorf("base_url %s is not encrypted: use https", baseURL)
	}
	return nil
}
