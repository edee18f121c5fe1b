package anaf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// enrolment is a record of the registers of farmers or of non-profits, whose fields differ. Absent days are "" or " ".
// Records of RO e-Factura are read into it, too, for their number; they have no day.
type enrolment struct {
	CUI           number `json:"cui"`
	Day           text   `json:"data"`
	Farmer        flag   `json:"statusRegAgric"`
	FarmerFrom    text   `json:"dataInceputRegAgric"`
	FarmerTo      text   `json:"dataAnulareRegAgric"`
	NonProfit     flag   `json:"statusRegCult"`
	NonProfitFrom text   `json:"dataInceputRegCult"`
	NonProfitTo   text   `json:"dataAnulareRegCult"`
}

func (e *enrolment) status() *bool { return cmp.Or(e.Farmer.bool, e.NonProfit.bool) }

// enrolment parses a record of the register of farmers or of non-profits.
func (r *Record) enrolment(ro.Date) (company.EInvoiceEntry, error) {
	all, err := entriesOf[enrolment](r)
	if err != nil || len(all) == 0 {
		return company.EInvoiceEntry{}, err
	}

	// There should be only one record. If there are several, the one in force counts, otherwise the last.
	e := all[len(all)-1]
	if i := slices.IndexFunc(all, func(e enrolment) bool { return isTrue(e.status()) }); i >= 0 {
		e = all[i]
	}

	return company.EInvoiceEntry{
		Registered: e.status(),
		From:       cmp.Or(day(e.FarmerFrom), day(e.NonProfitFrom)),
		To:         cmp.Or(day(e.FarmerTo), day(e.NonProfitTo)),
	}, nil
}

// eInvoiceEntry is one record of the RO e-Factura register.
type eInvoiceEntry struct {
	Register  text `json:"registru"`
	Category  text `json:"categorie"`
	From      text `json:"dataInscriere"`
	Renounced text `json:"dataRenuntare"`
	StruckOff text `json:"dataRadiere"`
	B2GOption text `json:"dataOptiuneB2G"`
	State     text `json:"stare"`
}

// eInvoiceEntry parses a record of the RO e-Factura register for a day.
func (r *Record) eInvoiceEntry(on ro.Date) (company.EInvoiceEntry, error) {
	all, err := entriesOf[eInvoiceEntry](r)
	if err != nil || len(all) == 0 {
		return company.EInvoiceEntry{}, err
	}

	e := company.EInvoiceEntry{Registered: new(false), Entries: []company.EInvoiceRegistration{}}
	for _, one := range all {
		e.Entries = append(e.Entries, one.registration())
		if isTrue(e.Registered) { // by an earlier record
			continue
		}

		switch holds := one.holds(on); {
		case isTrue(holds):
			e.Registered, e.From, e.To = holds, day(one.From), one.end()
		case holds == nil:
			e.Registered = nil
		}
	}

	if !isTrue(e.Registered) {
		last := all[len(all)-1]
		e.From, e.To = day(last.From), last.end()
	}

	return e, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func (e *eInvoiceEntry) registration() company.EInvoiceRegistration {
	return company.EInvoiceRegistration{
		Register: optional(e.Register), Category: optional(e.Category), State: optional(e.State),
		RegisteredOn: day(e.From), RenouncedOn: day(e.Renounced), StruckOffOn: day(e.StruckOff),
		B2GOptionOn: day(e.B2GOption),
	}
}

// eInvoiceStates are the folded prefixes of the register's text about a day. The text says whether the company is
// registered, but the documentation does not list its wordings.
var eInvoiceStates = []struct {
	prefix     string
	registered bool
}{
	{"inregistrat", true}, {"inscris", true}, {"activ", true},
	{"neinregistrat", false}, {"neinscris", false}, {"nu ", false}, {"inactiv", false}, {"radiat", false},
	{"renunt", false},
}

// holds reports whether the registration holds on a day. It uses the register's text if it understands it, otherwise
// the registration's days. It returns nil if neither decides.
func (e *eInvoiceEntry) holds(on ro.Date) *bool {
	state := spelling.Fold(clean(e.State))
	for _, s := range eInvoiceStates {
		if strings.HasPrefix(state, s.prefix) {
			return new(s.registered)
		}
	}

	from, to := day(e.From), e.end()
	if from == nil {
		return nil
	}

	return new(*from <= on && (to == nil || on < *to))
}

// end returns the day on which the registration was renounced or struck off, whichever is earlier. It returns nil if
// the registration is in force. Days before the registration belong to a previous one.
func (e *eInvoiceEntry) end() (end *ro.Date) {
	from := day(e.From)
	for _, d := range []*ro.Date{day(e.Renounced), day(e.StruckOff)} {
		if d != nil && (from == nil || *d >= *from) && (end == nil || *d < *end) {
			end = d
		}
	}

	return end
}

// entriesOf parses several records that are stored as one.
func entriesOf[E any](r *Record) (all []E, err error) {
	raw, err := r.Raw()
	if err != nil {
		return nil, err
	}
	if err := unmarshal(slices.Concat([]byte("["), raw, []byte("]")), &all); err != nil {
		return nil, fmt.Errorf("reading a record: %w", err)
	}

	return all, nil
}
