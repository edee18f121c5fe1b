package op

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
)

// Call is a request as a channel passes it on.
type Call struct {
	// Channel is rest, mcp, compat or site.
	Channel string
	// Caller is the result of Authenticate for the same headers, if the channel has called it; nil lets Do
	// authenticate.
	Caller *account.Caller
	// InPath are the arguments in the URL's path.
	InPath PathArgs
	// Args are the other arguments.
	Args Args
	// Malformed is the error of parsing the arguments, if there was one.
	Malformed error
	// Body copies a further argument, which may be large and slow, and returns its name and that of its file, which may
	// be empty; nil for none. It is called once the caller has been authenticated and may make the call, and it is the
	// caller's turn to upload.
	Body func(to io.Writer) (name, file string, err error)
	// Authorization and APIKey are the headers Authorization and x-api-key. Either may contain a key.
	Authorization, APIKey string
	// Cookie is the Cookie header. Only operations with Spec.Account use it, and calls with BySession.
	Cookie string
	// BySession lets the session of Cookie make a call that needs no account. The channel must
	// have verified that no page of another site made the browser send the request.
	BySession bool
	// Origin and FetchSite are the headers Origin and Sec-Fetch-Site, which identify the page that made a browser send
	// the request; empty if absent.
	Origin, FetchSite string
	// Site is the service's own origin as in the request; it may be empty if Origin and Cookie are.
	Site string
	// Address is the address of the client.
	Address netip.Addr
	// OwnPage reports that one of the service's own pages sends the request on a visitor's behalf. The channel must
	// have verified it: see Daily.Pages.
	OwnPage bool
	// Admitted reports that the call is part of a page rendered by one of the service's own channels, and that an
	// earlier call for it was admitted: it takes no token of the rate limit. Costs still apply.
	Admitted bool
	// Counted reports that an earlier call for the same page counted against the daily allowance: this one does not.
	Counted bool
	// IfNoneMatch is the If-None-Match header, in REST only.
	IfNoneMatch string
	// Media is the requested media type, one of the operation's Alternates; empty for JSON.
	Media string
	// BaseURL is the service's address as in the request, for links in rows and alternates.
	BaseURL string
	// Rows receives the rows of an answer as they become known or, with InOrder, in their order. If it is nil, the rows
	// are collected in one document, in a Form; nil for JSON.
	Rows    RowWriter
	InOrder bool
	Form    RowForm
	// Follower receives the items of a Followable operation as they arise; nil for a single page.
	Follower *Follower
	// IdempotencyKey is the Idempotency-Key header: a repeated call with the same key is not charged again for rows
	// already paid.
	IdempotencyKey string
	// Wait is the time that the caller prefers to wait for background work (Prefer: wait=10, RFC 7240).
	Wait time.Duration
	// RequestID is the client's ID of the request, as parsed by the function RequestID.
	RequestID string
}

// maxRequestID is the maximum length in characters.
const maxRequestID = 64

// RequestID returns the client's id of its request from the header X-Request-Id, for the logs of both sides: at most 64
// letters, digits, hyphens and underscores. It is empty for any other value, and for one that looks like an API key,
// since ids are logged.
func RequestID(h http.Header) string {
	ids := h["X-Request-Id"]
	if len(ids) != 1 || len(ids[0]) > maxRequestID {
		return ""
	}

	for _, c := range []byte(ids[0]) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return ""
		}
	}

	if strings.Contains(strings.ToLower(ids[0]), "_live_") {
		return ""
	}

	return ids[0]
}
