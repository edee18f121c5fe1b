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
	Count                                func(int) string
	grades                               map[monitoring.Severity]string
	kinds                                map[monitoring.EventKind]string
	states                               map[string]string
}

// AndMore states the number of events not shown.
func (w *words) AndMore(n int) string { return fmt.Sprintf(w.andMore, w.Count(n)) }

var romanian = &words{
	Lang: "ro", Hello: "Bună ziua,", TheList: "Lista", See: "Lista și toate modificările",
	SwitchOff: "Dezabonați-vă de la acest rezumat",
	yes:       "da", no: "nu", unknown: "necunoscut", from: "din", recorded: "înscris la",
	date: "02.01.2006", opening: "În lista „%s”, de la %s până la %s: %s.",
	andMore: "Și încă %s, în pagina listei.",
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
	kinds: map[monitoring.EventKind]string{
		monitoring.VATRegistered:          "înregistrată în scopuri de TVA",
		monitoring.VATCancelled:           "înregistrarea în scopuri de TVA anulată",
		monitoring.VATOnCollectionStarted: "a început TVA la încasare",
		monitoring.VATOnCollectionEnded:   "a încetat TVA la încasare",
		monitoring.InactiveDeclared:       "declarată inactivă", monitoring.InactiveLifted: "reactivată",
		monitoring.EInvoiceRegistered: "înscrisă în Registrul RO e-Factura",
		monitoring.EInvoiceRemoved:    "radiată din Registrul RO e-Factura",
		monitoring.StateChanged:       "starea", monitoring.NameChanged: "denumirea",
		monitoring.SeatChanged:           "sediul social",
		monitoring.FiscalDomicileChanged: "domiciliul fiscal", monitoring.ActivityChanged: "activitatea principală",
		monitoring.ContactChanged: "telefonul", monitoring.StatementFiled: "situație financiară depusă",
		monitoring.CompanyUnknown:  "nu mai este găsită în registru",
		monitoring.WatchlistUnpaid: "creditele nu au ajuns pentru unele firme, care nu mai sunt verificate",
		monitoring.JobCompleted:    "listă încheiată", monitoring.FXPublished: "cursuri publicate",
		monitoring.RegisterReleased: "ediție nouă a registrului comerțului",
	},
	states: map[string]string{
		string(company.InOperation): "în funcțiune", string(company.Suspended): "suspendată",
		string(company.Dissolved):     "dizolvată",
		string(company.InLiquidation): "în lichidare", string(company.InReorganization): "în reorganizare",
		string(company.Insolvent): "în insolvență",
		string(company.Bankrupt):  "în faliment", string(company.StruckOff): "radiată",
		string(company.UnknownState): "necunoscută",
	},
}

var english = &words{
	Lang: "en", Hello: "Hello,", TheList: "The watch-list", See: "The watch-list and all changes",
	SwitchOff: "Unsubscribe from this digest",
	yes:       "yes", no: "no", unknown: "unknown", from: "from", recorded: "recorded on",
	date: time.DateOnly, opening: "In the watch-list “%s”, between %s and %s: %s.",
	andMore: "And %s more, on the page of the watch-list.",
	Count: func(n int) string {
		if n == 1 {
			return "1 change"
		}
		return fmt.Sprintf("%d changes", n)
	},
	grades: map[monitoring.Severity]string{monitoring.High: "high", monitoring.Medium: "medium", monitoring.Low: "low"},
	kinds: map[monitoring.EventKind]string{
		monitoring.VATRegistered: "registered for VAT", monitoring.VATCancelled: "VAT registration cancelled",
		monitoring.VATOnCollectionStarted: "VAT on collection started",
		monitoring.VATOnCollectionEnded:   "VAT on collection ended",
		monitoring.InactiveDeclared:       "declared inactive", monitoring.InactiveLifted: "active again",
		monitoring.EInvoiceRegistered: "entered in the RO e-Factura register",
		monitoring.EInvoiceRemoved:    "removed from the RO e-Factura register",
		monitoring.StateChanged:       "state", monitoring.NameChanged: "name", monitoring.SeatChanged: "seat",
		monitoring.FiscalDomicileChanged: "fiscal domicile", monitoring.ActivityChanged: "main activity",
		monitoring.ContactChanged: "telephone", monitoring.StatementFiled: "financial statement filed",
		monitoring.CompanyUnknown:  "no longer found in the register",
		monitoring.WatchlistUnpaid: "the month could not be paid for some companies, which are no longer checked",
		monitoring.JobCompleted:    "job completed", monitoring.FXPublished: "rates published",
		monitoring.RegisterReleased: "new release of the trade register",
	},
	states: map[string]string{
		string(company.InOperation): "in operation", string(company.Suspended): "suspended",
		string(company.Dissolved):     "dissolved",
		string(company.InLiquidation): "in liquidation", string(company.InReorganization): "in reorganization",
		string(company.Insolvent): "insolvent",
		string(company.Bankrupt):  "bankrupt", string(company.StruckOff): "struck off",
		string(company.UnknownState): "unknown",
	},
}
