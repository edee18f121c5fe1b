package api

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// Invented VAT numbers, each with a different outcome from VIES.
const (
	validVAT    ro.VATNumber = "DE445947920"
	invalidVAT  ro.VATNumber = "ATU89089584"
	unknownVAT  ro.VATNumber = "HU39062659"   // with a last known answer
	downVAT     ro.VATNumber = "SK8495869063" // without a last known answer
	refusedVAT  ro.VATNumber = "SE259288082301"
	romanianVAT ro.VATNumber = "RO9900000010"
	ownVAT      ro.VATNumber = "FR46688637511" // the account's own
	wrongVAT    ro.VATNumber = "IT79889300715" // not valid as a requester
)

var (
	viesAnswered = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	anafAnswered = time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC) // the next day in Bucharest
)

// fakeVAT stands in for VIES, and records its calls.
type fakeVAT struct {
	asked []vat.Question
	takes time.Duration   // for the first outcome of a list
	waits []time.Duration // of lists
}

func (f *fakeVAT) Check(_ context.Context, q vat.Question) (op.Answer[*vat.VATCheck], error) {
	f.asked = append(f.asked, q)
	at := viesAnswered
	c := &vat.VATCheck{
		VATNumber: q.Number, CountryCode: string(q.Number[:2]), Status: vat.Valid, RequestDate: &at, RetrievedAt: at,
		RecordSHA256: strings.Repeat("0a", 32),
		Sources:      []company.Source{{Name: "vies", RetrievedAt: &at, Cache: op.Hit}},
	}
	if q.Requester != "" {
		c.Requester, c.ConsultationNumber = &q.Requester, new("WAPI1")
	}

	answer := op.Answer[*vat.VATCheck]{Value: c, Freshness: op.Freshness{Cache: op.Hit, RetrievedAt: at,
		MaxAge: time.Hour}}
	switch {
	case q.Requester == wrongVAT:
		return op.Answer[*vat.VATCheck]{}, vat.ErrRequesterRefused
	case q.Number == refusedVAT:
		return op.Answer[*vat.VATCheck]{}, vat.ErrNumberRefused
	case q.Number == downVAT:
		return op.Answer[*vat.VATCheck]{}, &op.Failure{Registry: "vies", Part: "Slovakia", Kind: op.Closed,
			RetryAfter: time.Minute,
			Err:        errors.New("secret cause")}
	case q.Number == invalidVAT:
		c.Status = vat.Invalid
	case q.Number == unknownVAT:
		c.Status, c.LastKnown, c.Requester, c.RetryAfterSeconds = vat.Unknown, &vat.LastKnownVAT{Status: vat.Valid,
			At: at}, nil, new(60)
	}

	return answer, nil
}

func (f *fakeVAT) CheckAll(ctx context.Context, questions []vat.Question, wait time.Duration,
	each func([]vat.Found) bool) {
	f.waits = append(f.waits, wait)
	<-time.After(f.takes)
	for i, q := range questions {
		answer, err := f.Check(ctx, q)
		if !each([]vat.Found{{Index: i, Answer: answer, Err: err}}) {
			return
		}
	}
}

// fakeIdentities are the VAT numbers of accounts.
type fakeIdentities map[string]ro.VATNumber

func (f fakeIdentities) VATNumberOf(_ context.Context, account string) ro.VATNumber {
	return f[account]
}

// fakeCertifier issues receipts, or fails if it has an error.
type fakeCertifier struct {
	certified []proof.Statement
	err       error
}

func (f *fakeCertifier) Certify(_ context.Context, s proof.Statement) (proof.ReceiptID, op.Renderer, error) {
	f.certified = append(f.certified, s)
	return "rcp_abcdefghijklmnopqrstuvwxyz", nil, f.err
}

func (*fakeCertifier) Salt(context.Context, []byte) string { return "salt" }

func (*fakeCertifier) Receipt(context.Context, proof.ReceiptID) (op.Answer[*proof.Receipt], error) {
	return op.Answer[*proof.Receipt]{}, op.ErrUnknown
}

func (*fakeCertifier) SigningKeys(context.Context) (op.Answer[*proof.SigningKeys], error) {
	return op.Answer[*proof.SigningKeys]{}, nil
}

// vatCounter is a gateway with checks of VAT numbers, for callers with credits.
type vatCounter struct {
	*till
	vat      *fakeVAT
	receipts *fakeCertifier
}

func newVATCounter(t *testing.T, own ro.VATNumber) *vatCounter {
	x := &vatCounter{newTill(t, 100), new(fakeVAT), new(fakeCertifier)}
	paying := true
	companies := vatCompanies{fakeCompanies{exampleCUI: nil}, &paying}
	x.operations = Operations(Registries{
		Companies: companies, VATNumbers: x.vat, VATIdentities: fakeIdentities{"account1": own}, Receipts: x.receipts,
		Trade: &fakeTrade{}, Usage: x.journal,
	}, x.Plans, system.About{})
	return x
}

// vatCompanies stands in for the tax authority. It has one company, which is registered for VAT or not. It is nil if
// the tax authority cannot be queried.
type vatCompanies struct {
	fakeCompanies
	pays *bool
}

func (v vatCompanies) Company(ctx context.Context, c ro.CompanyDay) (op.Answer[*company.Company], error) {
	answer, err := v.fakeCompanies.Company(ctx, c)
	if errors.Is(err, op.ErrUnknown) {
		answer.Freshness = op.Freshness{Cache: op.Miss, RetrievedAt: anafAnswered}
	}

	if err == nil {
		at, day := time.Now(), ro.Today()
		answer.Value.VATPayer, answer.Value.Sources = v.pays,
			[]company.Source{{Name: "anaf", RetrievedAt: &at, AsOf: &day, Cache: op.Hit}}
	}

	return answer, err
}

func (v vatCompanies) Companies(ctx context.Context, companies []ro.CompanyDay, _ time.Duration,
	each func([]company.Found) bool) {
	for i, c := range companies {
		answer, err := v.Company(ctx, c)
		if !each([]company.Found{{Index: i, Answer: answer, Err: err}}) {
			return
		}
	}
}

// The default requester is the account's own number, unless VIES rejects it or the caller asks for none.
func TestDefaultRequester(t *testing.T) {
	for _, c := range []struct {
		name, query string
		own         ro.VATNumber
		keyless     bool
		want        []vat.Question
	}{
		{"the account's own", "", ownVAT, false, []vat.Question{{Number: validVAT, Requester: ownVAT}}},
		{"none", "?requester=none", ownVAT, false, []vat.Question{{Number: validVAT, Requester: ""}}},
		{"none, in capitals", "?requester=NONE", ownVAT, false, []vat.Question{{Number: validVAT, Requester: ""}}},
		{"another", "?requester=RO9900000010", ownVAT, false, []vat.Question{{Number: validVAT,
			Requester: romanianVAT}}},
		{"an account without", "", "", false, []vat.Question{{Number: validVAT, Requester: ""}}},
		{"nobody's", "", ownVAT, true, []vat.Question{{Number: validVAT, Requester: ""}}},
		{"the account's own, which is refused", "", wrongVAT, false,
			[]vat.Question{{Number: validVAT, Requester: wrongVAT}, {Number: validVAT, Requester: ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newVATCounter(t, c.own)
			reply, _ := x.call(t, "/v1/vat-numbers/"+string(validVAT)+c.query, func(call *op.Call) {
				if c.keyless {
					call.Authorization = ""
				}
			})
			if reply.Status != 200 || !slices.Equal(x.vat.asked, c.want) {
				t.Errorf("%d %v: asked %v", reply.Status, reply.Problem, x.vat.asked)
			}

			x.vat.asked = nil
			batch := x.post(t, `{"vatNumbers":["DE445947920"]`+
				strings.Replace(strings.Replace(c.query, "?requester=", `,"requester":"`, 1), "}", "", 1)+
				closing(c.query)+`}`, func(call *op.Call) {
				if c.keyless {
					call.Authorization = ""
				}
			})
			if batch.Status != 200 || !slices.Equal(x.vat.asked, c.want) ||
				!strings.Contains(string(batch.Document.JSON), `"status":"valid"`) {
				t.Errorf("batch: %d %v: asked %v", batch.Status, batch.Problem, x.vat.asked)
			}
		})
	}
}

// Once VIES has rejected the account's own number as the requester, a batch checks its remaining numbers without a
// requester, in the remaining time.
func TestBatchWhoseOwnRequesterIsRefused(t *testing.T) {
	x := newVATCounter(t, wrongVAT)
	x.vat.takes = 50 * time.Millisecond
	reply := x.post(t, `{"vatNumbers":["DE445947920","ATU89089584","FR46688637511"],"waitSeconds":2}`)
	want := []vat.Question{{Number: validVAT, Requester: wrongVAT}, {Number: validVAT, Requester: ""},
		{Number: invalidVAT, Requester: ""}, {Number: ownVAT, Requester: ""}}
	if reply.Status != 200 || !slices.Equal(x.vat.asked, want) ||
		!strings.Contains(string(reply.Document.JSON), `"valid":2,"invalid":1,`) {
		t.Errorf("%d %v: asked %v", reply.Status, reply.Problem, x.vat.asked)
	}
	if w := x.vat.waits; len(w) != 2 || w[0] > 2*time.Second || w[1] > w[0]-x.vat.takes {
		t.Errorf("waited %s", w)
	}
}

// A panic in a registry's code fails one call at most. The tax authority's data is then left out.
func TestPanicsAboutVATNumbers(t *testing.T) {
	x := newVATCounter(t, "")
	x.operations = Operations(Registries{Companies: panickingCompanies{}, VATNumbers: x.vat}, x.Plans, system.About{})
	if reply, _ := x.call(t, "/v1/vat-numbers/RO9900000010"); reply.Status != 200 ||
		!strings.Contains(string(reply.Document.JSON), `"romanianRegister":null`) {
		t.Errorf("%d %v", reply.Status, reply.Problem)
	}
	if reply := x.post(t, `{"vatNumbers":["RO9900000010"]}`); reply.Status != 200 ||
		!strings.Contains(string(reply.Document.JSON), `"romanianRegister":null`) {
		t.Errorf("batch: %d %v", reply.Status, reply.Problem)
	}

	x.operations = Operations(Registries{Companies: panickingCompanies{}, VATNumbers: panickingVAT{}}, x.Plans,
		system.About{})
	if reply := x.post(t, `{"vatNumbers":["DE445947920"]}`); reply.Status != 500 {
		t.Errorf("VIES: %d %v", reply.Status, reply.Problem)
	}
}

type panickingCompanies struct{ fakeCompanies }

func (panickingCompanies) Company(context.Context, ro.CompanyDay) (op.Answer[*company.Company], error) {
	panic("a mistake")
}

func (panickingCompanies) Companies(context.Context, []ro.CompanyDay, time.Duration, func([]company.Found) bool) {
	panic("a mistake")
}

type panickingVAT struct{ vat.Numbers }

func (panickingVAT) CheckAll(context.Context, []vat.Question, time.Duration, func([]vat.Found) bool) {
	panic("a mistake")
}

// closing returns the quotation mark that ends a JSON string begun by a query.
func closing(query string) string {
	if query == "" {
		return ""
	}
	return `"`
}

// Two answers from one record certify the same content, and an answer without its receipt is still valid.
func TestReceiptOfVATNumber(t *testing.T) {
	x := newVATCounter(t, ownVAT)
	x.call(t, "/v1/vat-numbers/DE445947920")
	x.call(t, "/v1/vat-numbers/DE445947920")
	if len(x.receipts.certified) != 2 {
		t.Fatalf("%d receipts", len(x.receipts.certified))
	}

	one, other := x.receipts.certified[0], x.receipts.certified[1]
	if one.VATNumber != validVAT || one.TaxID != 0 || one.Subject() != "DE445947920" || one.RecordSHA256 == "" ||
		string(one.Status) != string(other.Status) {
		t.Errorf("certified %+v and %+v", one, other)
	}

	for _, want := range []string{`"consultationNumber":"WAPI1"`, `"requester":"FR46688637511"`, `"status":"valid"`} {
		if !strings.Contains(string(one.Status), want) {
			t.Errorf("%s lacks %s", one.Status, want)
		}
	}

	x.receipts.err = errors.New("no disk")
	if reply, _ := x.call(t, "/v1/vat-numbers/DE445947920"); reply.Status != 200 ||
		!strings.Contains(string(reply.Document.JSON), `"receipt":null`) {
		t.Errorf("without a receipt: %d %v", reply.Status, reply.Problem)
	}
}

// A check without a requester has no receipt. A number that could not be checked has no receipt yet.
func TestNoReceiptOfVATNumber(t *testing.T) {
	for target, want := range map[string]struct{ status, retry int }{
		string(validVAT):   {400, 0},
		string(unknownVAT): {503, 60},
		string(unknownVAT) + "?requester=FR46688637511": {503, 60},
	} {
		x := newVATCounter(t, "")
		reply, _ := x.call(t, "/v1/vat-numbers/"+target, func(c *op.Call) { c.Media = proof.Forms[0].Type })
		if reply.Status != want.status || reply.RetrySeconds() != want.retry || x.used(t) != 0 {
			t.Errorf("%s: %d %v, again after %d s, %d used", target, reply.Status, reply.Problem,
				reply.RetrySeconds(), x.used(t))
		}
	}
}

// If the tax authority fails, the answer is sent without its data.
func TestRomanianRegisterFails(t *testing.T) {
	x := newVATCounter(t, "")
	companies := fakeCompanies{exampleCUI: &op.Failure{Registry: "anaf", Kind: op.Broken,
		Err: errors.New("secret cause")}}
	x.operations = Operations(Registries{Companies: companies, VATNumbers: x.vat}, x.Plans, system.About{})
	reply, _ := x.call(t, "/v1/vat-numbers/RO9900000010")
	if reply.Status != 200 || !strings.Contains(string(reply.Document.JSON), `"romanianRegister":null`) ||
		reply.MaxAge != 0 {
		t.Errorf("%d %v, to be kept for %s", reply.Status, reply.Problem, reply.MaxAge)
	}
}

// The age of an answer about a Romanian number is the age of its older source.
func TestFreshnessOfARomanianNumber(t *testing.T) {
	x := newVATCounter(t, "")
	for target, want := range map[string]op.Freshness{
		string(validVAT):    {Cache: op.Hit, RetrievedAt: viesAnswered, MaxAge: time.Hour},
		string(romanianVAT): {Cache: op.Hit, RetrievedAt: viesAnswered, MaxAge: 5 * time.Minute},
		"RO19":              {Cache: op.Miss, RetrievedAt: anafAnswered},
	} {
		reply, _ := x.call(t, "/v1/vat-numbers/"+target)
		if got := reply.Freshness; got.Cache != want.Cache || !got.RetrievedAt.Equal(want.RetrievedAt) ||
			got.MaxAge != want.MaxAge {
			t.Errorf("%s: %+v, want %+v", target, got, want)
		}
	}
}

func (x *vatCounter) post(t *testing.T, body string, change ...func(*op.Call)) *op.Reply {
	t.Helper()
	call := &op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey,
		Address: netip.MustParseAddr("192.0.2.1"),
		BaseURL: "https://rodata.example"}
	call.Args, call.Malformed = op.ArgsFromJSON([]byte(body))
	for _, f := range change {
		f(call)
	}

	o := x.operations[slices.IndexFunc(x.operations, func(o *op.Operation) bool {
		return o.Name == "batch_vat_numbers"
	})]
	return x.Do(t.Context(), o, call)
}
