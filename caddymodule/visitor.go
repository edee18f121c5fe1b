package caddymodule

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/netip"
	"path"
	"time"

	"github.com/rodata/rodata/metering"
)

// visitors recognises the calls that pages of the site make for those who have them
// open. Headers as Origin and Referer anybody can write. So each page comes with a
// ticket in a cookie: the hash, under the deployment's secret, of the visitor's network
// and of when the ticket ends. Browsers send it with what our pages ask, with nothing
// that pages of other sites ask (SameSite=Strict), and not to scripts.
//
// A program can fetch a page and send its ticket too: it then is a visitor, and no
// better off than one, since the calls of a network's visitors have an allowance of
// their own that ends as well.
type visitors struct{ secret []byte }

const (
	ticketCookie = "rodata_visitor"
	ticketPath   = "/v1/companies" // and below: nothing else has a price
	ticketAge    = 24 * time.Hour
)

// greet gives the visitor of a page a ticket. What a page loads has an extension.
func (v *visitors) greet(w http.ResponseWriter, r *http.Request, secure bool) {
	if path.Ext(r.URL.Path) != "" {
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: ticketCookie, Value: v.ticket(clientAddress(r), time.Now().Add(ticketAge)), Path: ticketPath,
		Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// recognises reports whether a request has a ticket that holds.
func (v *visitors) recognises(r *http.Request) bool {
	if len(r.Header["Cookie"]) == 0 {
		return false
	}
	cookie, err := r.Cookie(ticketCookie)
	return err == nil && v.holds(cookie.Value, clientAddress(r), time.Now())
}

const endBytes = 8 // of the time at which a ticket ends, in Unix seconds

func (v *visitors) ticket(address netip.Addr, end time.Time) string {
	ticket := binary.BigEndian.AppendUint64(nil, uint64(end.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(ticket, v.mac(address, ticket)...))
}

func (v *visitors) holds(text string, address netip.Addr, now time.Time) bool {
	ticket, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(ticket) != endBytes+sha256.Size {
		return false
	}
	end := ticket[:endBytes]
	return now.Before(time.Unix(int64(binary.BigEndian.Uint64(end)), 0)) && hmac.Equal(ticket[endBytes:], v.mac(address, end))
}

// visitorPurpose keeps these hashes apart from others made with the same secret.
const visitorPurpose = "site visitor\x00"

func (v *visitors) mac(address netip.Addr, end []byte) []byte {
	network := metering.AddressBucket(address).Network
	mac := hmac.New(sha256.New, v.secret)
	mac.Write([]byte(visitorPurpose + network.String() + "\x00"))
	mac.Write(end)
	return mac.Sum(nil)
}
