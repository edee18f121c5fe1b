package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// sessionHeader is the header of the session ID in the revisions before 2026-07-28.
const sessionHeader = "Mcp-Session-Id"

// maxEnded is the minimum number of ended sessions that are remembered. Open ones are not: so a session can continue on
// another edge or after a restart, and an idle session takes no memory. A forgotten one looks like a session of another
// edge and is served.
const maxEnded = 4096

// client is a session of an account; the account is empty for anonymous callers. Each account that knows the id of an
// anonymous session has its own: it cannot affect the others.
type client struct{ session, account string }

// name is the session's name for mcp-go, which cancels calls by session and id; empty for none.
func (c client) name() string {
	if c.session == "" {
		return ""
	}
	return c.session + " " + c.account
}

// newSession returns the ID of a session of an account. Its signature names the account, so that every edge of a fleet
// recognizes the session without storing it.
func (h *Handler) newSession(account string) string {
	random := rand.Text()
	return random + "." + h.signature(random, account)
}

func (h *Handler) signature(random, account string) string {
	mac := hmac.New(sha256.New, h.Gateway.Secret)
	fmt.Fprintf(mac, "MCP session %q %q", random, account)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// maxSessionID is the size in bytes above which an ID is not hashed.
const maxSessionID = 128

// isIssued reports whether the ID of a session was issued to an account.
func (h *Handler) isIssued(id, account string) bool {
	random, signature, _ := strings.Cut(id, ".")
	return len(id) <= maxSessionID && hmac.Equal([]byte(signature), []byte(h.signature(random, account)))
}

// session returns the session of a request of the older revisions; the zero client for none. A session belongs to the
// account that opened it. An anonymous one belongs to whoever knows its ID: clients change addresses, and may get a key
// on the way. A caller that could not be authenticated (nil) has none.
func (h *Handler) session(r *http.Request, caller *account.Caller) (client, *problem.Problem) {
	id := r.Header.Get(sessionHeader)
	if id == "" || caller == nil {
		return client{}, nil
	}

	c := client{id, caller.Account()}
	if !h.isIssued(id, c.account) && !h.isIssued(id, "") || h.ended.Has(c) {
		return client{}, problem.NotFound.New("this caller has no session with the given " + sessionHeader +
			", or has ended it; begin another one with initialize")
	}

	return c, nil
}

// endSession handles DELETE, by which a client of the older revisions ends its session.
func (h *Handler) endSession(w http.ResponseWriter, r *http.Request, caller *account.Caller) {
	c, refused := h.session(r, caller)
	if refused != nil {
		h.refuse(w, r, refused)
		return
	}
	if c.session != "" {
		h.ended.Put(c, struct{}{})
	}

	w.WriteHeader(http.StatusOK)
}
