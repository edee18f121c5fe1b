package customer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeInbox keeps the last message, or fails.
type fakeInbox struct {
	taken   *account.Inquiry
	failure error
}

func (f *fakeInbox) Take(_ context.Context, q account.Inquiry) error {
	if f.failure == nil {
		f.taken = &q
	}
	return f.failure
}

func contact(t *testing.T, inbox Inbox, call op.Call) *op.Reply {
	t.Helper()
	g := gateway.New(t)
	g.TrustedOrigins = web.Origins{"https://app.example.ro"}
	return g.Do(t.Context(), SendContact(inbox), &call)
}

// message returns the arguments of a message, with one of them replaced or added.
func message(field, text string) op.Args {
	args := op.Args{
		{Name: "name", Text: "Ana Exemplu"}, {Name: "email", Text: "ana@example.ro"},
		{Name: "message", Text: "Bună ziua!\nO întrebare."},
	}
	for i := range args {
		if args[i].Name == field {
			args[i].Text = text
			return args
		}
	}

	if field == "" {
		return args
	}

	return append(args, op.Arg{Name: field, Text: text})
}

func TestMessagesAreTaken(t *testing.T) {
	inbox := new(fakeInbox)
	from := netip.MustParseAddr("2001:db8::1")
	reply := contact(t, inbox, op.Call{Args: message("", ""), Address: from})
	if reply.Status != http.StatusOK || string(reply.Document.JSON) != `{"ok":true}` {
		t.Fatalf("got %d %v", reply.Status, reply.Problem)
	}

	want := account.Inquiry{Name: "Ana Exemplu", Email: "ana@example.ro", Text: "Bună ziua!\nO întrebare.",
		Address: from}
	if inbox.taken == nil || *inbox.taken != want {
		t.Errorf("the inbox received %+v", inbox.taken)
	}
}

func TestBoundsOfMessages(t *testing.T) {
	for _, c := range []struct {
		name, field, text string
		status            int
	}{
		{"empty honeypot", "website", "", 200},
		{"filled honeypot", "website", "x", 400},
		{"no name", "name", "", 400},
		{"short name", "name", "A", 400},
		{"longest name", "name", strings.Repeat("ș", 120), 200},
		{"long name", "name", strings.Repeat("ș", 121), 400},
		{"name with a line break", "name", "Ana\r\nBcc: x@example.ro", 400},
		{"no address", "email", "ana", 400},
		{"address with a name", "email", "Ana <ana@example.ro>", 400},
		{"address with a line break", "email", "ana@example.ro\r\nBcc: x@example.ro", 400},
		{"two addresses", "email", "ana@example.ro,x@example.ro", 400},
		{"address beyond ASCII", "email", "ană@example.ro", 400},
		{"longest address", "email", strings.Repeat("a", 189) + "@example.ro", 200},
		{"long address", "email", strings.Repeat("a", 190) + "@example.ro", 400},
		{"short message", "message", "scurt", 400},
		{"longest message", "message", strings.Repeat("ș", 5000), 200},
		{"long message", "message", strings.Repeat("a", 5001), 400},
		{"message with a control character", "message", "Bună ziua\x00, știați?", 400},
		{"unknown field", "phone", "0", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			inbox := new(fakeInbox)
			reply := contact(t, inbox, op.Call{Args: message(c.field, c.text)})
			if reply.Status != c.status || (inbox.taken != nil) != (c.status == 200) {
				t.Errorf("got %d %v, message stored: %v", reply.Status, reply.Problem, inbox.taken != nil)
			}
		})
	}
}

func TestContactFormOrigins(t *testing.T) {
	const site = "https://api.example.ro"
	for name, c := range map[string]struct {
		call   op.Call
		status int
	}{
		"other than browsers":            {op.Call{}, 200},
		"a page of our own":              {op.Call{Origin: site, Site: site, FetchSite: "same-origin"}, 200},
		"a page of our own, old browser": {op.Call{Origin: site, Site: site}, 200},
		"a trusted page": {op.Call{Origin: "https://app.example.ro", Site: site, FetchSite: "cross-site"},
			200},
		"another page": {op.Call{Origin: "https://evil.example", Site: site, FetchSite: "cross-site"},
			403},
		"another page, old browser": {op.Call{Origin: "https://evil.example", Site: site}, 403},
		"a neighbour": {op.Call{Origin: "https://www.example.ro", Site: site, FetchSite: "same-site"},
			403},
		"our own, not encrypted": {op.Call{Origin: "http://api.example.ro", Site: site, FetchSite: "same-site"},
			403},
		"our own on another port":         {op.Call{Origin: site + ":8443", Site: site, FetchSite: "same-site"}, 403},
		"our name within another":         {op.Call{Origin: site + ".evil.example", Site: site}, 403},
		"a page that hides its origin":    {op.Call{Origin: "null", Site: site, FetchSite: "cross-site"}, 403},
		"another page without its origin": {op.Call{FetchSite: "cross-site", Site: site}, 403},
		"typed into the browser":          {op.Call{FetchSite: "none", Site: site}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			inbox := new(fakeInbox)
			c.call.Args = message("", "")
			reply := contact(t, inbox, c.call)
			if reply.Status != c.status || (inbox.taken != nil) != (c.status == 200) {
				t.Errorf("got %d %v", reply.Status, reply.Problem)
			}
			if c.status == 403 && reply.Problem.Kind != problem.Forbidden {
				t.Errorf("the problem is %v", reply.Problem)
			}
		})
	}
}

func TestMessagesThatAreNotTaken(t *testing.T) {
	for name, c := range map[string]struct {
		failure error
		status  int
		seconds int
		detail  string
	}{
		"too many from one": {fmt.Errorf("taking: %w", &account.TooManyInquiries{RetryAfter: 90500 * time.Millisecond}),
			429, 91, "this address"},
		"too many from all": {&account.TooManyInquiries{RetryAfter: time.Minute, FromAll: true}, 429, 60, "received"},
		"store down":        {fmt.Errorf("%w: a secret cause", account.ErrStoreDown), 503, 5, "cannot be stored"},
		"a mistake":         {errors.New("a secret cause"), 500, 0, "internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			reply := contact(t, &fakeInbox{failure: c.failure}, op.Call{Args: message("", "")})
			if reply.Status != c.status || reply.Problem.RetrySeconds() != c.seconds ||
				!strings.Contains(reply.Problem.Detail, c.detail) {
				t.Errorf("got %d, %d s, %v", reply.Status, reply.Problem.RetrySeconds(), reply.Problem)
			}
			if strings.Contains(reply.Problem.Detail, "secret") {
				t.Errorf("the problem reveals the cause: %s", reply.Problem.Detail)
			}
		})
	}
}
