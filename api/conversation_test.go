package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/conversation"
	"github.com/rodata/rodata/testkit/gateway"
)

// talk is a conversation with all operations, in the words of REST.
type talk struct {
	conversation.Conversation
	*till
}

func TestConversations(t *testing.T) {
	for _, file := range []string{
		"batch", "billing", "calls", "companies", "credits", "errors", "keys", "rates", "vat",
	} {
		t.Run(file, func(t *testing.T) { newTalk().Run(t, "testdata/"+file+".txt") })
	}
}

// newTalk returns a conversation, whose cases open gateways with settings:
//
//	credits=10              credits of the key's account a month
//	rate=1/5, anonymous=1/5 calls a second and at once, with and without the key
//	companies=3             companies a day for an address
//	account=free/verified   plan and state of the key's account
//	without=NAME            an entitlement that the key's plan lacks
//	keys, session, journal  what cannot be reached
//	unloaded                the trade register is not loaded
//	billing=down            the error of a service; also ring, invoices
//	certifying, receipts    receipts are made; or cannot be read
//	session-only            keys are managed with a session only
func newTalk() *talk {
	c := new(talk)
	c.Send = c.send
	known := func(n int) string { return strings.TrimSuffix(strings.Repeat("9900000010,", n), ",") }
	c.Values = map[string]string{"n25": known(25), "n26": known(26), "n100": known(100), "n101": known(101),
		"n1000": known(1000), "n1001": known(1001), "1001": known(1001), "x101": strings.Repeat("x", 101),
		"nested": strings.Repeat("[", 500) + strings.Repeat("]", 500),
		"vat100": strings.TrimSuffix(strings.Repeat(`"DE445947920",`, 100), ","),
		"key":    gateway.GoodKey, "cookie": goodCookie, "50": strings.Repeat("1,", 50),
		"101": strings.Repeat("1,", 101) + "1", "s100": strings.Repeat("ș", 100), "s101": strings.Repeat("ș", 101)}
	c.Steps = map[string]func(*testing.T, string){"open": c.open}
	return c
}

// serviceErrors are the errors of services by their names in a conversation.
var serviceErrors = map[string]error{
	"down":        &customer.PaymentsDown{RetryAfter: 30 * time.Second, Err: errors.New("secret cause")},
	"store-down":  fmt.Errorf("%w: secret cause", account.ErrStoreDown),
	"not-sold":    customer.ErrNotSold,
	"none":        customer.ErrNoBilling,
	"no-customer": customer.ErrNoCustomer,
	"too-many":    account.ErrTooManyKeys,
	"closed":      account.ErrNoAccount,
	"disk":        errors.New("secret cause"),
}

func (c *talk) open(t *testing.T, settings string) {
	t.Helper()
	x := newTill(t, 100)
	x.Sessions, x.TrustedOrigins = fakeSessions{}, web.Origins{"https://app.example.test"}
	cause := errors.New("secret cause")
	companies := fakeCompanies{exampleCUI: nil, secondCUI: nil, thirdCUI: nil,
		9900000029: &op.Failure{Registry: "anaf", Kind: op.Broken, Err: cause},
		9900000037: &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: cause},
		9900000045: fmt.Errorf("asking: %w",
			&op.Failure{Registry: "anaf", Kind: op.Closed, RetryAfter: 1500 * time.Millisecond, Err: cause}),
		9900000053: cause}
	paying := true
	r := Registries{Companies: vatCompanies{companies, &paying}, TaxRegisters: fakeRegisters{},
		CompanyHistory: &fakeHistory{}, Trade: &fakeTrade{}, Releases: fakeReleases{}, Gazetteer: fakePlaces{},
		Classification: fakeActivities{}, Calendar: fakeCalendar{}, Fixings: fixings, Keys: new(fakeKeyring),
		Usage: x.journal, Receipts: fakeReceipts{}, VATNumbers: new(fakeVAT), VATIdentities: fakeIdentities{}}
	billing, invoices := new(fakeBilling), fakeInvoices{}
	for setting := range strings.FieldsSeq(settings) {
		name, value, _ := strings.Cut(setting, "=")
		first, second, _ := strings.Cut(value, "/")
		n, _ := strconv.Atoi(first)
		burst, _ := strconv.Atoi(second)
		switch name {
		case "credits":
			x.Plans[2].MonthlyCredits = int64(n)
		case "rate":
			x.Plans[2].Rate = metering.PerSecond(n, burst)
		case "anonymous":
			x.Anonymous = metering.PerSecond(n, burst)
		case "companies":
			x.Daily, x.Allowances = op.Daily{Companies: n}, metering.NewDays()
		case "keys":
			x.Keys = gateway.Keys{Down: serviceErrors["store-down"]}
		case "session":
			x.Sessions = fakeSessions{serviceErrors["store-down"]}
		case "journal":
			x.journal.Fail(cause)
		case "account":
			x.Keys = oneKey{ID: "key1", Account: "account1", Plan: first, Verified: second == "verified"}
		case "certifying":
			r.Receipts = new(fakeCertifier)
		case "receipts":
			r.Receipts = brokenReceipts{}
		case "unloaded":
			r.Trade = &fakeTrade{unloaded: true}
		case "ring":
			r.Keys = &fakeKeyring{err: serviceErrors[value]}
		case "session-only":
			r.KeyManagement = customer.SessionOnly
		case "billing":
			billing.err = serviceErrors[value]
		case "invoices":
			invoices.err = serviceErrors[value]
		case "without":
			x.Plans[2].Without = []metering.Entitlement{metering.Entitlement(value)}
		default:
			t.Fatalf("unknown setting %s", setting)
		}
	}

	r.Billing, r.Invoices = billing, invoices
	x.operations = Operations(r, x.Plans, system.About{})
	c.till = x
}

// send calls an operation. The header Accept names a media type of the operation, X-Channel another channel, and
// X-Address another address.
func (c *talk) send(t *testing.T, request conversation.Request) (conversation.Answer, error) {
	path, query, _ := strings.Cut(request.Address, "?")
	o, inPath := gateway.Find(c.operations, request.Method, path)
	if o == nil {
		t.Fatalf("no operation answers %s %s", request.Method, path)
	}

	h := request.Header
	if h.Get("Authorization") == "none" {
		h.Del("Authorization")
	}

	call := &op.Call{Channel: "rest", InPath: inPath, Authorization: h.Get("Authorization"), APIKey: h.Get("X-Api-Key"),
		Cookie: h.Get("Cookie"), Origin: h.Get("Origin"), Site: "https://api.example.test",
		IfNoneMatch: h.Get("If-None-Match"), IdempotencyKey: h.Get("Idempotency-Key"), Media: h.Get("Accept"),
		BaseURL: "https://rodata.example", Address: netip.MustParseAddr("192.0.2.1")}
	if channel := h.Get("X-Channel"); channel != "" {
		call.Channel = channel
	}
	if address := h.Get("X-Address"); address != "" {
		call.Address = netip.MustParseAddr(address)
	}
	if call.Media == "text/csv" && o.HasRows() {
		call.Media, call.Form = "", lists.CSV{Delimiter: ','}
	}

	call.Args, call.Malformed = op.ArgsFromQuery(query)
	if request.Body != "" {
		call.Args, call.Malformed = op.ArgsFromJSON([]byte(request.Body))
	}

	reply := c.Do(t.Context(), o.ForMedia(call.Media), call)
	written := http.Header{}
	reply.WriteHeader(written)
	answer := conversation.Answer{Status: reply.Status, Header: http.Header{}}
	for name, values := range written {
		answer.Header[http.CanonicalHeaderKey(name)] = values
	}

	switch {
	case reply.Problem != nil:
		answer.Header.Set("Content-Type", problem.ContentType)
		answer.Body = string(reply.Problem.JSON(call.BaseURL))
		if strings.Contains(answer.Body, "secret") {
			t.Errorf("the cause is shown to the caller: %s", answer.Body)
		}
		if reply.Status == http.StatusServiceUnavailable && reply.RetrySeconds() == 0 {
			t.Errorf("it does not say when to try again: %s", answer.Body)
		}
	case reply.Document != nil:
		answer.Body = string(reply.Document.JSON)
		if file := reply.Document.File; file != nil {
			answer.Header["Content-Type"], answer.Header["Content-Disposition"] = file.Type, file.Disposition
		}
	}

	return answer, nil
}
