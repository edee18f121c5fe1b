package verdict

import "github.com/rodata/rodata/api/company"

// RulesVersion identifies the rules. It changes with the id, level, law or meaning of any rule.
const RulesVersion = "2026-11"

// Limits of trust in the trade register's monthly releases, in days.
const (
	// maxDaysBeforeRelease is the number of days before a release in which its states still count as those of the day.
	maxDaysBeforeRelease = 31
	// MaxReleaseAge is the greatest age of a release whose states count.
	MaxReleaseAge = 70
)

// rules are the rules in the order of answers. The sources of the law, as of November 2026: Law 227/2015 (Fiscal Code),
// Law 207/2015 (Fiscal Procedure Code), Law 70/2015 with OUG 115/2023, OUG 23/2017, OUG 120/2021, Law 85/2014, Law
// 31/1990, Law 82/1991, and BNR Regulation 2/2004.
var rules = []Rule{
	{ID: "exists", Level: Stop, FirstVersion: "2026-11", check: exists, Law: []string{},
		Label: company.Label{Romanian: "Firma există", English: "The company exists"},
		Text: company.Label{Romanian: "Numărul este în evidența ANAF sau în registrul comerțului.",
			English: "The tax authority or the trade register knows the number."}},
	{ID: "existed_on_date", Level: Stop, FirstVersion: "2026-11", check: existedOnDate, Law: []string{"Law 31/1990"},
		Label: company.Label{Romanian: "Firma exista la această dată", English: "The company existed on the date"},
		Text: company.Label{Romanian: "A fost înregistrată până la această dată și nu era radiată.",
			English: "It was registered by the date and not struck off."}},
	{ID: "not_inactive", Level: Stop, FirstVersion: "2026-11", check: notInactive,
		Law:   []string{"Law 227/2015 art. 11 (7)", "Law 227/2015 art. 25 (4) j)", "Law 207/2015 art. 92"},
		Label: company.Label{Romanian: "Era activă fiscal", English: "It was not declared inactive"},
		Text: company.Label{Romanian: "Cheltuiala și TVA din facturile unui contribuabil inactiv nu se deduc, cu excepțiile legii.",
			English: "Neither expense nor VAT of an inactive taxpayer's invoices is deductible, with the law's exceptions."}},
	{ID: "vat_registered", Level: Info, FirstVersion: "2026-11", check: vatRegistered,
		Law:   []string{"Law 227/2015 art. 11 (8)", "Law 227/2015 art. 316"},
		Label: company.Label{Romanian: "Era înregistrată în scopuri de TVA", English: "It was registered for VAT"},
		Text: company.Label{
			Romanian: "TVA facturată de o firmă fără cod de TVA sau cu codul anulat nu se deduce.",
			English:  "VAT charged by a firm without a registration, or after its cancellation, is not deductible."}},
	{ID: "vat_deductible_at_once", Level: Info, FirstVersion: "2026-11", check: vatDeductibleAtOnce,
		Law: []string{"Law 227/2015 art. 297 (2)", "Law 227/2015 art. 324 (16)"},
		Label: company.Label{Romanian: "Aplica sistemul normal de TVA",
			English: "It did not apply VAT on collection"},
		Text: company.Label{Romanian: "De la o firmă cu TVA la încasare, TVA se deduce la plată, nu la facturare.",
			English: "From a firm that applies VAT on collection, VAT is deductible on payment, not on the invoice."}},
	{ID: "no_split_vat", Level: Info, FirstVersion: "2026-11", check: noSplitVAT, Law: []string{"OUG 23/2017"},
		Label: company.Label{Romanian: "TVA se plătea fără defalcare",
			English: "It did not apply split payment of VAT"},
		Text: company.Label{Romanian: "Până la 1 februarie 2020, TVA se plătea într-un cont separat.",
			English: "Until 1 February 2020, VAT was paid into an account of its own."}},
	{ID: "in_e_invoice_register", Level: Info, FirstVersion: "2026-11", check: inEInvoiceRegister,
		Law: []string{"OUG 120/2021", "OUG 69/2024", "OUG 89/2025"},
		Label: company.Label{Romanian: "Era în Registrul RO e-Factura",
			English: "It was in the RO e-Factura register"},
		Text: company.Label{Romanian: "Registrul opțional de dinaintea obligației generale, în vigoare din 1 iulie 2024.",
			English: "The optional register, before the general obligation of 1 July 2024."}},
	{ID: "in_operation", Level: Attention, FirstVersion: "2026-11", check: inOperation, Law: []string{"Law 31/1990"},
		Label: company.Label{Romanian: "Era în funcțiune", English: "It was in operation"},
		Text: company.Label{Romanian: "Nu era suspendată, radiată, în dizolvare sau în lichidare.",
			English: "It was not suspended, struck off, being dissolved or in liquidation."}},
	{ID: "not_insolvent", Level: Attention, FirstVersion: "2026-11",
		check: notInsolvent, Law: []string{"Law 85/2014"},
		Label: company.Label{Romanian: "Era fără proceduri de insolvență",
			English: "It was not in insolvency proceedings"},
		Text: company.Label{Romanian: "În insolvență, verificați cine semnează și cui se plătește.",
			English: "In insolvency proceedings, verify who signs and who is to be paid."}},
	{ID: "seat_valid", Level: Attention, FirstVersion: "2026-11",
		check: seatValid, Law: []string{"Law 207/2015 art. 92 (1) g)"},
		Label: company.Label{Romanian: "Dreptul de folosință a sediului era valabil",
			English: "The right to use the registered office was valid"},
		Text: company.Label{Romanian: "Expirarea acestui drept este un motiv legal de declarare ca inactivă.",
			English: "Its expiry is a legal ground for declaring the firm inactive."}},
	{ID: "statements", Level: Attention, FirstVersion: "2026-11", check: statementsFiled,
		Law: []string{"Law 82/1991 art. 36", "Law 207/2015 art. 92 (1^2) b)"},
		Label: company.Label{Romanian: "Ultima situație financiară anuală scadentă a fost depusă",
			English: "The last yearly statement that was due has been filed"},
		Text: company.Label{
			Romanian: "Chiar dacă lipsește din fișierele Ministerului Finanțelor, situația poate să fi fost depusă.",
			English:  "A statement that the Ministry of Finance's files do not have may still have been filed."}},
	{ID: "cash_within_ceiling", Level: Attention, FirstVersion: "2026-11", check: cashWithinCeiling,
		Law: []string{"Law 70/2015 art. 3", "OUG 115/2023"},
		Label: company.Label{Romanian: "Plata în numerar se încadrează în plafon",
			English: "The cash payment is within the ceiling"},
		Text: company.Label{Romanian: "Între firme, cel mult 5.000 lei pe zi către o firmă; factura nu se împarte.",
			English: "Between firms, at most 5,000 RON a day to one firm; an invoice may not be split."}},
	{ID: "name_matches", Level: Attention, FirstVersion: "2026-11", check: nameMatches, Law: []string{},
		Label: company.Label{Romanian: "Denumirea este cea din registru", English: "The name is the registered one"},
		Text: company.Label{Romanian: "Se compară fără forma juridică, fără diacritice și în orice ordine a cuvintelor.",
			English: "Compared without the legal form and diacritics, in any order of words."}},
	{ID: "address_matches", Level: Attention, FirstVersion: "2026-11", check: addressMatches, Law: []string{},
		Label: company.Label{Romanian: "Localitatea este cea din registru",
			English: "The place is the registered one"},
		Text: company.Label{
			Romanian: "Se compară județul și localitatea sediului sau ale domiciliului fiscal, nu și strada.",
			English:  "County and place of the registered office or the fiscal domicile; streets are not compared."}},
	{ID: "iban_valid", Level: Attention, FirstVersion: "2026-11",
		check: ibanValid, Law: []string{"BNR Regulation 2/2004"},
		Label: company.Label{Romanian: "IBAN-ul este valid și românesc",
			English: "The IBAN is valid and Romanian"},
		Text: company.Label{Romanian: "Lungimea, țara și cifrele de control; titularul contului nu este public.",
			English: "Length, country and check digits; who owns an account is not public."}},
}
