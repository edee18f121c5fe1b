package vat

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Numbers answers whether VAT numbers of the Union are valid, according to VIES.
type Numbers interface {
	// Check answers about one number: the stored answer while it is fresh, and otherwise a new one from VIES. If VIES
	// cannot be queried, a stored answer that the number is valid is still returned for a week; any other stored answer
	// is returned as LastKnown. If there is no stored answer for the requester, an answer stored without a requester
	// is used in the same way. The error is ErrNumberRefused or ErrRequesterRefused, or a *Failure if nothing is
	// stored either. The ctx comes from WithCaller.
	Check(ctx context.Context, q Question) (op.Answer[*VATCheck], error)
	// CheckAll answers about several distinct numbers, and reports the outcome of each once, like Check, in groups of
	// results that became known together. An empty group means that there was no result for 10 seconds. Each is called
	// in the caller's goroutine; if it returns false the rest is dropped. Numbers still missing after wait are a
	// *Failure of the kind TimedOut, and their checks continue, so that the next call finds them.
	CheckAll(ctx context.Context, questions []Question, wait time.Duration, each func([]Found) bool)
}

// The rejections by VIES. They are answers, not failures.
var (
	// ErrNumberRefused means that VIES rejects the format of the number.
	ErrNumberRefused = errors.New("VIES rejects the format of the VAT number")
	// ErrRequesterRefused means that VIES does not accept the requester's number.
	ErrRequesterRefused = errors.New("VIES rejects the requester's VAT number")
)

// Question is a VAT number to check, and the requester.
type Question struct {
	Number ro.VATNumber
	// Requester is the VAT number of the party on whose behalf VIES is queried; empty for none. VIES issues a
	// consultation number only to a requester.
	Requester ro.VATNumber
}

// Found is the outcome of one of several questions.
type Found struct {
	// Index is the position of the question in the list.
	Index  int
	Answer op.Answer[*VATCheck]
	Err    error
}

// VATCheck is the result of checking a VAT number.
type VATCheck struct {
	VATNumber          ro.VATNumber      `json:"vatNumber" doc:"The number, with its member state code."`
	CountryCode        string            `json:"countryCode" doc:"Code of the member state: ISO 3166-1, except EL for Greece, and XI for Northern Ireland."`
	Status             VATStatus         `json:"status" doc:"valid or invalid, according to VIES; unknown if the member state could not be queried: the number may be either."`
	Name               *string           `json:"name" doc:"Name of the trader; null if the state does not publish it (Germany and Spain do not), or the number is not valid."`
	Address            *string           `json:"address" doc:"Address of the trader, as the state writes it, on one or more lines; null like the name."`
	RequestDate        *time.Time        `json:"requestDate" doc:"VIES query time, UTC; null for unknown."`
	ConsultationNumber *string           `json:"consultationNumber" doc:"VIES's own proof of the requester's query; null without a requester, and if VIES gave none."`
	Requester          *ro.VATNumber     `json:"requester" doc:"The VAT number on whose behalf VIES was queried; null if there was none."`
	Reason             *Reason           `json:"reason" doc:"Why the status is unknown; null otherwise. member_state_unavailable and vies_unavailable: down; busy: too many queries from all users of VIES; queue_full: too many numbers of this state are waiting here; timeout: no answer in time; blocked: VIES refuses this service or the number; error: a malformed answer."`
	RetryAfterSeconds  *int              `json:"retryAfterSeconds" doc:"Seconds to wait before a retry; null unless status is unknown."`
	LastKnown          *LastKnownVAT     `json:"lastKnown" brief:"status, at." doc:"The last answer about the number, for any requester; null unless the status is unknown."`
	RomanianRegister   *RomanianRegister `json:"romanianRegister" brief:"By the tax authority: vatPayer, asOf." doc:"A Romanian number's entry in the tax authority's own register; null for other states, and if the authority could not be queried. The register may show a change days before VIES."`
	Sources            []company.Source  `json:"sources" doc:"One entry for each register that the answer uses."`
	Receipt            *proof.ReceiptID  `json:"receipt" doc:"The signed receipt of an answer for a requester, available at /v1/receipts/{id} for ten years; null without a requester, or if it could not be stored."`

	// RecordSHA256 is the hash of VIES's response body, and RetrievedAt its retrieval time. Both are zero if the status
	// is unknown.
	RecordSHA256 string    `json:"-"`
	RetrievedAt  time.Time `json:"-"`
}

// LastKnownVAT is an earlier answer about the same number.
type LastKnownVAT struct {
	Status VATStatus `json:"status" doc:"valid or invalid."`
	At     time.Time `json:"at" doc:"When VIES said so, UTC."`
}

// RomanianRegister is the tax authority's data about a Romanian VAT number.
type RomanianRegister struct {
	VATPayer *bool    `json:"vatPayer" doc:"Whether the company is registered for VAT; null if the tax authority answered that no taxpayer has this number."`
	AsOf     *ro.Date `json:"asOf" doc:"Date to which it applies."`
}

// VATStatus is the status of a number in VIES.
type VATStatus string

// The statuses.
const (
	Valid   VATStatus = "valid"
	Invalid VATStatus = "invalid"
	Unknown VATStatus = "unknown"
)

// Schema lists the statuses.
func (VATStatus) Schema() jsonschema.Schema { return jsonschema.Enum(Valid, Invalid, Unknown) }

// Reason is the reason why a number could not be checked.
type Reason string

// The reasons.
const (
	MemberStateUnavailable Reason = "member_state_unavailable"
	VIESUnavailable        Reason = "vies_unavailable"
	VIESBusy               Reason = "busy"
	Timeout                Reason = "timeout"
	VIESBlocked            Reason = "blocked"
	QueueFull              Reason = "queue_full"
	OtherError             Reason = "error"
)

// vatNumberForm describes the form of a number for errors.
const vatNumberForm = "a VAT number with the code of its member state, such as RO14399840 or DE811569869"

// Requester is the party on whose behalf VIES is queried: a VAT number, or none.
type Requester ro.VATNumber

const noRequester Requester = "none"

// UnmarshalText parses a VAT number, or the word none. Case does not matter.
func (r *Requester) UnmarshalText(text []byte) error {
	if strings.EqualFold(string(text), string(noRequester)) {
		*r = noRequester
		return nil
	}
	return (*ro.VATNumber)(r).UnmarshalText(text)
}

// Schema describes a number or none.
func (Requester) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^(none|[A-Za-z]{2}[0-9A-Za-z .+*\-]+)$`}
}
