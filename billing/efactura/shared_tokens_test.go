package efactura_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/einvoice"
)

// repository is a TokenRepository in memory, which can fail.
type repository struct {
	mu      sync.Mutex
	content []byte
	until   time.Time
	broken  error // of saving the token
}

func (s *repository) Token(context.Context, string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.content, nil
}

func (s *repository) LockToken(_ context.Context, _ string, now, until time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.until) {
		return nil, efactura.ErrRenewing
	}

	s.until = until
	return s.content, nil
}

func (s *repository) SaveToken(ctx context.Context, _ string, was, is []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.broken != nil:
		return s.broken
	case !bytes.Equal(was, s.content):
		return efactura.ErrRenewing
	}

	s.content, s.until = is, time.Time{}
	return nil
}

func (s *repository) UnlockToken(_ context.Context, _ string, until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until.Equal(until) {
		s.until = time.Time{}
	}

	return nil
}

var deploymentSecret = []byte("the secret of a deployment in a test")

// sharedTokens returns the token store of one process over a repository.
func sharedTokens(t *testing.T, s efactura.TokenRepository, refreshToken string) *efactura.SharedTokens {
	t.Helper()
	return efactura.NewSharedTokens(s, deploymentSecret, refreshToken)
}

// process returns a client of the service with shared tokens over a repository.
func process(t *testing.T, service *einvoice.Service, s efactura.TokenRepository) *efactura.Client {
	t.Helper()
	return testkit.Must(efactura.NewClient(efactura.Options{
		URL: service.URL, TokenURL: service.TokenURL, FiscalCode: einvoice.FiscalCode,
		ClientID: einvoice.ClientID, ClientSecret: einvoice.ClientSecret,
		Tokens: sharedTokens(t, s, einvoice.RefreshToken),
	}))
}

func TestProcessesShareOneToken(t *testing.T) {
	service, _ := start(t, nil)
	s := new(repository)
	var all []*efactura.Client
	for range 5 {
		all = append(all, process(t, service, s))
	}

	use := func() (failures int) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, c := range all {
			wg.Go(func() {
				_, err := c.ListSent(t.Context(), time.Now(), time.Now())
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
				case errors.Is(err, efactura.ErrRenewing):
					failures++
				default:
					t.Error(err)
				}
			})
		}

		wg.Wait()
		return failures
	}
	if use() == len(all) {
		t.Error("no process signed in")
	}
	testkit.Equal(t, use(), 0, "processes have no token yet")
	testkit.Equal(t, service.Requests("token"), 1, "renewals of the token")

	service.ExpireToken()
	use()
	if n := use(); n != 0 || service.Requests("token") != 2 {
		t.Errorf("after a refusal, the token was renewed %d times, and %d processes have none",
			service.Requests("token")-1, n)
	}
	if bytes.Contains(s.content, []byte("refresh")) || bytes.Contains(s.content, []byte("access")) {
		t.Errorf("the repository reveals %q", s.content)
	}

	other := efactura.NewSharedTokens(s, []byte("the secret of another deployment"), einvoice.RefreshToken)
	if _, err := other.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "RODATA_SECRET") ||
		!strings.Contains(err.Error(), "configure a new one") {
		t.Errorf("under another secret: %v", err)
	}
}

// A token that cannot be saved is not used, because a crash would lose it. It is saved as soon as possible, and its
// refresh token is not used twice.
func TestUnsavedTokenIsNotUsed(t *testing.T) {
	service, _ := start(t, nil)
	synctest.Test(t, func(t *testing.T) {
		s := &repository{broken: errors.New("the disk is full")}
		client := process(t, service, s)
		_, err := client.ListSent(t.Context(), time.Now(), time.Now())
		var f *efactura.Failure
		if !errors.As(err, &f) || f.Kind != efactura.Unsent || service.Requests("listaMesajePaginatieFactura") != 0 ||
			client.SignInTrouble() == nil {
			t.Errorf("got %v", err)
		}

		s.broken = nil
		<-time.After(5 * time.Minute) // past the lock
		_, err = client.ListSent(t.Context(), time.Now(), time.Now())
		if err != nil || service.Requests("token") != 1 ||
			s.content == nil || client.SignInTrouble() != nil {
			t.Errorf("after the lock expired: %v, with %d renewals", err, service.Requests("token"))
		}
	})
}

// A renewed token is saved even if the caller has left.
func TestRenewalIsKeptAfterItsCall(t *testing.T) {
	s := new(repository)
	ctx, cancel := context.WithCancel(t.Context())
	got, err := sharedTokens(t, s, "first").Renew(ctx, "",
		func(_ context.Context, kept efactura.Token) (efactura.Token, error) {
			cancel()
			return efactura.Token{Access: "a", Refresh: kept.Refresh + " and second"}, nil
		})
	if err != nil || got.Access != "a" {
		t.Fatalf("got %+v, %v", got, err)
	}
	testkit.Equal(t, testkit.Must(sharedTokens(t, s, "first").Token(t.Context())).Refresh, "first and second",
		"the token in the repository")
}

// If another process has already renewed the token, the new one is used.
func TestLateCallerGetsRenewedToken(t *testing.T) {
	s := new(repository)
	as := func(access string) func(context.Context, efactura.Token) (efactura.Token, error) {
		return func(context.Context, efactura.Token) (efactura.Token, error) {
			return efactura.Token{Access: access, Refresh: "of " + access}, nil
		}
	}
	for _, offer := range []string{"a", "b"} { // by two processes without a token
		testkit.Equal(t, testkit.Must(sharedTokens(t, s, "first").Renew(t.Context(), "", as(offer))).Access, "a",
			"offering %s", offer)
	}

	testkit.Equal(t, testkit.Must(sharedTokens(t, s, "first").Renew(t.Context(), "a", as("b"))).Access, "b",
		"when the token is stale")
}

// If a process dies after a renewal and before saving it, the access token is valid long enough to sign in again.
func TestLostRenewalLeavesTimeToSignInAgain(t *testing.T) {
	service, _ := start(t, nil)
	synctest.Test(t, func(t *testing.T) {
		s := new(repository)
		testkit.NoError(t, process(t, service, s).SignIn(t.Context()))

		<-time.After(79 * 24 * time.Hour)
		client := process(t, service, s)
		if err := client.SignIn(t.Context()); err != nil || service.Requests("token") != 1 {
			t.Errorf("after 79 days: %v, with %d renewals", err, service.Requests("token"))
		}

		<-time.After(2 * 24 * time.Hour)
		service.LoseToken()
		if err := client.SignIn(t.Context()); err == nil || client.SignInTrouble() == nil {
			t.Error("the failing renewal is not reported")
		}
		testkit.NoError(t, testkit.Err(client.ListSent(t.Context(), time.Now(), time.Now())),
			"after 81 days the token cannot be used")
		testkit.Equal(t, service.Requests("token"), 2, "renewals tried within an hour")

		<-time.After(10 * 24 * time.Hour)
		testkit.ErrorSays(t, testkit.Err(client.ListSent(t.Context(), time.Now(), time.Now())), "invalid_grant",
			"after 91 days")
	})
}

// A newly configured refresh token replaces the old one, whose stored tokens are not used.
func TestNewSignInReplacesOld(t *testing.T) {
	names := map[string]bool{}
	for _, first := range []string{"one", "another"} {
		s := &named{}
		testkit.Equal(t, testkit.Must(sharedTokens(t, s, first).Token(t.Context())).Refresh, first,
			"the first token of the store")

		names[s.name] = true
		if strings.Contains(s.name, first) {
			t.Errorf("the name %s reveals the token", s.name)
		}
	}

	testkit.Equal(t, len(names), 2, "names of tokens, of %v", names)
}

// named is an empty repository that records the requested names.
type named struct {
	repository
	name string
}

func (n *named) Token(ctx context.Context, name string) ([]byte, error) {
	n.name = name
	return n.repository.Token(ctx, name)
}
