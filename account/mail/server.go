package mail

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/rodata/rodata/internal/weburl"
)

// Server is a mail server that takes mails and passes them on. ParseServer makes
// one; it can be compared with ==.
type Server struct {
	host           string
	port           int
	user, password string
	security       security
}

// security is how a connection is protected.
type security int

const (
	upgraded  security = iota // by STARTTLS (RFC 3207), without which nothing is said
	encrypted                 // from the first byte on (RFC 8314)
	plain                     // not: the server is on this machine
)

// Ports where servers usually take mails from programs (RFC 8314, section 7.3).
const (
	submission  = 587
	submissions = 465
)

// ParseServer reads the address of a server:
//
//	smtp://user:password@mail.example.ro:587    encrypted by STARTTLS, always
//	smtps://user:password@mail.example.ro:465   encrypted from the start
//	smtp://127.0.0.1:25                         on this machine, not encrypted
//
// User and password may be left out, and the ports as they are above for the
// first two. Special characters in a password are written in percent-encoding.
// The error never repeats any of the address.
func ParseServer(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return Server{}, errors.New("want an address as smtp://user:password@mail.example.ro:587, or smtps:// and port 465, with special characters of the password in percent-encoding")
	}
	s := Server{host: u.Hostname(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch {
	case u.Scheme == "smtps":
		s.security, s.port = encrypted, submissions
	case u.Scheme == "smtp" && weburl.Loopback(s.host):
		s.security, s.port = plain, submission
	case u.Scheme == "smtp":
		s.security, s.port = upgraded, submission
	default:
		return Server{}, errors.New("the address of a mail server begins with smtp:// or smtps://")
	}
	if (s.user == "") != (s.password == "") {
		return Server{}, errors.New("give the mail server's user and password both, or neither")
	}
	if text := u.Port(); text != "" {
		if s.port, err = strconv.Atoi(text); err != nil || s.port < 1 || s.port > 65535 {
			return Server{}, errors.New("the port of the mail server is not a number from 1 to 65535")
		}
	}
	return s, nil
}

// String is the address without user and password.
func (s Server) String() string {
	scheme := "smtp://"
	if s.security == encrypted {
		scheme = "smtps://"
	}
	return scheme + net.JoinHostPort(s.host, strconv.Itoa(s.port))
}

// GoString keeps the password out of what %#v prints.
func (s Server) GoString() string { return fmt.Sprintf("mail.Server(%s)", s) }
