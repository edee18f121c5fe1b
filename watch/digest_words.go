package watch

import (
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
)

// words are the texts of digests in one language.
type words struct {
	Lang, Hello, TheList, See, SwitchOff string
	yes, no, unknown, from, recorded     string
	opening                              string // formats the watch-list's name, two dates and the number of events
	date                                 string // the layout of dates
	andMore                              string
	Count                                func(int) string
	grades                               map[api.Severity]string
	kinds                                map[api.EventKind]string
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
	grades: map[api.Severity]string{api.High: "grav", api.Medium: "mediu", api.Low: "ușor"},
	kinds: map[api.EventKind]string{
		api.VATRegistered:          "înregistrată în scopuri de TVA",
		api.VATCancelled:           "înregistrarea în scopuri de TVA anulată",
		api.VATOnCollectionStarted: "a început TVA la încasare", api.VATOnCollectionEnded: "a încetat TVA la încasare",
		api.InactiveDeclared: "declarată inactivă", api.InactiveLifted: "reactivată",
		api.EInvoiceRegistered: "înscrisă în Registrul RO e-Factura",
		api.EInvoiceRemoved:    "radiată din Registrul RO e-Factura",
		api.StateChanged:       "starea", api.NameChanged: "denumirea", api.SeatChanged: "sediul social",
		api.FiscalDomicileChanged: "domiciliul fiscal", api.ActivityChanged: "activitatea principală",
		api.ContactChanged: "telefonul", api.StatementFiled: "situație financiară depusă",
		api.CompanyUnknown:  "nu mai este găsită în registru",
		api.WatchlistUnpaid: "creditele nu au ajuns pentru unele firme, care nu mai sunt verificate",
		api.JobCompleted:    "listă încheiată", api.FXPublished: "cursuri publicate",
		api.RegisterReleased: "ediție nouă a registrului comerțului",
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
	grades: map[api.Severity]string{api.High: "high", api.Medium: "medium", api.Low: "low"},
	kinds: map[api.EventKind]string{
		api.VATRegistered: "registered for VAT", api.VATCancelled: "VAT registration cancelled",
		api.VATOnCollectionStarted: "VAT on collection started", api.VATOnCollectionEnded: "VAT on collection ended",
		api.InactiveDeclared: "declared inactive", api.InactiveLifted: "active again",
		api.EInvoiceRegistered: "entered in the RO e-Factura register",
		api.EInvoiceRemoved:    "removed from the RO e-Factura register",
		api.StateChanged:       "state", api.NameChanged: "name", api.SeatChanged: "seat",
		api.FiscalDomicileChanged: "fiscal domicile", api.ActivityChanged: "main activity",
		api.ContactChanged: "telephone", api.StatementFiled: "financial statement filed",
		api.CompanyUnknown:  "no longer found in the register",
		api.WatchlistUnpaid: "the month could not be paid for some companies, which are no longer checked",
		api.JobCompleted:    "job completed", api.FXPublished: "rates published",
		api.RegisterReleased: "new release of the trade register",
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
