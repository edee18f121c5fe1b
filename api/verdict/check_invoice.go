package verdict

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// The ceilings of cash payments between firms (Law 70/2015 art. 3), in RON. They have not changed since the law came
// into force: Law 296/2023 would have lowered them, but OUG 98/2023 and 115/2023 kept them.
var (
	cashSince    = ro.NewDate(2015, 5, 9)
	cashCeiling  = ro.Cents(5_000_00)
	cashDayTotal = ro.Cents(10_000_00)
)

func cashWithinCeiling(f *Facts) finding {
	switch {
	case f.Invoice.Payment == "":
		return notApplicable(noSource, NotGiven)
	case f.Invoice.Payment != Cash:
		return notApplicable(noSource, notCash)
	case f.Day < cashSince:
		return unknown(noSource, noCeiling)
	case f.Invoice.Amount.Sign() == 0:
		return unknown(noSource, noAmount)
	}

	facts := RuleFacts{Ceiling: &cashCeiling, DayTotal: &cashDayTotal}
	return of(f.Invoice.Amount.Cmp(cashCeiling) <= 0, noSource, aboveCeiling, facts)
}

func nameMatches(f *Facts) finding {
	sent := spelling.CompanyWords(string(f.Invoice.Name))
	switch {
	case len(sent) == 0:
		return notApplicable(noSource, NotGiven)
	case f.Company == nil:
		return f.nowhere()
	}

	if !f.Tax.HasAnswered { // which may know another name
		return unknown(taxAuthority, notAsked)
	}

	from := f.identifier()
	registered := spelling.CompanyWords(f.Company.Name)
	facts := RuleFacts{RegisteredName: f.Company.Name}
	if slices.Equal(sent, registered) {
		return pass(from, facts)
	}
	if slices.Equal(sent, spelling.CompanyWords(f.Past.Name)) {
		facts.FormerName = f.Past.Name
		return pass(taxAuthority, facts)
	}

	shared := 0
	for _, word := range sent {
		if slices.Contains(registered, word) {
			shared++
		}
	}

	found := unknown(from, littleInCommon)
	switch {
	case shared == 0:
		found = fail(from, otherName, facts)
	case 2*shared >= len(registered):
		found = unknown(from, similar)
	}

	found.facts = facts
	return found
}

func addressMatches(f *Facts) finding {
	switch {
	case f.Invoice.Address == "":
		return notApplicable(noSource, NotGiven)
	case f.Company == nil:
		return f.nowhere()
	}

	if !f.Tax.HasAnswered { // which may know another address
		return unknown(taxAuthority, notAsked)
	}

	from := f.identifier()
	parts := strings.FieldsFunc(strings.TrimRight(string(f.Invoice.Address), ",; "), func(r rune) bool {
		return r == ',' || r == ';'
	})
	sent, ok := countyIn(parts)
	if !ok {
		return unknown(from, notRead)
	}

	best := unknown(from, notInRegister)
	for _, place := range places(f.Company) {
		registered, ok := county.Parse(place.County)
		if !ok {
			continue
		}

		facts := RuleFacts{County: place.County, City: place.City}
		switch {
		case registered == sent && names(parts, sent, place.City):
			return pass(from, facts)
		case registered == sent:
			best = unknown(from, onlyCounty)
			best.facts = facts
		case best.reason != onlyCounty:
			best = fail(from, otherCounty, facts)
		}
	}

	return best
}

// place is the county and the city of an address.
type place struct{ County, City string }

// places returns the places of the company: its registered office, its fiscal domicile, and the address on one line.
func places(c *company.Company) []place {
	all := []place{{orEmpty(c.County), orEmpty(c.City)}}
	for _, a := range []*company.StructuredAddress{c.Seat, c.FiscalDomicile} {
		if a != nil {
			all = append(all, place{orEmpty(a.County), orEmpty(a.City)})
		}
	}

	return all
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// countyIn returns the county that a part of an address names.
func countyIn(parts []string) (county.County, bool) {
	for i := range slices.Backward(parts) { // the county comes last
		if found, ok := countyAt(parts, i); ok {
			return found, true
		}
	}

	return county.County{}, false
}

// countyAt returns the county that one part of an address names. A code, such as B or IF, counts only in the last part:
// elsewhere, it may be an entrance or a block of flats.
func countyAt(parts []string, i int) (county.County, bool) {
	if code := strings.ReplaceAll(spelling.Fold(parts[i]), " ", ""); len(code) <= 2 && i < len(parts)-1 {
		return county.County{}, false
	}
	return county.Parse(parts[i])
}

// aroundCity matches what a part of an address has around the name of a city, as in "400001 Mun. Cluj-Napoca" and "Sat
// Exemplu Com. Alta".
var aroundCity = regexp.MustCompile(`^(?:\d{6} )?(?:(?:municipiul|mun|orasul|oras|ors|or|comuna|com|satul|sat|` +
	`localitatea|loc) )?|(?: (?:municipiul|mun|orasul|oras|ors|or|comuna|com) .*)?(?: \d{6})?$`)

// names reports whether parts of an address name a city, or a sector of Bucharest. Where the city has the name of its
// county, another part must name the county: "Pașcani, Iași" does not name the city.
func names(parts []string, in county.County, city string) bool {
	sector, spellings := county.Sector(city), spelling.Spellings(city)
	isNamed, others := false, 0
	for i, part := range parts {
		is := slices.Contains(spellings, aroundCity.ReplaceAllString(spelling.Fold(part), ""))
		if sector != "" {
			is = county.Sector(part) == sector
		}

		isNamed = isNamed || is
		if found, ok := countyAt(parts, i); is || ok && found == in {
			others++
		}
	}

	return city != "" && isNamed && (others > 1 || in.Plate == county.Bucharest)
}

func ibanValid(f *Facts) finding {
	iban := f.Invoice.IBAN
	if iban == "" {
		return notApplicable(noSource, NotGiven)
	}

	facts := RuleFacts{Country: iban.Country()}
	isRomanian := facts.Country == "RO"
	if isRomanian {
		facts.BankCode, facts.Treasury = iban.BankCode(), new(iban.IsTreasury())
	}

	switch {
	case isRomanian && !iban.HasRomanianLength():
		return fail(noSource, wrongLength, facts)
	case !iban.HasCheckDigits():
		return fail(noSource, wrongCheckDigits, facts)
	}

	return of(isRomanian, noSource, foreignAccount, facts)
}
