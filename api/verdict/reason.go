package verdict

import (
	"maps"
	"slices"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/jsonschema"
)

// Reason says why a rule does not pass.
type Reason string

// The reasons. Those of a failing state are the states themselves.
const (
	notAsked          Reason = "not_asked"
	notInRegister     Reason = "not_in_register"
	noCompany         Reason = "no_company"
	noDate            Reason = "no_date"
	registeredLater   Reason = "registered_later"
	struckOff         Reason = "struck_off"
	periodNotReported Reason = "period_not_reported"
	inactive          Reason = "inactive"
	notRegistered     Reason = "not_registered"
	cancelled         Reason = "cancelled"
	noVATCharged      Reason = "no_vat_charged"
	onCollection      Reason = "on_collection"
	splitVAT          Reason = "split_vat"
	schemeEnded       Reason = "scheme_ended"
	allFirms          Reason = "all_firms"
	stateIsTodays     Reason = "state_is_todays"
	tooOld            Reason = "too_old"
	inProceedings     Reason = "in_proceedings"
	seatExpired       Reason = "seat_expired"
	personsBusiness   Reason = "natural_person"
	notGiven          Reason = "not_given"
	notCash           Reason = "not_cash"
	noAmount          Reason = "no_amount"
	noCeiling         Reason = "no_ceiling"
	aboveCeiling      Reason = "above_ceiling"
	similar           Reason = "similar"
	littleInCommon    Reason = "little_in_common"
	otherName         Reason = "other_name"
	otherCounty       Reason = "other_county"
	onlyCounty        Reason = "only_county"
	notRead           Reason = "not_read"
	wrongLength       Reason = "wrong_length"
	wrongCheckDigits  Reason = "wrong_check_digits"
	foreignAccount    Reason = "foreign_account"
	suspended                = Reason(company.Suspended)
	dissolved                = Reason(company.Dissolved)
	inLiquidation            = Reason(company.InLiquidation)
	insolvent                = Reason(company.Insolvent)
	inReorganization         = Reason(company.InReorganization)
	bankrupt                 = Reason(company.Bankrupt)
)

// reasons are the reasons in words.
var reasons = map[Reason]company.Label{
	notAsked:      {Romanian: "registrul nu a putut fi întrebat", English: "the register could not be asked"},
	notInRegister: {Romanian: "firma nu este în acest registru", English: "the company is not in this register"},
	noCompany: {Romanian: "niciun registru întrebat nu are acest număr",
		English: "no register that was asked has the number"},
	noDate: {Romanian: "registrele nu spun data", English: "the registers do not say the day"},
	registeredLater: {Romanian: "firma a fost înregistrată după această zi",
		English: "the company was registered after the day"},
	struckOff: {Romanian: "firma este radiată", English: "the company is struck off"},
	periodNotReported: {Romanian: "ANAF raportează doar ultima perioadă, care nu cuprinde această zi",
		English: "the tax authority reports only the last period, which does not cover the day"},
	inactive:      {Romanian: "firma este declarată inactivă", English: "the company is declared inactive"},
	notRegistered: {Romanian: "firma nu este plătitoare de TVA", English: "the company is not registered for VAT"},
	cancelled: {Romanian: "înregistrarea în scopuri de TVA a fost anulată",
		English: "the registration for VAT was cancelled"},
	noVATCharged: {Romanian: "factura este fără TVA", English: "the invoice is without VAT"},
	onCollection: {Romanian: "firma aplică TVA la încasare: TVA se deduce la plată",
		English: "the company applies VAT on collection: VAT is deductible on payment"},
	splitVAT: {Romanian: "firma aplică plata defalcată a TVA", English: "the company applies split payment of VAT"},
	schemeEnded: {Romanian: "plata defalcată nu se mai aplică din 1 februarie 2020",
		English: "split payment ended on 1 February 2020"},
	allFirms: {Romanian: "din 1 iulie 2024 e-Factura este obligatorie pentru toate firmele",
		English: "from 1 July 2024 RO e-Factura is mandatory for all firms"},
	stateIsTodays: {Romanian: "registrul comerțului publică doar starea de azi",
		English: "the trade register publishes only today's state"},
	tooOld: {Romanian: "datele registrului comerțului sunt mai vechi de 70 de zile",
		English: "the trade register's data is older than 70 days"},
	inProceedings: {Romanian: "firma este în procedură de insolvență: vedeți regula despre insolvență",
		English: "the company is in insolvency proceedings: see the rule on insolvency"},
	seatExpired: {Romanian: "dreptul de folosință a sediului a expirat",
		English: "the right to use the seat has expired"},
	personsBusiness: {Romanian: "regula nu privește persoanele fizice (PFA, II, IF)",
		English: "the rule does not concern natural persons (PFA, II, IF)"},
	notGiven: {Romanian: "nu a fost trimis nimic de comparat", English: "nothing was sent to compare"},
	notCash:  {Romanian: "plata nu este în numerar", English: "the payment is not in cash"},
	noAmount: {Romanian: "suma nu a fost trimisă", English: "the amount was not sent"},
	noCeiling: {Romanian: "plafonul dinainte de 9 mai 2015 nu este cunoscut aici",
		English: "the ceiling before 9 May 2015 is not known here"},
	aboveCeiling: {Romanian: "suma depășește plafonul: restul se plătește prin bancă",
		English: "the amount exceeds the ceiling: the rest must be paid by bank"},
	similar: {Romanian: "denumirile seamănă: comparați-le", English: "the names are similar: compare them"},
	littleInCommon: {Romanian: "denumirile au puțin în comun: comparați-le",
		English: "the names have little in common: compare them"},
	otherName:   {Romanian: "denumirile nu au niciun cuvânt comun", English: "the names have no word in common"},
	otherCounty: {Romanian: "adresa este în alt județ", English: "the address is in another county"},
	onlyCounty:  {Romanian: "doar județul este același", English: "only the county is the same"},
	notRead: {Romanian: "județul nu a putut fi citit din adresă: scrieți-l între virgule",
		English: "the county could not be read in the address: write it between commas"},
	wrongLength:      {Romanian: "un IBAN românesc are 24 de caractere", English: "a Romanian IBAN has 24 characters"},
	wrongCheckDigits: {Romanian: "cifrele de control nu se potrivesc", English: "the check digits do not match"},
	foreignAccount:   {Romanian: "contul nu este în România", English: "the account is not in Romania"},
	suspended:        {Romanian: "activitatea este suspendată", English: "its activity is suspended"},
	dissolved:        {Romanian: "firma este în dizolvare", English: "the company is being dissolved"},
	inLiquidation:    {Romanian: "firma este în lichidare", English: "the company is in liquidation"},
	insolvent:        {Romanian: "firma este în insolvență", English: "the company is in insolvency proceedings"},
	inReorganization: {Romanian: "firma este în reorganizare judiciară",
		English: "the company is in judicial reorganisation"},
	bankrupt: {Romanian: "firma este în faliment", English: "the company is in bankruptcy"},
}

// Schema lists the reasons.
func (Reason) Schema() jsonschema.Schema {
	return jsonschema.Enum(slices.Sorted(maps.Keys(reasons))...)
}
