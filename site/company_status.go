package site

import (
	"errors"
	"fmt"

	"github.com/rodata/rodata/api/company"
	rules "github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// statusPage is the data of the page about a company on a day.
type statusPage struct {
	words
	*company.Status
	statusForm
	Conclusion *conclusion // nil if the verdict failed
}

// statusForm is the form that asks for the statuses of a day.
type statusForm struct {
	CUI         string
	Date, Known string // the requested days
	Amount      string // what is paid in cash for the invoice, in RON
	Today       string // the latest day that can be requested
}

// statusForm reads the form in the address of a page.
func (v *visit) statusForm(cui string) statusForm {
	return statusForm{cui, v.day("date"), v.day("knownAt"), v.amount("amount"),
		ro.Today().String()}
}

// loadCompanyStatus loads the page about a company on a day. Without a day, it is today. What was known on the day
// itself decides, unless the address has another day of knowledge.
func loadCompanyStatus(v *visit) (any, error) {
	cui, err := v.cui()
	if err != nil {
		return nil, err
	}

	form := v.statusForm(cui)
	knownAt, payment := form.Known, ""
	if knownAt == "" && form.Date != form.Today {
		knownAt = form.Date
	}
	if form.Amount != "" {
		payment = string(rules.Cash)
	}

	judged, judgeErr := ask[*rules.Verdict](v, "verify_supplier", "cui", cui, "date", form.Date, "knownAt", knownAt,
		"amount", form.Amount, "payment", payment)
	if p, ok := errors.AsType[*problem.Problem](judgeErr); ok && p.Kind == problem.InvalidRequest && len(p.Errors) > 0 {
		return nil, &refusedForm{"invoice-day", invoiceDayPage{form, new(words{v.lang}.wrong(p.Errors[0]))}}
	}
	if p, ok := errors.AsType[*problem.Problem](judgeErr); ok && p.Status() < 500 { // also over the rate limit
		return nil, judgeErr
	}

	status, err := ask[*company.Status](v, "get_company_status", "cui", cui, "date", form.Date, "knownAt", knownAt)
	if isProblem(err, problem.NotFound) && judged != nil && judged.Name != nil { // only the trade register knows it
		status, err = &company.Status{TaxID: judged.TaxID, Name: *judged.Name, Date: judged.Date,
			Sources: judged.Sources}, nil
	}
	if err != nil {
		return nil, err
	}

	form.Date = status.Date.String()
	page := &statusPage{words: words{v.lang}, Status: status, statusForm: form}
	if judged != nil {
		page.Conclusion = page.conclude(judged)
	}

	return page, nil
}

// invoiceDay is the page that asks for a company and a day. It calls no operation, so it has the rate limit of pages.
var invoiceDay = livePage{"/companies/status", "invoice-day", "page.js", loadInvoiceDay}

// invoiceDayPage is the data of the page that asks for a company and the day of an invoice.
type invoiceDayPage struct {
	statusForm
	Wrong *wrongInput // describes the mistake in an input
}

// IsOfCompany reports whether the form has a valid tax id, so that the mistake is in another input.
func (p invoiceDayPage) IsOfCompany() bool {
	_, err := ro.ParseCUI(p.CUI)
	return err == nil
}

// loadInvoiceDay loads the form for a company and the day of an invoice. A valid number leads to its company's page.
func loadInvoiceDay(v *visit) (any, error) {
	form := v.statusForm(v.param("cui"))
	cui, err := ro.ParseCUI(form.CUI)
	page := invoiceDayPage{statusForm: form}
	input, isWrong := errors.AsType[*problem.InputError](err)
	switch {
	case form.CUI == "" && v.has("cui"):
		page.Wrong = new(words{v.lang}.wrong(&problem.InputError{Parameter: "cui", Code: problem.Required}))
	case form.CUI == "":
	case err == nil:
		return nil, &redirect{form.address(cui.String())}
	case isWrong:
		input.Parameter, input.Received = "cui", &form.CUI
		page.Wrong = new(words{v.lang}.wrong(input))
	}

	return page, nil
}

// LikelyAddress is the address of the day of the company that was probably meant.
func (p invoiceDayPage) LikelyAddress() string { return p.address(p.Wrong.LikelyCUI) }

// address is the address of the page about the day of the form.
func (f statusForm) address(cui string) string {
	path := "/companies/" + cui + "/status"
	if query := encodeParams([]string{"date", f.Date, "knownAt", f.Known, "amount", f.Amount}); len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// statusRow is the row of a status on the day. If the page has a KnownAt date, the row has two cells: what was known
// on that date, and what the register says now.
type statusRow struct {
	Status, Name string
	Cells        []statusCell
}

// statusCell is the cell of a status in one column.
type statusCell struct {
	Column, Word string
	Class        string // of the badge
	Lines        []string
	Reason       string
}

// Title is the name of the company and the day.
func (p *statusPage) Title() string { return p.Name + " · " + p.dayOf(&p.Status.Date) }

// Columns are the headings of the table.
func (p *statusPage) Columns() []string {
	if p.KnownAt == nil {
		return []string{p.say("onday.on", "date", p.dayOf(&p.Status.Date))}
	}

	columns := []string{p.say("onday.then", "date", p.dayOf(p.KnownAt))}
	if p.Now != nil {
		columns = append(columns, p.say("onday.now"))
	}

	return columns
}

// Rows are the statuses.
func (p *statusPage) Rows() (rows []statusRow) {
	columns := p.Columns()
	for i, status := range p.All() {
		name := company.StatusNames[i]
		row := statusRow{Status: name, Name: p.say("onday." + name)}
		row.Cells = append(row.Cells, p.cell(columns[0], name, status))
		if p.Now != nil {
			row.Cells = append(row.Cells, p.cell(columns[len(columns)-1], name, p.Now.All()[i]))
		}

		rows = append(rows, row)
	}

	return rows
}

func (p *statusPage) cell(column, status string, s *company.StatusOnDay) statusCell {
	cell := statusCell{Column: column, Word: p.statusWord(status, s.Value), Class: statusClass(status, s.Value, s.From),
		Reason: deref(s.Reason)}
	if s.Value == nil && p.foundedOn() != "" {
		cell.Word, cell.Class = p.say("onday.notApplicable"), ""
	}

	span, basis := p.spanOf(s.From, s.To), ""
	if span != "" && (s.Value == nil || !*s.Value) {
		span = p.say("onday.last", "span", lowerFirst(span))
	}
	if s.Basis != nil {
		basis = p.say("onday." + string(*s.Basis))
	}

	cell.Lines = withoutEmpty(span, p.sayDay("onday.entered", "date", s.EnteredOn), basis)
	return cell
}

// statusClass returns the CSS class of a status. Inactive and no longer registered for VAT are bad.
func statusClass(status string, value *bool, from *ro.Date) string {
	switch {
	case value == nil:
		return "unknown"
	case *value && status == "inactive", !*value && status == "vatPayer" && from != nil:
		return "bad"
	case *value:
		return "yes"
	}

	return "no"
}

// statusWord is the value of a status as a word. A yes that is bad news is shown as the name of the status.
func (w words) statusWord(status string, value *bool) string {
	if status == "inactive" && value != nil && *value {
		return w.say("onday.isInactive")
	}
	return w.yesNo(value)
}

// yesNo is a value as a word.
func (w words) yesNo(value *bool) string {
	switch {
	case value == nil:
		return w.say("onday.unknown")
	case *value:
		return w.say("onday.yes")
	}

	return w.say("onday.no")
}

// Founded says that the company did not exist on the day; empty if it did.
func (p *statusPage) Founded() string {
	founded := p.foundedOn()
	if founded == "" {
		return ""
	}
	return p.say("onday.founded", "founded", founded, "date", p.dayOf(&p.Status.Date))
}

// foundedOn is the day on which the company was registered, if the page is about an earlier day.
func (p *statusPage) foundedOn() string {
	if p.RegistrationDate == nil || p.Status.Date >= *p.RegistrationDate {
		return ""
	}
	return p.dayOf(p.RegistrationDate)
}

// Notices says whether the statuses known at the time differ from those that the register reports now.
func (p *statusPage) Notices() (notices []notice) {
	if p.KnownAt == nil || p.foundedOn() != "" {
		return nil
	}

	days := []any{"date", p.dayOf(&p.Status.Date), "knownAt", p.dayOf(p.KnownAt)}
	if *p.KnownAt < p.Status.Date {
		notices = append(notices, notice{Kind: neutral, Text: p.say("onday.early", days...)})
	}

	switch {
	case p.Now == nil:
		notices = append(notices, notice{Kind: stale, Text: p.say("onday.noNow")})
	case p.ChangedRetroactively != nil && *p.ChangedRetroactively:
		notices = append(notices, notice{Kind: bad, Text: p.say("onday.changed", days...) + p.differences()})
	default:
		notices = append(notices, notice{Kind: neutral, Text: p.say("onday.same", days...)})
	}

	return notices
}

// differences lists the statuses that the register reports differently now.
func (p *statusPage) differences() (text string) {
	for i, status := range p.All() {
		latest := p.Now.All()[i]
		name, then, now := company.StatusNames[i], status.Value, latest.Value
		if then != nil && now != nil && *then != *now {
			text += " " + p.say("onday.difference", "status", p.say("onday."+name), "then", p.statusWord(name, then),
				"now", p.statusWord(name, now))
			if entered := p.sayDay("onday.entered", "date", latest.EnteredOn); entered != "" {
				text += " " + entered + "."
			}
		}
	}

	return text
}

// HasUnknown reports whether a status is unknown.
func (p *statusPage) HasUnknown() bool {
	for _, status := range p.All() {
		if status.Value == nil && p.foundedOn() == "" {
			return true
		}
	}

	return false
}

// Request is the API request of the page.
func (p *statusPage) Request() string {
	request := fmt.Sprintf("/v1/companies/%s/status?date=%s", p.CUI, p.Status.Date)
	if p.KnownAt != nil {
		request += "&knownAt=" + p.KnownAt.String()
	}
	return request
}

// Address is the page's own path, with its days and the amount.
func (p *statusPage) Address() string { return p.address(p.CUI) }

// Paid is the amount, formatted.
func (p *statusPage) Paid() string { return p.decimal(p.Amount) }

// Proof is the receipt of the conclusion or, without one, of the statuses; empty if neither has one.
func (p *statusPage) Proof() string {
	if p.Conclusion != nil && p.Conclusion.Receipt != "" {
		return p.Conclusion.Receipt
	}
	return string(deref(p.Receipt))
}

// Origins are the registers that the page's data comes from.
func (p *statusPage) Origins() []origin { return p.origins(p.Sources) }

// Form is the form, with the days of the page.
func (p *statusPage) Form() statusForm { return p.statusForm }
