package watch

import (
	"fmt"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
)

// words are the texts of digests in one language.
type words struct {
	Lang, Hello, TheList, See, SwitchOff string
	yes, no, unknown, from, recorded     string
	opening                              string // formats the watch-list's name, two dates and the number of events
	date                                 string // the layout of dates
	andMore                              string
	statement                            string // formats the years of an absent statement and of the last one
	Count                                func(int) string
	grades                               map[monitoring.Severity]string
	texts                                int // the index of its texts in kindTexts and stateTexts
}

// AndMore states the number of events not shown.
func (w *words) AndMore(n int) string { return fmt.Sprintf(w.andMore, w.Count(n)) }

var romanian = &words{
	texts: 0, Lang: "ro", Hello: "Bună ziua,", TheList: "Lista", See: "Lista și toate modificările",
	SwitchOff: "Dezabonați-vă de la acest rezumat",
	yes:       "da", no: "nu", unknown: "necunoscut", from: "din", recorded: "înscris la",
	date: "02.01.2006", opening: "În lista „%s”, de la %s până la %s: %s.",
	andMore: "Și încă %s, în pagina listei.", statement: "anul %d, ultima pentru %d",
	Count: func(n int) string {
		switch {
		case n == 1:
			return "o modificare"
		case n%100 == 0 || n%100 >= 20:
			return fmt.Sprintf("%d de modificări", n)
		}

		return fmt.Sprintf("%d modificări", n)
	},
	grades: map[monitoring.Severity]string{monitoring.High: "grav", monitoring.Medium: "mediu", monitoring.Low: "ușor"},
}

var english = &words{
	texts: 1, Lang: "en", Hello: "Hello,", TheList: "The watch-list", See: "The watch-list and all changes",
	SwitchOff: "Unsubscribe from this digest",
	yes:       "yes", no: "no", unknown: "unknown", from: "from", recorded: "recorded on",
	date: time.DateOnly, opening: "In the watch-list “%s”, between %s and %s: %s.",
	andMore: "And %s more, on the page of the watch-list.", statement: "of %d, the last one of %d",
	Count: func(n int) string {
		if n == 1 {
			return "1 change"
		}
		return fmt.Sprintf("%d changes", n)
	},
	grades: map[monitoring.Severity]string{monitoring.High: "high", monitoring.Medium: "medium", monitoring.Low: "low"},
}

// kindTexts are the kinds of events in Romanian and English.
var kindTexts = map[monitoring.EventKind][2]string{
	monitoring.VATRegistered:          {"înregistrată în scopuri de TVA", "registered for VAT"},
	monitoring.VATCancelled:           {"înregistrarea în scopuri de TVA anulată", "VAT registration cancelled"},
	monitoring.VATOnCollectionStarted: {"a început TVA la încasare", "VAT on collection started"},
	monitoring.VATOnCollectionEnded:   {"a încetat TVA la încasare", "VAT on collection ended"},
	monitoring.InactiveDeclared:       {"declarată inactivă", "declared inactive"},
	monitoring.InactiveLifted:         {"reactivată", "active again"},
	monitoring.EInvoiceRegistered:     {"înscrisă în Registrul RO e-Factura", "entered in the RO e-Factura register"},
	monitoring.EInvoiceRemoved:        {"radiată din Registrul RO e-Factura", "removed from the RO e-Factura register"},
	monitoring.StateChanged:           {"starea", "state"},
	monitoring.NameChanged:            {"denumirea", "name"},
	monitoring.SeatChanged:            {"sediul social", "registered office"},
	monitoring.FiscalDomicileChanged:  {"domiciliul fiscal", "fiscal domicile"},
	monitoring.ActivityChanged:        {"activitatea principală", "main activity"},
	monitoring.ContactChanged:         {"telefonul", "telephone"},
	monitoring.StatementFiled:         {"situație financiară depusă", "financial statement filed"},
	monitoring.CompanyUnknown:         {"nu mai este găsită în registru", "no longer found in the register"},
	monitoring.WatchlistUnpaid: {"creditele nu au ajuns pentru unele firme, care nu mai sunt verificate",
		"the month could not be paid for some companies, which are no longer checked"},
	monitoring.JobCompleted: {"listă încheiată", "job completed"},
	monitoring.SeatExpired:  {"sediu expirat", "right to the registered office expired"},
	monitoring.SeatRenewed:  {"sediu reînnoit", "right to the registered office renewed"},
	monitoring.StatementAbsent: {"situația financiară nu este în fișierele publicate",
		"financial statement in no published file"},
	monitoring.FXPublished:      {"cursuri publicate", "rates published"},
	monitoring.RegisterReleased: {"ediție nouă a registrului comerțului", "new release of the trade register"},
}

// stateTexts are the states of companies in Romanian and English.
var stateTexts = map[string][2]string{
	string(company.InOperation):      {"în funcțiune", "in operation"},
	string(company.Suspended):        {"suspendată", "suspended"},
	string(company.Dissolved):        {"dizolvată", "dissolved"},
	string(company.InLiquidation):    {"în lichidare", "in liquidation"},
	string(company.InReorganization): {"în reorganizare", "in reorganization"},
	string(company.Insolvent):        {"în insolvență", "insolvent"},
	string(company.Bankrupt):         {"în faliment", "bankrupt"},
	string(company.StruckOff):        {"radiată", "struck off"},
	string(company.UnknownState):     {"necunoscută", "unknown"},
}
