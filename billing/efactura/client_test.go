package efactura_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/invoices"
)

// Only an upload that fails as Unanswered may have arrived.
func TestFailuresSayWhetherAnythingWasDone(t *testing.T) {
	for fault, want := range map[einvoice.Fault]efactura.Kind{
		einvoice.Reset:      efactura.Unanswered,
		einvoice.Lost:       efactura.Unanswered,
		einvoice.Hang:       efactura.Unanswered,
		einvoice.LostSlowly: efactura.Unanswered,
		einvoice.Broken:     efactura.Unanswered,
		einvoice.Gateway:    efactura.Unanswered,
		einvoice.Firewall:   efactura.Unanswered,
		einvoice.Oversize:   efactura.Unanswered,
		einvoice.Busy:       efactura.Exhausted,
		einvoice.Quota:      efactura.Exhausted,
		einvoice.Technical:  efactura.Declined,
		einvoice.Refusal:    efactura.Refused,
	} {
		t.Run(string(fault), func(t *testing.T) {
			service, client := start(t, func(o *efactura.Options) { o.Timeout = 300 * time.Millisecond })
			service.Inject("upload", fault)
			_, err := client.Upload(t.Context(), begin(t, invoices.For(invoices.Business())).Document)
			var f *efactura.Failure
			if !errors.As(err, &f) || f.Kind != want ||
				!strings.Contains(err.Error(), "uploading invoice RDT-0000042") {
				t.Errorf("got %v", err)
			}
			if f.Kind == efactura.Exhausted && fault == einvoice.Busy && f.RetryAfter != 2*time.Hour {
				t.Errorf("RetryAfter is %s", f.RetryAfter)
			}
		})
	}

	t.Run("nobody listens", func(t *testing.T) {
		service, client := start(t, nil)
		if _, err := client.ListSent(t.Context(), time.Now(), time.Now()); err != nil { // obtains a token
			t.Fatal(err)
		}

		service.Close()
		_, err := client.Upload(t.Context(), efactura.Document{XML: []byte("<?xml?>")})
		var f *efactura.Failure
		if !errors.As(err, &f) || f.Kind != efactura.Unsent {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another company", func(t *testing.T) {
		_, client := start(t, func(o *efactura.Options) { o.FiscalCode = "99990015" })
		_, err := client.Upload(t.Context(), efactura.Document{XML: []byte("<?xml?>")})
		var f *efactura.Failure
		if !errors.As(err, &f) || f.Kind != efactura.Unauthorized {
			t.Errorf("got %v", err)
		}
	})
}

func TestTokensAreRefreshedAndKept(t *testing.T) {
	tokens := &memory{token: efactura.Token{Refresh: einvoice.RefreshToken}}
	service, client := start(t, func(o *efactura.Options) { o.Tokens = tokens })
	call := func() error {
		_, err := client.ListSent(t.Context(), time.Now(), time.Now())
		return err
	}
	for range 3 {
		testkit.NoError(t, call())
	}

	if n := service.Requests("token"); n != 1 || tokens.token.Access == "" ||
		tokens.token.Refresh == einvoice.RefreshToken {
		t.Errorf("%d refreshes, kept %+v", n, tokens.token)
	}
	if left := time.Until(tokens.token.Expiry); left < 89*24*time.Hour {
		t.Errorf("the token lasts %s", left)
	}

	service.ExpireToken()
	if err := call(); err != nil || service.Requests("token") != 2 {
		t.Errorf("after a refusal, the token was refreshed %d times: %v", service.Requests("token"), err)
	}

	service.Inject("listaMesajePaginatieFactura", einvoice.Unauthorized, einvoice.Unauthorized)
	var f *efactura.Failure
	if err := call(); !errors.As(err, &f) || f.Kind != efactura.Unauthorized || service.Requests("token") != 3 {
		t.Errorf("refused twice: %v", err)
	}
}

func TestWrongOptionsAreNamed(t *testing.T) {
	for want, spoil := range map[string]func(*efactura.Options){
		"not encrypted":        func(o *efactura.Options) { o.URL = "http://api.anaf.ro/test" },
		"not a plain URL":      func(o *efactura.Options) { o.TokenURL = "https://user@signin.example" },
		"fiscal code":          func(o *efactura.Options) { o.FiscalCode = "RO99990007" },
		"client id and secret": func(o *efactura.Options) { o.ClientSecret = "" },
		"no store for":         func(o *efactura.Options) { o.Tokens = nil },
	} {
		o := efactura.Options{FiscalCode: "99990007", ClientID: "id", ClientSecret: "secret", Tokens: &memory{}}
		if _, err := efactura.NewClient(o); err != nil {
			t.Fatalf("unspoiled: %v", err)
		}

		spoil(&o)
		testkit.ErrorSays(t, testkit.Err(efactura.NewClient(o)), want, want)
	}
}
