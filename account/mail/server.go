package mail

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/rodata/rodata/internal/web"
)

// Server is a mail submission server, as ParseServer returns it. It is comparable.
type Server struct {
	host           string
	port           int
	user, password string
	security       security
}

type security int

const (
	upgraded  security = iota // STARTTLS required (RFC 3207)
	encrypted                 // implicit TLS (RFC 8314)
	plain                     // none, loopback only
)

// The usual ports of submission servers (RFC 8314, section 7.3).
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
// User and password are optional; the ports shown for the first two are, too. Special characters in a password are
// percent-encoded. Errors never repeat any part of the address.
func ParseServer(address string) (Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return Server{}, errors.New("want an address such as smtp://user:password@mail.example.ro:587, or smtps:// " +
			"and port 465, with special characters of the password in percent-encoding")
	}

	s := Server{host: u.Hostname(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch {
	case u.Scheme == "smtps":
		s.security, s.port = encrypted, submissions
	case u.Scheme == "smtp" && web.IsLoopback(s.host):
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

// String returns the address without user and password.
func (s Server) String() string {
	scheme := "smtp://"
	if s.security == encrypted {
		scheme = "smtps://"
	}
	return scheme + net.JoinHostPort(s.host, strconv.Itoa(s.port))
}

// GoString omits the password from the output of %#v.
func (s Server) GoString() string { return fmt.Sprintf("mail.Server(%s)", s) }
