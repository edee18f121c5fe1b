package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeKeyring keeps keys in the order of issue.
type fakeKeyring struct {
	keys []account.Key
	err  error
}

const issuedSecret = "rodata_live_4GrK"

func (f *fakeKeyring) Issue(_ context.Context, k account.Key) (account.Key, string, error) {
	if f.err != nil {
		return account.Key{}, "", f.err
	}

	k.ID, k.Prefix, k.Last4, k.CreatedAt = account.NewID(), "rodata_live_4GrK", "wMwH",
		time.Date(2026, 11, 20, 9, 30, 0, 123e6, time.UTC)
	f.keys = append(f.keys, k)
	return k, issuedSecret, nil
}

func (f *fakeKeyring) Keys(_ context.Context, owner string) (keys []account.Key, _ error) {
	for _, k := range f.keys {
		if k.Account == owner {
			keys = append(keys, k)
		}
	}

	return keys, f.err
}

func (f *fakeKeyring) Revoke(_ context.Context, owner, id, _ string) error {
	i := slices.IndexFunc(f.keys, func(k account.Key) bool { return k.ID == id && k.Account == owner })
	if f.err != nil || i < 0 {
		return errors.Join(f.err, account.ErrUnknownKey)
	}

	f.keys = slices.Delete(f.keys, i, i+1)
	return nil
}

// fakeSessions knows one session, of gateway.GoodKey's account, and can be down.
type fakeSessions struct{ down error }

const goodCookie = "theme=dark; better-auth.session_token=good"

func (f fakeSessions) Session(_ context.Context, _, cookie string) (account.Session, error) {
	switch {
	case f.down != nil:
		return account.Session{}, f.down
	case cookie == goodCookie:
		return account.Session{ID: "session1", User: "user1", Account: "account1", Plan: "pro"}, nil
	}

	return account.Session{}, account.ErrNoSession
}

// keyDesk is a gateway with a keyring.
type keyDesk struct {
	*op.Gateway
	ring       *fakeKeyring
	management customer.KeyManagement
}

func newKeyDesk(t testing.TB) *keyDesk {
	d := &keyDesk{Gateway: gateway.New(t), ring: new(fakeKeyring)}
	d.Sessions = fakeSessions{}
	d.TrustedOrigins = web.Origins{"https://app.example.test"}
	return d
}

func (d *keyDesk) do(t *testing.T, method, path string, call op.Call) *op.Reply {
	t.Helper()
	ops := Operations(Registries{Keys: d.ring, KeyManagement: d.management}, metering.DefaultPlans(), system.About{})
	operation, inPath := gateway.Find(ops, method, path)
	call.InPath = inPath
	return d.Do(t.Context(), operation, &call)
}

var (
	withKey  = op.Call{Authorization: "Bearer " + gateway.GoodKey}
	signedIn = op.Call{Cookie: goodCookie, Origin: "https://API.example.test", Site: "https://api.example.test"}
)

// keyNamed is a call to create a key with the given name.
func keyNamed(call op.Call, name string) op.Call {
	call.Args = op.Args{{Name: "name", Text: name}}
	return call
}

// memberNames returns the member names of a JSON object, or of each object in an array.
func memberNames(t *testing.T, doc *op.Document) []string {
	t.Helper()
	text := strings.Trim(string(doc.JSON), "[]")
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", doc.JSON, err)
	}

	return slices.Sorted(maps.Keys(o))
}

func TestKeyIsToldOnce(t *testing.T) {
	for name, call := range map[string]op.Call{"with a key": withKey, "with a session": signedIn} {
		t.Run(name, func(t *testing.T) {
			d := newKeyDesk(t)
			created := d.do(t, "POST", "/v1/keys", keyNamed(call, " ERP ș "))
			if created.Status != http.StatusCreated {
				t.Fatalf("got %d %v", created.Status, created.Problem)
			}
			if got := memberNames(t, created.Document); !slices.Equal(got,
				[]string{"createdAt", "id", "key", "name", "prefix"}) {
				t.Errorf("it has %v", got)
			}

			for _, want := range []string{`"key":"` + issuedSecret + `"`, `"name":"ERP ș"`,
				`"createdAt":"2026-11-20T09:30:00.123Z"`} {
				if !strings.Contains(string(created.Document.JSON), want) {
					t.Errorf("no %s in %s", want, created.Document.JSON)
				}
			}

			if made := d.ring.keys[0]; made.Account != "account1" ||
				(made.Parent == "key1") != (call.Authorization != "") {
				t.Errorf("made as %+v", made)
			}

			listed := d.do(t, "GET", "/v1/keys", call)
			if got := memberNames(t, listed.Document); !slices.Equal(got,
				[]string{"createdAt", "expiresAt", "id", "last4", "lastUsedAt", "name", "prefix"}) {
				t.Errorf("listed with %v", got)
			}
			if text := string(listed.Document.JSON); !strings.Contains(text, `"lastUsedAt":null,"expiresAt":null`) {
				t.Errorf("listed as %s", text)
			}
		})
	}
}

// An answer about an account must not be stored, and is never a 304.
func TestAccountAnswersAreNotKept(t *testing.T) {
	d := newKeyDesk(t)
	call := keyNamed(withKey, "ERP")
	call.IfNoneMatch = "*"
	created := d.do(t, "POST", "/v1/keys", call)
	listing := withKey
	listing.IfNoneMatch = "*"
	for name, reply := range map[string]*op.Reply{
		"created": created,
		"listed":  d.do(t, "GET", "/v1/keys", listing),
		"revoked": d.do(t, "DELETE", "/v1/keys/"+d.ring.keys[0].ID, withKey),
		"refused": d.do(t, "GET", "/v1/keys", op.Call{}),
	} {
		h := http.Header{}
		reply.WriteHeader(h)
		if reply.Status == http.StatusNotModified || h.Get("Cache-Control") != "no-store" || h.Get("Etag") != "" ||
			h.Get("x-cache") != "" {
			t.Errorf("%s: %d %v", name, reply.Status, h)
		}
		if gateway.Header(h, "x-credits-cost") != "0" || gateway.Header(h, "RateLimit-Limit") == "" {
			t.Errorf("%s: cost and limit are %v", name, h)
		}
	}
}

func TestRevokedKeyIsGone(t *testing.T) {
	d := newKeyDesk(t)
	d.do(t, "POST", "/v1/keys", keyNamed(withKey, "ERP"))
	id := d.ring.keys[0].ID
	d.ring.keys = append(d.ring.keys, account.Key{ID: "foreign", Account: "account2"})
	if reply := d.do(t, "DELETE", "/v1/keys/"+id, withKey); reply.Status != http.StatusNoContent ||
		reply.Document != nil {
		t.Fatalf("got %d %v %v", reply.Status, reply.Problem, reply.Document)
	}

	details := make(map[string]bool)
	for _, id := range []string{id, "foreign", "unknown", "' OR 1=1 --"} {
		reply := d.do(t, "DELETE", "/v1/keys/"+id, withKey)
		if reply.Status != http.StatusNotFound {
			t.Errorf("%s: got %d %v", id, reply.Status, reply.Problem)
			continue
		}

		details[strings.ReplaceAll(reply.Problem.Detail, strconv.Quote(id), "")] = true
	}

	if len(details) != 1 {
		t.Errorf("the refusals differ: %v", details)
	}
}

func TestKeyManagementIsRestricted(t *testing.T) {
	page := func(origin string) op.Call {
		call := signedIn
		call.Origin = origin
		return call
	}
	both := page("https://foreign.example.test")
	both.Authorization = "Bearer " + gateway.GoodKey
	wrongKey := signedIn
	wrongKey.Authorization = "Bearer wrong"
	for _, c := range []struct {
		name           string
		call           op.Call
		management     customer.KeyManagement
		sessions       op.Sessions
		read, change   int
		detailOfChange string
	}{
		{name: "nobody", call: op.Call{}, read: 401, change: 401, detailOfChange: "needs an account"},
		{name: "a key", call: withKey, read: 200, change: 201},
		{name: "a wrong key is no session", call: wrongKey, read: 401, change: 401, detailOfChange: "invalid"},
		{name: "a session", call: signedIn, read: 200, change: 201},
		{name: "a session that has ended", call: op.Call{Cookie: "better-auth.session_token=old"}, read: 401,
			change: 401},
		{name: "a session without a page", call: page(""), read: 200, change: 403, detailOfChange: "header Origin"},
		{name: "a session and no page at all", call: page("null"), read: 200, change: 403, detailOfChange: "null"},
		{name: "a session in a foreign page", call: page("https://api.example.test.evil.test"), read: 200, change: 403,
			detailOfChange: "evil"},
		{name: "a session in a trusted page", call: page("https://app.example.test"), read: 200, change: 201},
		{name: "a key beside a session", call: both, read: 200, change: 201},
		{name: "a key where only sessions do", call: withKey, management: customer.SessionOnly, read: 200, change: 403,
			detailOfChange: "sign in"},
		{name: "a session where only sessions do", call: signedIn, management: customer.SessionOnly, read: 200,
			change: 201},
		{name: "a session while the store is down", call: signedIn, sessions: fakeSessions{account.ErrStoreDown},
			read: 503, change: 503, detailOfChange: "try again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newKeyDesk(t)
			d.management = c.management
			if c.sessions != nil {
				d.Sessions = c.sessions
			}
			if reply := d.do(t, "GET", "/v1/keys", c.call); reply.Status != c.read {
				t.Errorf("reading: got %d %v, want %d", reply.Status, reply.Problem, c.read)
			}

			reply := d.do(t, "POST", "/v1/keys", keyNamed(c.call, "ERP"))
			if reply.Status != c.change ||
				reply.Problem != nil && !strings.Contains(reply.Problem.Detail, c.detailOfChange) {
				t.Errorf("changing: got %d %v, want %d", reply.Status, reply.Problem, c.change)
			}
			if (len(d.ring.keys) > 0) != (c.change == 201) {
				t.Errorf("%d keys were made", len(d.ring.keys))
			}
			if reply := d.do(t, "DELETE", "/v1/keys/unknown", c.call); (reply.Status == 404) != (c.change == 201) {
				t.Errorf("revoking: got %d %v", reply.Status, reply.Problem)
			}
		})
	}
}

// Sessions are accepted only by operations that require an account.
func TestDataOperationsIgnoreCookies(t *testing.T) {
	g := gateway.New(t)
	g.Sessions = fakeSessions{errors.New("it was asked")}
	var seen *op.Observation
	g.Observe = func(_ context.Context, o *op.Observation) { seen = o }
	reply := gateway.Ask(t, g, newOperations(), &op.Call{Cookie: goodCookie}, "/v1/companies/9900000010")
	if reply.Status != 200 || seen.Caller.Account() != "" {
		t.Errorf("got %d %v for %+v", reply.Status, reply.Problem, seen.Caller)
	}
}

// A session uses the same token bucket as the account's keys. A caller without a session uses the bucket of the
// address.
func TestSessionsShareTheirAccountsBucket(t *testing.T) {
	d := newKeyDesk(t)
	d.Plans[2].Rate = metering.PerSecond(1, 2)
	d.Anonymous = metering.PerSecond(1, 2)
	for i, want := range []int{200, 200, 429} {
		call := signedIn
		if i == 1 {
			call = withKey
		}
		if reply := d.do(t, "GET", "/v1/keys", call); reply.Status != want {
			t.Errorf("call %d of the account: got %d, want %d", i, reply.Status, want)
		}
	}

	for i, want := range []int{401, 401, 429} {
		if reply := d.do(t, "GET", "/v1/keys", op.Call{Cookie: "a=b"}); reply.Status != want {
			t.Errorf("anonymous call %d: got %d, want %d", i, reply.Status, want)
		}
	}
}

func TestKeysThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		name, key string
		err       error
		status    int
		want      string
	}{
		{"blank", "  ", nil, 400, "1 to 100 characters"},
		{"long", strings.Repeat("ș", 101), nil, 400, "101 were sent"},
		{"longest", strings.Repeat("ș", 100), nil, 201, ""},
		{"too many", "ERP", account.ErrTooManyKeys, 400, "has 20 keys"},
		{"store down", "ERP", account.ErrStoreDown, 503, "try again"},
		{"account closed", "ERP", account.ErrNoAccount, 401, "closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newKeyDesk(t)
			d.ring.err = c.err
			reply := d.do(t, "POST", "/v1/keys", keyNamed(withKey, c.key))
			if reply.Status != c.status || c.want != "" && !strings.Contains(reply.Problem.Detail, c.want) {
				t.Errorf("got %d %v, want %d that says %q", reply.Status, reply.Problem, c.status, c.want)
			}
			if reply.Status == 503 && reply.RetrySeconds() == 0 {
				t.Error("no Retry-After")
			}
		})
	}
}
