package rest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
)

// Visitors recognises calls made by the site's own pages. Headers such as Origin and Referer can be forged, so each
// page sets a cookie with a ticket: an HMAC, under the deployment's secret, of the visitor's network and the ticket's
// expiry. Browsers send it with requests of our pages, but not of other sites (SameSite=Strict), and hide it from
// scripts.
//
// A program can fetch a page and send its ticket as well. It gains nothing: it then counts as a visitor, and the
// visitors of a network share a daily allowance.
type Visitors struct{ secret []byte }

// NewVisitors returns Visitors with the deployment's secret.
func NewVisitors(secret []byte) *Visitors { return &Visitors{secret} }

const (
	ticketCookie = "rodata_visitor"
	ticketPath   = "/v1/companies" // only calls below it have a price
	ticketAge    = 24 * time.Hour
)

// setTicket gives the visitor of a page below a base address a ticket. The files that a page loads have an extension,
// and set none.
func (v *Visitors) setTicket(w http.ResponseWriter, r *http.Request, from netip.Addr, base string) {
	if path.Ext(r.URL.Path) != "" {
		return
	}

	http.SetCookie(w, &http.Cookie{
		Name: ticketName(base), Value: v.ticket(from, time.Now().Add(ticketAge)), Path: ticketPath,
		Secure: strings.HasPrefix(base, "https:"), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

func ticketName(base string) string { return web.CookieName(base, ticketPath, ticketCookie) }

// recognises reports whether a request carries a valid ticket.
func (v *Visitors) recognises(r *http.Request, from netip.Addr, base func(*http.Request) string) bool {
	if len(r.Header["Cookie"]) == 0 {
		return false
	}

	cookie, err := r.Cookie(ticketName(base(r)))
	return err == nil && v.verify(cookie.Value, from, time.Now())
}

const endBytes = 8 // of a ticket's expiry, in Unix seconds

// ticket returns a ticket for a visitor: its expiry and the HMAC, in base64url.
func (v *Visitors) ticket(address netip.Addr, end time.Time) string {
	ticket := binary.BigEndian.AppendUint64(nil, uint64(end.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(ticket, v.mac(address, ticket)...))
}

// verify reports whether a ticket is genuine and has not expired.
func (v *Visitors) verify(text string, address netip.Addr, now time.Time) bool {
	ticket, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(ticket) != endBytes+sha256.Size {
		return false
	}

	end := ticket[:endBytes]
	return now.Before(time.Unix(int64(binary.BigEndian.Uint64(end)), 0)) &&
		hmac.Equal(ticket[endBytes:], v.mac(address, end))
}

// visitorPurpose separates this HMAC from others under the same secret.
const visitorPurpose = "site visitor\x00"

func (v *Visitors) mac(address netip.Addr, end []byte) []byte {
	network := metering.AddressBucket(address).Network
	mac := hmac.New(sha256.New, v.secret)
	mac.Write([]byte(visitorPurpose + network.String() + "\x00"))
	mac.Write(end)
	return mac.Sum(nil)
}
