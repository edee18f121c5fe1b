package auth

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// shape returns a response without the parts that always differ: the repeated address, new ids and times.
func (r reply) shape(email string) string {
	text := strings.ReplaceAll(r.text, email, "EMAIL")
	text = newID.ReplaceAllString(text, "ID")
	text = newTime.ReplaceAllString(text, "TIME")
	headers := ""
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		headers += fmt.Sprintln(name, r.Header[name])
	}

	return fmt.Sprint(r.StatusCode, "\n", headers, text)
}

var (
	newID   = regexp.MustCompile(`"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"`)
	newTime = regexp.MustCompile(`"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
)

// closed reconfigures it as a site without mail where only operators open accounts.
func closed(o *Options) {
	open(o)
	o.SignUpClosed = true
}

// No response reveals whether an address has a user, neither where addresses are verified nor where there is no mail
// and sign-up is closed.
func TestResponsesDoNotRevealAccounts(t *testing.T) {
	flows := map[string][]any{
		"/sign-up/email":           {"name", "Ana Exemplu", "password", parola, "callbackURL", "/gata"},
		"/sign-in/email":           {"password", "alta parolă", "callbackURL", "/gata"},
		"/request-password-reset":  {"redirectTo", "/parola"},
		"/send-verification-email": {"callbackURL", "/gata"},
		"/sign-in/magic-link":      {"name", "Ana Exemplu", "callbackURL", "/gata"},
		"/change-email":            nil, // by a signed-in user
	}
	for name, c := range map[string]struct {
		change func(*Options)
		status map[string]int
	}{
		"with mail": {nil, map[string]int{"/sign-up/email": 200, "/sign-in/email": 401, "/request-password-reset": 200,
			"/send-verification-email": 200, "/sign-in/magic-link": 200, "/change-email": 200}},
		"with mail, closed": {func(o *Options) { o.SignUpClosed, o.RequireVerification = true, false },
			map[string]int{"/sign-up/email": 400, "/sign-in/email": 401, "/request-password-reset": 200,
				"/send-verification-email": 200, "/sign-in/magic-link": 200, "/change-email": 200}},
		"without mail, closed": {closed, map[string]int{"/sign-up/email": 400, "/sign-in/email": 401,
			"/request-password-reset": 400, "/send-verification-email": 400, "/sign-in/magic-link": 400,
			"/change-email": 400}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.change)
			s.importUser(t, ana, parola)
			s.importUser(t, imported, "a cui e parola")
			for path, more := range flows {
				ask := func(email string) string {
					b := s.browser(t)
					if more == nil {
						b.want(b.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
						return b.post(path, "newEmail", email).shape(email)
					}
					return b.post(path, append([]any{"email", email}, more...)...).shape(email)
				}
				known, unknown := ask(imported), ask(stranger)
				testkit.Equal(t, known, unknown, path)
				if want := fmt.Sprint(c.status[path]); !strings.HasPrefix(known, want) {
					t.Errorf("%s: got\n%s\nwant %s", path, known, want)
				}
			}
		})
	}
}

// Where sign-up is closed, existing users can sign in by every method, and no new accounts are opened.
func TestClosedSignUp(t *testing.T) {
	s, e := socialSite(t)
	s.SignUpClosed = true
	b := s.browser(t)
	b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), 400,
		"EMAIL_PASSWORD_SIGN_UP_DISABLED")
	b.want(b.post("/sign-in/magic-link", "email", ana), 200, nil)
	testkit.Equal(t, len(s.to(ana)), 0, "mails to a stranger")

	come := func(code string) string {
		return b.want(b.get("/callback/github?code="+code+"&state="+b.leave(e, "github")), 302,
			nil).Header.Get("Location")
	}
	testkit.Equal(t, come("good1"), "/vai?error=signup_disabled", "from a provider")

	left := testkit.Must(s.issue(t.Context(), forMagic, ana, "", account.Bound{})) // the user has been deleted since
	testkit.Equal(t, b.want(b.get("/magic-link/verify?callbackURL=/gata&token="+left), 302, nil).Header.Get("Location"),
		"/gata?error=new_user_signup_disabled", "from a link")
	if b.isSignedIn() {
		t.Fatal("a new user is signed in")
	}

	s.importUser(t, ana, parola)
	b.want(b.post("/sign-in/email", "email", ana, "password", parola), 200, nil)
	b.want(b.post("/sign-in/magic-link", "email", ana, "callbackURL", "/gata"), 200, nil)
	testkit.Equal(t, b.want(b.follow(s.link(t, ana)), 303, nil).Header.Get("Location"), "/gata", "by link")
	testkit.Equal(t, come("good2"), "/gata", "from a provider")
}

// Signing up with a taken address and then signing in with the chosen password gets the same responses as for a free
// address: the user is told to verify the address first.
func TestSigningUpAndInTellsNothing(t *testing.T) {
	s := populated(t, true)
	foreign := len(s.to(imported))
	walk := func(email string) (answers []string) {
		for i := range maxLinks + 1 { // the last one is not remembered
			b := s.browser(t)
			answers = append(answers, b.post("/sign-up/email", "name", "Ana", "email", email, "password",
				fmt.Sprint("parola aleasă ", i)).shape(email))
		}

		for i := range maxLinks + 2 { // the last one was never tried
			b, did := s.browser(t), s.count()
			answers = append(answers, b.post("/sign-in/email", "email", email, "password",
				fmt.Sprint("parola aleasă ", i)).shape(email)+fmt.Sprint(*did))
		}

		return answers
	}
	want := walk(stranger)
	if refused := strings.Count(strings.Join(want, ""), "EMAIL_NOT_VERIFIED"); refused != maxLinks {
		t.Fatalf("%d passwords were remembered:\n%s", refused, want)
	}

	for _, email := range []string{ana, imported, social} {
		got := walk(email)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, answer %d:\n%s\nwant the answer for an unknown address:\n%s", email, i, got[i], want[i])
				break
			}
		}
	}

	if n := len(s.to(imported)) - foreign; n == 0 {
		t.Error("the owner was not told")
	}

	for _, email := range []string{ana, imported} { // nothing has changed for the owners
		b := s.browser(t)
		b.want(b.post("/sign-in/email", "email", email, "password", parola), 200, nil)
	}
}

// Concurrent sign-up attempts are all remembered.
func TestSigningUpTwiceAtOnce(t *testing.T) {
	s := populated(t, false)
	for _, email := range []string{social, stranger} {
		var both sync.WaitGroup
		for i := range 2 {
			both.Go(func() {
				r := httptest.NewRequest("POST", "https://rodata.example"+Path+"/sign-up/email",
					strings.NewReader(fmt.Sprintf(`{"name":"Ana","email":%q,"password":"parola aleasă %d"}`, email, i)))
				r.Header.Set("Content-Type", "application/json")
				s.ServeHTTP(httptest.NewRecorder(), r)
			})
		}

		both.Wait()
		s.tasks.running.Wait()
		for i := range 2 {
			b := s.browser(t)
			b.want(b.post("/sign-in/email", "email", email, "password", fmt.Sprint("parola aleasă ", i)), 403,
				"EMAIL_NOT_VERIFIED")
		}
	}
}
