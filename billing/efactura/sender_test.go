package efactura_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/ubl"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/invoices"
)

// memory is a TokenStore in memory.
type memory struct {
	token efactura.Token
	err   error
}

func (m *memory) Token(context.Context) (efactura.Token, error) { return m.token, m.err }

func (m *memory) Renew(ctx context.Context, _ string,
	exchange func(context.Context, efactura.Token) (efactura.Token, error)) (efactura.Token, error) {
	next, err := exchange(ctx, m.token)
	if err == nil {
		err = m.err
	}
	if err != nil {
		return efactura.Token{}, err
	}

	m.token = next
	return next, nil
}

// start starts a stand-in and a client of it.
func start(t *testing.T, change func(*efactura.Options)) (*einvoice.Service, *efactura.Client) {
	t.Helper()
	service := einvoice.Start(t)
	o := efactura.Options{
		URL: service.URL, TokenURL: service.TokenURL, FiscalCode: einvoice.FiscalCode,
		ClientID: einvoice.ClientID, ClientSecret: einvoice.ClientSecret,
		Tokens: &memory{token: efactura.Token{Refresh: einvoice.RefreshToken}},
	}
	if change != nil {
		change(&o)
	}

	return service, testkit.Must(efactura.NewClient(o))
}

func begin(t *testing.T, i invoice.Invoice) efactura.Transmission {
	t.Helper()
	return efactura.Begin(efactura.Describe(i, testkit.Must(ubl.Encode(i))))
}

// store is the stored state of a transmission.
type store struct{ kept efactura.Transmission }

func (s *store) save(_ context.Context, t efactura.Transmission) error {
	s.kept = t
	return nil
}

// drive advances a transmission until it is done, waiting as instructed, and returns the failures of the steps.
func drive(t *testing.T, s *efactura.Sender, kept *store) (failures []string) {
	t.Helper()
	for range 500 {
		next, wait, err := s.Next(t.Context(), kept.kept, kept.save)
		kept.kept = next
		if err != nil {
			failures = append(failures, err.Error())
		}
		if next.IsDone() {
			return failures
		}

		<-time.After(wait)
	}

	t.Fatalf("the transmission never ends: %+v", kept.kept)
	return nil
}

func TestEveryVerdictIsFollowedToItsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		verdict einvoice.Verdict
		want    efactura.State
		archive bool
		message string
	}{
		"ok": {einvoice.OK, efactura.Accepted, true, ""},
		"nok": {einvoice.NotOK, efactura.Rejected, true,
			"[BR-RO-111]-Subdiviziunea tarii cumparatorului trebuie codificata.; CUI cumparator incorect"},
		"unacceptable": {einvoice.Unacceptable, efactura.Rejected, false, "XML cu erori nepreluat de sistem"},
		"for ever":     {einvoice.Processing, efactura.Failed, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			service, client := start(t, nil)
			service.SetVerdicts(test.verdict)
			service.SetPolls(3)
			synctest.Test(t, func(t *testing.T) {
				kept := &store{begin(t, invoices.For(invoices.Business()))}
				s := &efactura.Sender{Client: client}
				if failures := drive(t, s, kept); failures != nil {
					t.Errorf("failures: %q", failures)
				}

				got := kept.kept
				if got.State != test.want || got.Message != test.message || (got.Archive != nil) != test.archive ||
					got.GivenUp != (got.State == efactura.Failed) {
					t.Errorf("the transmission ends as %s, %q, with an archive of %d bytes", got.State, got.Message,
						len(got.Archive))
				}

				testkit.Equal(t, len(service.Uploads()), 1, "uploads")
				if n := service.Requests("stareMesaj"); got.State == efactura.Failed && n > 5*100 {
					t.Errorf("%d status queries in four days are more than the service allows", n)
				}
			})
		})
	}
}

func TestDocumentsGoWhereTheyBelong(t *testing.T) {
	for name, want := range map[string]struct {
		required           bool
		endpoint, standard string
	}{
		"business":   {true, "upload", "UBL"},
		"consumer":   {true, "uploadb2c", "UBL"},
		"correction": {true, "upload", "CN"},
		"union":      {false, "", ""},
		"overseas":   {false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			service, client := start(t, nil)
			synctest.Test(t, func(t *testing.T) {
				kept := &store{begin(t, invoices.Examples()[name])}
				drive(t, &efactura.Sender{Client: client}, kept)
				uploads := service.Uploads()
				if !want.required {
					if len(uploads) != 0 || kept.kept.State != efactura.NotRequired {
						t.Errorf("%d uploads, %s", len(uploads), kept.kept.State)
					}
					return
				}

				if len(uploads) != 1 || uploads[0].Endpoint != want.endpoint || uploads[0].Standard != want.standard {
					t.Errorf("uploads %+v", uploads)
				} else if string(uploads[0].XML) != string(kept.kept.Document.XML) ||
					kept.kept.UploadID != uploads[0].ID {
					t.Errorf("a different document arrived, or its id is not %s", kept.kept.UploadID)
				}
			})
		})
	}
}

// The invoice arrives exactly once, no matter which step fails.
func TestInvoiceArrivesOnceDespiteFailures(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint string
		faults   []einvoice.Fault
		found    bool // its acceptance is found without a status query
	}{
		"nothing":                    {},
		"the upload's answer lost":   {"upload", []einvoice.Fault{einvoice.Lost}, true},
		"uploads of the day used up": {"upload", []einvoice.Fault{einvoice.Quota, einvoice.Busy}, false},
		"technical errors": {"upload",
			[]einvoice.Fault{einvoice.Technical, einvoice.Technical}, false},
		"a token that is refused": {"upload", []einvoice.Fault{einvoice.Unauthorized}, false},
		"states that cannot be asked": {"stareMesaj",
			[]einvoice.Fault{einvoice.Reset, einvoice.Broken, einvoice.Gateway, einvoice.Firewall,
				einvoice.Quota, einvoice.Technical, einvoice.Lost, einvoice.Oversize}, false},
		"archives that cannot be had": {"descarcare",
			[]einvoice.Fault{einvoice.Reset, einvoice.Broken, einvoice.Firewall, einvoice.Quota,
				einvoice.Technical, einvoice.Oversize}, false},
		"sign-in that does not work": {"token",
			[]einvoice.Fault{einvoice.Reset, einvoice.Broken, einvoice.Firewall, einvoice.Oversize},
			false},
		"busy when the state is wanted": {"stareMesaj", []einvoice.Fault{einvoice.Busy}, false},
	} {
		t.Run(name, func(t *testing.T) {
			service, client := start(t, nil)
			service.Inject(test.endpoint, test.faults...)
			synctest.Test(t, func(t *testing.T) {
				kept := &store{begin(t, invoices.For(invoices.Business()))}
				s := &efactura.Sender{Client: client}
				drive(t, s, kept)
				if got := kept.kept; got.State != efactura.Accepted || got.Archive == nil || got.Message != "" {
					t.Errorf("the transmission ends as %s, %q", got.State, got.Message)
				}
				testkit.Equal(t, len(service.Uploads()), 1, "uploads")
				if asked := service.Requests("stareMesaj") > 0; asked == test.found {
					t.Errorf("status queried: %t", asked)
				}
			})
		})
	}
}

// While the list cannot be read, nothing is uploaded, no matter how long that takes.
func TestLostUploadIsFoundDespiteFailures(t *testing.T) {
	service, client := start(t, nil)
	service.Inject("upload", einvoice.Lost)
	var trouble []einvoice.Fault
	for range 6 { // longer than Grace
		trouble = append(trouble, einvoice.Reset, einvoice.Broken, einvoice.Firewall, einvoice.Quota,
			einvoice.Technical, einvoice.Oversize)
	}

	service.Inject("listaMesajePaginatieFactura", trouble...)
	service.Inject("descarcare", einvoice.Quota, einvoice.Reset)
	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		begun := time.Now()
		failures := drive(t, &efactura.Sender{Client: client}, kept)
		if n := len(service.Uploads()); n != 1 || kept.kept.State != efactura.Accepted || kept.kept.Archive == nil {
			t.Errorf("%d uploads, %s", n, kept.kept.State)
		}
		if took := time.Since(begun); took < 24*time.Hour || len(failures) != 1+len(trouble)+2 {
			t.Errorf("took %s and %d failures", took, len(failures))
		}
	})
}

// If the process dies at any step, a new one continues from the stored state.
func TestCrashAtAnyPointUploadsOnce(t *testing.T) {
	for crash := range 6 {
		service, client := start(t, nil)
		synctest.Test(t, func(t *testing.T) {
			kept := &store{begin(t, invoices.For(invoices.Business()))}
			sender := &efactura.Sender{Client: client}
			for range crash {
				next, wait, err := sender.Next(t.Context(), kept.kept, kept.save)
				testkit.NoError(t, err)

				kept.kept = next
				<-time.After(wait)
			}

			_, _, _ = sender.Next(t.Context(), kept.kept, kept.save) // its result is never stored
			drive(t, &efactura.Sender{Client: client}, kept)
			if n := len(service.Uploads()); n != 1 || kept.kept.State != efactura.Accepted {
				t.Errorf("after a crash in step %d: %d uploads, %s", crash, n, kept.kept.State)
			}
		})
	}
}

func TestNothingIsUploadedThatCannotBeStored(t *testing.T) {
	service, client := start(t, nil)
	synctest.Test(t, func(t *testing.T) {
		moved := errors.New("another worker has moved it")
		s := &efactura.Sender{Client: client}
		save := func(context.Context, efactura.Transmission) error { return moved }
		tr, wait, err := s.Next(t.Context(), begin(t, invoices.For(invoices.Business())), save)
		if !errors.Is(err, moved) || wait == 0 || tr.State != efactura.Pending || !tr.UploadBegun.IsZero() ||
			len(service.Uploads()) != 0 {
			t.Errorf("got %v, %+v", err, tr)
		}
	})
}

func TestRefusalsAreReported(t *testing.T) {
	service, client := start(t, nil)
	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		kept.kept.Document.XML = []byte("not XML")
		drive(t, &efactura.Sender{Client: client}, kept)
		if got := kept.kept; got.State != efactura.Rejected || !strings.Contains(got.Message, "SAXParseException") ||
			len(service.Uploads()) != 0 {
			t.Errorf("got %s, %q", got.State, got.Message)
		}
	})
}

// The Sender gives up on a failure that needs manual action, and continues once it is fixed.
func TestManualFailureStopsTransmission(t *testing.T) {
	tokens := &memory{token: efactura.Token{Refresh: "one that was revoked"}}
	service, client := start(t, func(o *efactura.Options) { o.Tokens = tokens })
	_, mended := start(t, func(o *efactura.Options) { o.URL, o.TokenURL = service.URL, service.TokenURL })
	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		begun := time.Now()
		failures := drive(t, &efactura.Sender{Client: client}, kept)
		got := kept.kept
		if got.State != efactura.Failed || !got.GivenUp || !strings.Contains(got.Message, "invalid_grant") {
			t.Errorf("the transmission ends as %s, %q", got.State, got.Message)
		}
		if took := time.Since(begun); took < 96*time.Hour || took > 100*time.Hour || len(failures) > 110 {
			t.Errorf("took %s and %d attempts", took, len(failures))
		}

		kept.kept = reopen(t, got, "")
		drive(t, &efactura.Sender{Client: mended}, kept)
		if kept.kept.State != efactura.Accepted || len(service.Uploads()) != 1 {
			t.Errorf("after reopening it ends as %s, %q", kept.kept.State, kept.kept.Message)
		}
	})
}
