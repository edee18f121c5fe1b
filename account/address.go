package account

import (
	"fmt"
	"net"
	"net/url"
)

// CheckURL refuses the address of a service to which money or invoices are
// entrusted unless it is https and nothing but an address: no user, query or
// fragment. http is for loopback hosts only.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return err
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q is not a plain URL", text)
	case u.Scheme == "https", u.Scheme == "http" && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()):
		return nil
	}
	return fmt.Errorf("%q is not encrypted; use https, http is for loopback hosts only", text)
}
