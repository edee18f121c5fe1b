package efactura_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/ubl"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/einvoice"
	"github.com/rodata/rodata/testkit/invoices"
)

// An upload that cannot be found is held until a person has determined whether it arrived. Until then, it is not
// repeated.
func TestMissingUploadIsHeld(t *testing.T) {
	for name, fault := range map[string]einvoice.Fault{
		"a connection that ended too early": einvoice.Reset,
		"an upload lost in a gateway":       einvoice.Gateway,
		"the firewall":                      einvoice.Firewall,
		"too large an answer":               einvoice.Oversize,
		"an error of the service":           einvoice.Broken,
	} {
		t.Run(name, func(t *testing.T) {
			service, client := start(t, nil)
			service.Inject("upload", fault)
			synctest.Test(t, func(t *testing.T) {
				kept := &store{begin(t, invoices.For(invoices.Business()))}
				s := &efactura.Sender{Client: client}
				begun := time.Now()
				drive(t, s, kept)
				got := kept.kept
				took := time.Since(begun)
				if got.State != efactura.Held || got.State.ForCustomer() != efactura.Failed ||
					took < 24*time.Hour || took > 26*time.Hour {
					t.Errorf("after %s the state is %s", took, got.State)
				}
				if !strings.Contains(got.Message, "was lost") || !strings.Contains(got.Message, "24h0m0s") {
					t.Errorf("the reason is %q", got.Message)
				}
				testkit.Equal(t, service.Requests("upload"), 1, "uploads before the review")

				kept.kept = reopen(t, got, "")
				drive(t, s, kept)
				if n := service.Requests("upload"); kept.kept.State != efactura.Accepted || n != 2 ||
					len(service.Uploads()) != 1 {
					t.Errorf("after the review it ends as %s, with %d uploads", kept.kept.State, n)
				}
			})
		})
	}
}

// An invoice that is accepted after the search has ended is not uploaded again, even if the person clears it by mistake
// or supplies the ID of the upload.
func TestLateAcceptanceIsNotUploadedAgain(t *testing.T) {
	for name, id := range map[string]string{"a person who is wrong": "", "a person who has found it": "5000000001"} {
		t.Run(name, func(t *testing.T) {
			service, client := start(t, nil)
			service.Inject("upload", einvoice.Lost)
			service.SetVerdicts(einvoice.Processing)
			synctest.Test(t, func(t *testing.T) {
				kept := &store{begin(t, invoices.For(invoices.Business()))}
				s := &efactura.Sender{Client: client}
				drive(t, s, kept)
				if kept.kept.State != efactura.Held {
					t.Fatalf("the state is %s", kept.kept.State)
				}

				service.SetVerdict("5000000001", einvoice.OK)
				kept.kept = reopen(t, kept.kept, id)
				drive(t, s, kept)
				if n := len(service.Uploads()); kept.kept.State != efactura.Accepted || kept.kept.Archive == nil ||
					n != 1 {
					t.Errorf("the transmission ends as %s, %q, with %d uploads", kept.kept.State, kept.kept.Message, n)
				}
			})
		})
	}
}

// The ID of another invoice's upload is not adopted.
func TestUnrelatedUploadIsNotAdopted(t *testing.T) {
	service, client := start(t, nil)
	d := invoices.Draft()
	d.Number = 100
	other := testkit.Must(client.Upload(t.Context(), begin(t, invoices.Must(d)).Document))
	service.Inject("upload", einvoice.Reset)
	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		s := &efactura.Sender{Client: client}
		drive(t, s, kept)
		kept.kept = reopen(t, kept.kept, other)
		drive(t, s, kept)
		if got := kept.kept; got.State != efactura.Held || got.Message != "upload "+other+" is invoice RDT-0000100" ||
			got.Archive != nil {
			t.Errorf("the state is %s, %q", got.State, got.Message)
		}

		kept.kept = reopen(t, kept.kept, "")
		drive(t, s, kept)
		if got := kept.kept; got.State != efactura.Accepted || len(service.Uploads()) != 2 || got.UploadID == other {
			t.Errorf("after that it is %s, as upload %s of %d", got.State, got.UploadID, len(service.Uploads()))
		}
	})
}

// A clearance allows one upload, whose response may be lost as well.
func TestClearanceAllowsOneUpload(t *testing.T) {
	service, client := start(t, nil)
	service.Inject("upload", einvoice.Reset, einvoice.Reset)
	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		s := &efactura.Sender{Client: client}
		for uploads := 1; uploads <= 2; uploads++ {
			drive(t, s, kept)
			if n := service.Requests("upload"); kept.kept.State != efactura.Held || n != uploads {
				t.Fatalf("after %d uploads the state is %s", n, kept.kept.State)
			}

			kept.kept = reopen(t, kept.kept, "")
		}
	})
}

// reopen reopens a transmission.
func reopen(t *testing.T, was efactura.Transmission, uploadID string) efactura.Transmission {
	t.Helper()
	return testkit.Must(was.Reopen(uploadID))
}

// A crash just before the upload also holds the invoice. The search finds nothing, and a person has to decide.
func TestCrashBeforeUploadHoldsIt(t *testing.T) {
	service, client := start(t, nil)
	for n := range 7 { // others arrived in the meantime, on several pages
		d := invoices.Draft()
		d.Number = 100 + n
		i := invoices.Must(d)
		xml := testkit.Must(ubl.Encode(i))
		document, _ := efactura.Describe(i, xml)
		testkit.NoError(t, testkit.Err(client.Upload(t.Context(), document)))
	}

	synctest.Test(t, func(t *testing.T) {
		kept := &store{begin(t, invoices.For(invoices.Business()))}
		kept.kept.UploadBegun = time.Now()
		begun := time.Now()
		s := &efactura.Sender{Client: client}
		drive(t, s, kept)
		if took := time.Since(begun); took < 24*time.Hour || took > 26*time.Hour || kept.kept.State != efactura.Held ||
			service.Requests("upload") != 7 {
			t.Errorf("after %s it is %s", took, kept.kept.State)
		}

		kept.kept = reopen(t, kept.kept, "")
		drive(t, s, kept)
		testkit.Equal(t, service.Requests("descarcare"), 7+1, "downloads")
	})
}

func TestReopeningGoesOnFromWhereItWas(t *testing.T) {
	begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		t        efactura.Transmission
		uploadID string
		want     efactura.State
		wrong    string
	}{
		"never uploaded": {efactura.Transmission{State: efactura.Failed, GivenUp: true}, "", efactura.Pending,
			""},
		"uploaded": {efactura.Transmission{State: efactura.Failed, GivenUp: true, UploadID: "1"}, "",
			efactura.Processing, ""},
		"without an archive": {efactura.Transmission{State: efactura.Accepted, GivenUp: true, DownloadID: "1"}, "",
			efactura.Accepted, ""},
		"rejected": {efactura.Transmission{State: efactura.Rejected, UploadID: "1", DownloadID: "31",
			Archive: []byte("zip")}, "", efactura.Pending, ""},
		"held, and not there": {efactura.Transmission{State: efactura.Held, UploadBegun: begun}, "", efactura.Pending,
			""},
		"held, and found": {efactura.Transmission{State: efactura.Held, UploadBegun: begun}, "5000000001",
			efactura.Processing, ""},
		"found by no number": {efactura.Transmission{State: efactura.Held, UploadBegun: begun}, "RD-1", "",
			"not the ID of an upload"},
		"accepted": {efactura.Transmission{State: efactura.Accepted, DownloadID: "1",
			Archive: []byte("zip")}, "", "", "it is accepted"},
		"accepted as another": {efactura.Transmission{State: efactura.Accepted, GivenUp: true, UploadID: "1",
			DownloadID: "1"}, "2", "", "accepted as upload 1"},
		"not wanted": {efactura.Transmission{State: efactura.NotRequired}, "", "", "it is not_required"},
		"on its way": {efactura.Transmission{State: efactura.Pending, UploadBegun: begun}, "", "",
			"under way"},
		"looked at": {efactura.Transmission{State: efactura.Processing, UploadID: "1"}, "", "",
			"under way"},
		"whose archive is open": {efactura.Transmission{State: efactura.Accepted, DownloadID: "1"}, "", "",
			"under way"},
	} {
		got, err := test.t.Reopen(test.uploadID)
		if test.wrong != "" {
			if !errors.Is(err, efactura.ErrNotReopened) || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}

		if err != nil || got.State != test.want || got.IsDone() || got.Archive != nil ||
			got.Cleared != (got.State == efactura.Pending && test.t.State == efactura.Held) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if test.uploadID != "" && got.UploadID != test.uploadID {
			t.Errorf("%s: it continues with upload %s", name, got.UploadID)
		}
	}
}
