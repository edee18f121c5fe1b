package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit/accountstore"
	"github.com/rodata/rodata/testkit/fake"
)

// site is an Auth with its store and its mail.
type site struct {
	*Auth
	db    *store.DB
	mails *mailbox
	log   *strings.Builder
	ahead time.Duration // added to the wall clock, for the limits
}

const siteURL = "https://rodata.example"

// newSite returns a site on https that sends mail and requires verified addresses, unless change says otherwise.
// Hashing passwords takes no time.
func newSite(t testing.TB, change func(*Options)) *site {
	t.Helper()
	s := &site{db: accountstore.Open(t), mails: new(mailbox), log: new(strings.Builder)}
	o := Options{
		Store: s.db, Secret: []byte("a secret for tests"), DefaultPlan: "free",
		BaseURL: func(*http.Request) string { return siteURL },
		Address: fake.Address, Mailer: s.mails, RequireVerification: true,
		TrustedOrigins: []string{"https://app.example"},
		Logger:         slog.New(slog.NewTextHandler(s.log, nil)),
		Buckets:        metering.NewBucketsOn(func() time.Time { return time.Now().Add(s.ahead) }),
	}
	if change != nil {
		change(&o)
	}

	s.Auth = New(o)
	s.passwords.Argon2, s.passwords.Scrypt = quickArgon, quickScrypt
	t.Cleanup(s.Close)
	return s
}

// open reconfigures it as a site without mail.
func open(o *Options) { o.Mailer, o.RequireVerification = nil, false }

// mailbox is a Mailer that records mails.
type mailbox struct {
	mu  sync.Mutex
	all []mail.Message
	err error
}

func (b *mailbox) Send(_ context.Context, m mail.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.all = append(b.all, m)
	}

	return b.err
}

// to returns the mails to an address.
func (s *site) to(email string) (all []mail.Message) {
	s.tasks.running.Wait()
	s.mails.mu.Lock()
	defer s.mails.mu.Unlock()
	for _, m := range s.mails.all {
		if m.To == email {
			all = append(all, m)
		}
	}

	return all
}

// link returns the link in the last mail to an address that contains one.
func (s *site) link(t testing.TB, email string) string {
	t.Helper()
	all := s.to(email)
	for i := len(all) - 1; i >= 0; i-- {
		for word := range strings.FieldsSeq(all[i].Text) {
			if strings.HasPrefix(word, "http") {
				return word
			}
		}
	}

	t.Fatalf("no link in the %d mails to %s", len(all), email)
	return ""
}

// wire converts a link from a mail to the address that clients of the wire format call.
func wire(link string) string {
	for what, path := range map[string]string{"email": "verify-email", "change": "verify-email",
		"sign-in": "magic-link/verify", "deletion": "delete-user/callback"} {
		link = strings.Replace(link, Path+"/confirm/"+what+"?", Path+"/"+path+"?", 1)
	}
	return link
}

var (
	formAction = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// press submits the form of a page, with its first button or the one with the given name and value.
func (b *browser) press(page reply, pair ...string) reply {
	b.t.Helper()
	action := formAction.FindStringSubmatch(page.text)
	if page.StatusCode != 200 || action == nil {
		b.t.Fatalf("the page is %d\n%s", page.StatusCode, page.text)
	}

	form := make(url.Values)
	for _, field := range formField.FindAllStringSubmatch(page.text, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}

	if len(pair) > 0 {
		if !strings.Contains(page.text, fmt.Sprintf(`<button name="%s" value="%s">`, pair[0], pair[1])) {
			b.t.Fatalf("the page has no button %v:\n%s", pair, page.text)
		}
		form.Set(pair[0], pair[1])
	}

	return b.postBody(strings.TrimPrefix(html.UnescapeString(action[1]), Path), "application/x-www-form-urlencoded",
		form.Encode())
}

// follow opens a link from a mail and confirms the action.
func (b *browser) follow(link string) reply {
	b.t.Helper()
	return b.press(b.get(link))
}

// browser keeps cookies and sends an Origin.
type browser struct {
	*site
	t       testing.TB
	cookies map[string]string
	header  http.Header // added to every request; an empty value removes a header
}

func (s *site) browser(t testing.TB) *browser {
	return &browser{s, t, make(map[string]string), make(http.Header)}
}

// reply is a response.
type reply struct {
	*http.Response
	text string
	json map[string]any // nil unless it is an object
}

// code returns the error code of a response.
func (r reply) code() any { return r.json["code"] }

// get requests an absolute address, or a path below Path.
func (b *browser) get(target string) reply {
	b.t.Helper()
	if !strings.HasPrefix(target, "https:") {
		target = "https://rodata.example" + Path + target
	}
	return b.send(httptest.NewRequest("GET", target, nil))
}

// post sends names and values as JSON.
func (b *browser) post(path string, pairs ...any) reply {
	b.t.Helper()
	body := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		body[pairs[i].(string)] = pairs[i+1]
	}

	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}

	return b.postBody(path, "application/json", string(text))
}

func (b *browser) postBody(path, contentType, body string) reply {
	b.t.Helper()
	r := httptest.NewRequest("POST", "https://rodata.example"+Path+path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Origin", "https://rodata.example")
	return b.send(r)
}

func (b *browser) send(r *http.Request) reply {
	b.t.Helper()
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}

	for name, values := range b.header {
		r.Header[name] = values
		if values[0] == "" {
			delete(r.Header, name)
		}
	}

	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	b.tasks.running.Wait() // so that the next step sees the effects of this one
	res := reply{Response: w.Result()}
	for _, c := range res.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}

	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}

	res.text = string(text)
	json.Unmarshal(text, &res.json)
	return res
}

// want checks the status and the error code of a response.
func (b *browser) want(r reply, status int, code any) reply {
	b.t.Helper()
	if r.StatusCode != status || r.code() != code {
		b.t.Fatalf("%s %s: got %d %v, want %d %v: %s", r.Proto, r.Header.Get("Location"), r.StatusCode, r.code(),
			status, code, r.text)
	}
	return r
}

const (
	ana    = "ana@exemplu.example"
	parola = "o parolă lungă"
)

// member signs up a user and signs them in.
func (s *site) member(t testing.TB, email string) *browser {
	t.Helper()
	b := s.browser(t)
	b.want(b.post("/sign-up/email", "name", "Ana Exemplu", "email", email, "password", parola), 200, nil)
	if s.RequireVerification {
		b.want(b.follow(s.link(t, email)), 303, nil)
		b.want(b.post("/sign-in/email", "email", email, "password", parola), 200, nil)
	}

	return b
}

// isSignedIn reports whether the browser has a session.
func (b *browser) isSignedIn() bool {
	b.t.Helper()
	r := b.want(b.get("/get-session"), 200, nil)
	if r.json == nil && r.text != "null" {
		b.t.Fatalf("got %s", r.text)
	}

	return r.json != nil
}

// parameter returns a query parameter of the redirect target.
func (r reply) parameter(name string) string {
	u, _ := url.Parse(r.Header.Get("Location"))
	return u.Query().Get(name)
}
