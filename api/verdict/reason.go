package verdict

import (
	"iter"
	"maps"
	"slices"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/jsonschema"
)

// Reason says why a rule does not pass.
type Reason string

// reasons are the reasons in words, which hold for the day of the verdict.
var reasons = map[Reason]company.Label{}

// explained returns a reason, and adds its words.
func explained(reason Reason, romanian, english string) Reason {
	reasons[reason] = company.Label{Romanian: romanian, English: english}
	return reason
}

// ofToday is the suffix of the reason for a rule that is unknown for the day and would fail today.
const ofToday = "_today"

// explainedToday adds the words of a reason that names a current state.
func explainedToday(state Reason, romanian, english string) Reason {
	return explained(state+ofToday, "azi firma "+romanian+", dar situația la această dată nu se știe",
		"today "+english+", but its state on the day is not known")
}

// The reasons. Those of a failing state are the states themselves.
var (
	notAsked = explained("not_asked", "registrul nu a putut fi consultat: încercați mai târziu",
		"the register could not be asked: try again later")
	notInRegister = explained("not_in_register", "registrul nu are date despre firmă", "the register has no data on the company")
	noCompany     = explained("no_company", "niciun registru consultat nu are acest număr",
		"no register that was asked has the number")
	noDate          = explained("no_date", "registrele nu arată data", "the registers do not give the day")
	registeredLater = explained("registered_later", "firma a fost înregistrată mai târziu",
		"the company was registered later")
	struckOff         = explained("struck_off", "firma era radiată", "the company was struck off")
	periodNotReported = explained("period_not_reported", "ANAF raportează doar ultima perioadă, care nu cuprinde această zi",
		"the tax authority reports only the last period, which does not cover the day")
	inactive      = explained("inactive", "firma era declarată inactivă", "the company was declared inactive")
	notRegistered = explained("not_registered", "firma nu era înregistrată în scopuri de TVA",
		"the company was not registered for VAT")
	cancelled = explained("cancelled", "înregistrarea în scopuri de TVA era anulată",
		"the registration for VAT had been cancelled")
	noVATCharged = explained("no_vat_charged", "factura este fără TVA", "the invoice is without VAT")
	onCollection = explained("on_collection", "firma aplica TVA la încasare: TVA se deduce la plată",
		"the company applied VAT on collection: VAT is deductible on payment")
	splitVAT = explained("split_vat", "firma aplica plata defalcată a TVA",
		"the company applied split payment of VAT")
	schemeEnded = explained("scheme_ended", "plata defalcată nu se mai aplică din 1 februarie 2020",
		"split payment ended on 1 February 2020")
	allFirms = explained("all_firms", "din 1 iulie 2024 e-Factura este obligatorie pentru toate firmele",
		"from 1 July 2024 RO e-Factura is mandatory for all firms")
	notEnrolled = explained("not_enrolled", "firma nu era în Registrul RO e-Factura",
		"the company was not in the RO e-Factura register")
	stateIsTodays = explained("state_is_todays", "registrul comerțului publică doar starea de azi",
		"the trade register publishes only today's state")
	tooOld = explained("too_old", "datele registrului comerțului sunt mai vechi de 70 de zile",
		"the trade register's data is older than 70 days")
	inProceedings = explained("in_proceedings", "firma era în insolvență, dizolvare sau lichidare",
		"the company was insolvent, being dissolved or in liquidation")
	seatExpired = explained("seat_expired", "dreptul de folosință a sediului a expirat",
		"the right to use the registered office has expired")
	personsBusiness = explained("natural_person", "regula nu privește persoanele fizice (PFA, II, IF)",
		"the rule does not concern natural persons (PFA, II, IF)")
	NotGiven  = explained("not_given", "nu a fost trimis nimic de verificat", "nothing was sent to verify")
	notCash   = explained("not_cash", "plata nu este în numerar", "the payment is not in cash")
	noAmount  = explained("no_amount", "suma nu a fost trimisă", "the amount was not sent")
	noCeiling = explained("no_ceiling", "plafonul dinainte de 9 mai 2015 nu este cunoscut aici",
		"the ceiling before 9 May 2015 is not known here")
	aboveCeiling = explained("above_ceiling", "suma depășește plafonul: restul se plătește prin bancă",
		"the amount exceeds the ceiling: the rest must be paid by bank")
	similar        = explained("similar", "denumirile se aseamănă: comparați-le", "the names are similar: compare them")
	littleInCommon = explained("little_in_common", "denumirile au puțin în comun: comparați-le",
		"the names have little in common: compare them")
	otherName = explained("other_name", "denumirile nu au niciun cuvânt în comun",
		"the names have no word in common")
	otherCounty = explained("other_county", "adresa este în alt județ", "the address is in another county")
	onlyCounty  = explained("only_county", "doar județul este același", "only the county is the same")
	notRead     = explained("not_read", "județul nu a putut fi citit din adresă: despărțiți-l prin virgule",
		"the county could not be read in the address: write it between commas")
	wrongLength = explained("wrong_length", "un IBAN românesc are 24 de caractere",
		"a Romanian IBAN has 24 characters")
	wrongCheckDigits = explained("wrong_check_digits", "cifrele de control nu se potrivesc",
		"the check digits do not match")
	foreignAccount = explained("foreign_account", "contul nu este în România", "the account is not in Romania")
	suspended      = explained(Reason(company.Suspended), "activitatea era suspendată", "its activity was suspended")
	dissolved      = explained(Reason(company.Dissolved), "firma era în dizolvare", "the company was being dissolved")
	inLiquidation  = explained(Reason(company.InLiquidation), "firma era în lichidare",
		"the company was in liquidation")
	insolvent = explained(Reason(company.Insolvent), "firma era în insolvență",
		"the company was in insolvency proceedings")
	inReorganization = explained(Reason(company.InReorganization), "firma era în reorganizare judiciară",
		"the company was in judicial reorganisation")
	bankrupt = explained(Reason(company.Bankrupt), "firma era în faliment", "the company was in bankruptcy")

	// Current states whose first day no register publishes.
	_ = explainedToday(suspended, "are activitatea suspendată", "its activity is suspended")
	_ = explainedToday(dissolved, "este în dizolvare", "the company is being dissolved")
	_ = explainedToday(inLiquidation, "este în lichidare", "the company is in liquidation")
	_ = explainedToday(insolvent, "este în insolvență", "the company is in insolvency proceedings")
	_ = explainedToday(inReorganization, "este în reorganizare judiciară",
		"the company is in judicial reorganisation")
	_ = explainedToday(bankrupt, "este în faliment", "the company is in bankruptcy")
	_ = explainedToday(seatExpired, "are dreptul de folosință a sediului expirat",
		"the right to use the registered office has expired")

	publishedLater = explained("published_later", "fișierele încărcate aici au fost publicate mai târziu",
		"the files loaded here were published later")
	_ = explained(Reason(company.StatementNotInFiles), "fișierele publicate nu au situația financiară a acestui an",
		"the published files have no statement of the company for the year")
	_ = explained(Reason(company.StruckOffBefore), "firma a fost radiată înainte de termenul de depunere",
		"the company was struck off before the statement was due")
	_ = explained(Reason(company.NeverFiled),
		"fișierele publicate nu au nicio situație mai veche: firma poate fi fără activitate de la înființare",
		"the published files have no earlier statement: the company may have had no activity since its founding")
	_ = explained(Reason(company.OtherForm), "firma poate depune un formular pe care aceste fișiere nu îl cuprind",
		"the company may file a form that these files do not have")
	_ = explained(Reason(company.FilesNotPublished), "fișierele acestui an nu sunt publicate",
		"the files of the year are not published")
	_ = explained(Reason(company.FilesNotLoaded), "fișierele acestui an nu sunt încărcate aici",
		"the files of the year are not loaded here")
	_ = explained(Reason(company.YearRefused), "fișierele acestui an nu au putut fi citite",
		"the files of the year could not be read")
)

// AllReasons iterates over all reasons and their texts.
func AllReasons() iter.Seq2[Reason, company.Label] { return maps.All(reasons) }

// Schema lists the reasons.
func (Reason) Schema() jsonschema.Schema {
	return jsonschema.Enum(slices.Sorted(maps.Keys(reasons))...)
}
