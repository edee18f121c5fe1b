package vat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type batchVATNumbersInput struct {
	VATNumbers  NumberList        `arg:"vatNumbers" required:"true" doc:"At most 100 VAT numbers with their member state codes." example:"[\"DE811569869\", \"ATU89089584\"]"`
	Requester   Requester         `arg:"requester" doc:"The requester's own VAT number, as in check_vat_number." example:"RO14399840"`
	WaitSeconds lists.WaitSeconds `arg:"waitSeconds" default:"20" doc:"Seconds to wait for VIES. Numbers not checked by then get status 504: retry."`
}

// maxVATNumbers is the maximum number of VAT numbers in a call, the same as in the Commission's own batch service.
const maxVATNumbers = op.MaxListItems

// VATBatchSummary summarizes the outcomes of the numbers of a batch.
type VATBatchSummary struct {
	Count   int   `json:"count" doc:"Number of VAT numbers requested."`
	Valid   int   `json:"valid" doc:"Number valid."`
	Invalid int   `json:"invalid" doc:"Number invalid according to VIES."`
	Refused int   `json:"refused" doc:"Number refused for their form or check digit: a retry gives the same answer."`
	Unknown int   `json:"unknown" doc:"Number that could not be checked now, with or without a last known answer: retry."`
	TookMs  int64 `json:"tookMs" doc:"Duration of the call in milliseconds."`
}

// Batch returns the operation batch_vat_numbers.
func Batch(desk Desk) *op.Operation {
	return op.DefineRows[batchVATNumbersInput, *vatBatch, *Item](op.Spec{
		Name: "batch_vat_numbers", Method: "POST", Path: "/v1/vat-numbers/batch", Tag: tag.VATNumbers,
		Title: "Check many VAT numbers at once",
		Description: "Checks up to 100 EU VAT numbers in one call, in the order of the list. Use it for more than " +
			"one number; use check_vat_number instead for a single one, and get_companies for Romanian companies. The " +
			"call returns 200; each item has its own check_vat_number status: 200 with check, which says valid, " +
			"invalid (never a 404) or unknown; or 400, 502, 503 or 504 with problem. Costs 1 credit per distinct valid " +
			"or invalid number; free without a key, limited by IP address. A valid answer is at most a day old, or a " +
			"week while its state is down.",
		Tool: true, ToolName: "check_vat_numbers", OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.Unavailable},
	}, func(in batchVATNumbersInput, _ op.CallerInfo) (*vatBatch, op.RowPlan, error) {
		b := &vatBatch{batchVATNumbersInput: in, desk: desk}
		b.read()
		plan := op.RowPlan{Items: len(in.VATNumbers), Most: len(b.distinct), Columns: vatColumns, Identity: b.identity}
		return b, plan, nil
	}, func(ctx context.Context, caller account.Caller, b *vatBatch, out *op.Rows) (VATBatchSummary, error) {
		start := time.Now()
		b.out, b.summary.Count = out, len(b.VATNumbers)
		err := b.run(ctx, &caller)
		b.summary.TookMs = time.Since(start).Milliseconds()
		return b.summary, err
	})
}

// NumberList is a list of texts that should be VAT numbers.
type NumberList []string

// UnmarshalText reads a JSON array.
func (l *NumberList) UnmarshalText(text []byte) (err error) {
	*l, err = lists.Read(text, `VAT numbers, such as `+
		`["DE811569869"]`, func(element json.RawMessage) (number string, err error) {
		if json.Unmarshal(element, &number) != nil {
			err = &problem.InputError{Code: problem.InvalidType, Accepted: vatNumberForm,
				Reason: "it is not a string; send " + vatNumberForm}
		}
		return number, err
	})
	if err == nil && len(*l) > maxVATNumbers {
		return &problem.InputError{Code: problem.TooMany, Accepted: fmt.Sprintf("1 to %d VAT numbers", maxVATNumbers),
			Reason: fmt.Sprintf("it has %d VAT numbers, and a call takes at most %d; send the rest in further calls",
				len(*l), maxVATNumbers)}
	}

	return err
}

// Schema describes the list.
func (NumberList) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
}

// vatBatch checks the VAT numbers of a list.
type vatBatch struct {
	batchVATNumbersInput
	desk     Desk
	wrong    []op.Row // malformed numbers, which are sent to no registry
	distinct []ro.VATNumber
	places   map[ro.VATNumber][]int // the positions of each number in the list

	out     *op.Rows
	summary VATBatchSummary
	err     error // the error that ended the requests to VIES
}

// read parses the list and groups equal numbers, so that VIES is queried once about each well-formed number.
func (b *vatBatch) read() {
	b.places = make(map[ro.VATNumber][]int, len(b.VATNumbers))
	for i, text := range b.VATNumbers {
		var number ro.VATNumber
		if err := number.UnmarshalText([]byte(text)); err != nil {
			item := &Item{Index: i, Input: *problem.Excerpt(text), stored: true}
			item.fail(lists.Invalid("vatNumber", text, err))
			b.wrong = append(b.wrong, item)
			continue
		}

		if b.places[number] == nil {
			b.distinct = append(b.distinct, number)
		}

		b.places[number] = append(b.places[number], i)
	}
}

// identity identifies the list for the Idempotency-Key.
func (b *vatBatch) identity() string { return fmt.Sprintf("%q %q", b.VATNumbers, b.Requester) }

// run sends malformed numbers at once, and the others as their checks complete. Only Romanian numbers wait for the tax
// authority.
func (b *vatBatch) run(ctx context.Context, caller *account.Caller) error {
	b.summary.Refused = len(b.wrong)
	if err := b.out.Send(b.wrong); err != nil || len(b.distinct) == 0 {
		return err
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	registers, groups := b.queryRomanian(ctx), b.queryVIES(ctx, caller)
	var waiting []Found
	var romanian map[ro.CUI]*romanianAnswer
	for groups != nil || len(waiting) > 0 {
		var found []Found
		select {
		case romanian = <-registers:
			found, waiting, registers = waiting, nil, nil
		case group, more := <-groups:
			if !more {
				if b.err != nil {
					return b.err
				}

				groups = nil
				continue
			}

			for _, f := range group {
				if registers != nil && b.distinct[f.Index].CUI() != 0 {
					waiting = append(waiting, f)
				} else {
					found = append(found, f)
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}

		if err := b.answer(ctx, found, romanian); err != nil {
			return err
		}
	}

	return nil
}

// queryRomanian queries the tax authority about the Romanian numbers. The channel delivers all answers together, once
// they are all known or time is up.
func (b *vatBatch) queryRomanian(ctx context.Context) <-chan map[ro.CUI]*romanianAnswer {
	var companies []ro.CompanyDay
	for _, number := range b.distinct {
		if cui := number.CUI(); cui != 0 {
			companies = append(companies, ro.CompanyDay{CUI: cui})
		}
	}

	if len(companies) == 0 {
		return nil
	}

	done := make(chan map[ro.CUI]*romanianAnswer, 1)
	go func() {
		answers := make(map[ro.CUI]*romanianAnswer, len(companies))
		defer func() { done <- answers }()
		var panicked error // ignored: a panic must not end the process, and the answers so far are used
		defer panics.Recover(&panicked)
		b.desk.Companies.Companies(ctx, companies, min(b.WaitSeconds.Duration(), maxRegisterWait),
			func(found []company.Found) bool {
				for _, f := range found {
					answers[companies[f.Index].CUI] = romanianOf(f.Answer, f.Err)
				}
				return true
			})
	}()
	return done
}

// queryVIES queries VIES about all numbers. If it rejects the account's own number as the requester, the other numbers
// are asked without one, in the remaining time.
func (b *vatBatch) queryVIES(ctx context.Context, caller *account.Caller) <-chan []Found {
	requester, own := b.desk.requester(ctx, caller, b.Requester)
	all := make([]int, len(b.distinct))
	for i := range all {
		all[i] = i
	}

	groups := make(chan []Found)
	go func() {
		defer close(groups)
		defer panics.Recover(&b.err)
		end := time.Now().Add(b.WaitSeconds.Duration())
		if left := b.queryFor(ctx, requester, own, all, end, groups); len(left) > 0 && ctx.Err() == nil {
			b.queryFor(ctx, "", false, left, end, groups)
		}
	}()
	return groups
}

// queryFor checks numbers on behalf of a requester until the deadline; the numbers are indices into distinct. If VIES
// rejects the account's own number as the requester, queryFor stops and returns the remaining numbers.
func (b *vatBatch) queryFor(ctx context.Context, requester ro.VATNumber, own bool, numbers []int, end time.Time,
	groups chan<- []Found) (left []int) {
	questions := make([]Question, len(numbers))
	for n, i := range numbers {
		questions[n] = Question{b.distinct[i], requester}
	}

	refused, known := false, make([]bool, len(numbers))
	b.desk.Numbers.CheckAll(ctx, questions, time.Until(end), func(found []Found) bool {
		var group []Found
		for _, f := range found {
			if own && errors.Is(f.Err, ErrRequesterRefused) {
				refused = true
				continue
			}

			known[f.Index] = true
			f.Index = numbers[f.Index]
			group = append(group, f)
		}

		select {
		case groups <- group:
			return !refused
		case <-ctx.Done():
			return false
		}
	})
	for n, i := range numbers {
		if refused && !known[n] {
			left = append(left, i)
		}
	}

	return left
}

// answer sends results that became known together, one for each position of a number in the list.
func (b *vatBatch) answer(ctx context.Context, found []Found, romanian map[ro.CUI]*romanianAnswer) error {
	rows := make([]op.Row, 0, len(found))
	for _, f := range found {
		number := b.distinct[f.Index]
		item := b.item(ctx, number, f, romanian[number.CUI()])
		for n, place := range b.places[number] {
			repeated := *item
			repeated.Index, repeated.repeated = place, n > 0
			if sent := b.VATNumbers[place]; sent != string(number) {
				repeated.Input = *problem.Excerpt(sent)
			}

			b.count(&repeated)
			rows = append(rows, &repeated)
		}
	}

	return b.out.Send(rows)
}

// item is the outcome of a number.
func (b *vatBatch) item(ctx context.Context, number ro.VATNumber, f Found, romanian *romanianAnswer) *Item {
	item := &Item{VATNumber: &number}
	if f.Err != nil {
		item.fail(b.out.Problem(vatProblem("vatNumber", number, b.Requester, f.Err)))
		return item
	}

	answer := b.desk.certified(ctx, withRomanian(f.Answer, romanian))
	item.Status, item.check, item.document, item.stored = 200, answer.Value, answer.Document, answer.Cache == op.Hit
	return item
}

func (b *vatBatch) count(i *Item) {
	switch {
	case i.Status >= 500:
		b.summary.Unknown++
	case i.Status != 200:
		b.summary.Refused++
	case i.check.Status == Valid:
		b.summary.Valid++
	case i.check.Status == Invalid:
		b.summary.Invalid++
	default:
		b.summary.Unknown++
	}
}
