package onrc

// Reason is the reason why rows or values of a release were dropped or corrected, for the summary of a load.
type Reason string

// The reasons.
const (
	joinedRow       Reason = "rows cut by line breaks, joined"
	brokenRow       Reason = "rows with too few columns"
	wideRow         Reason = "rows with too many columns"
	longRow         Reason = "rows over 20 KB"
	keylessRow      Reason = "rows without a register number"
	namelessFirm    Reason = "companies without a name"
	repeatedFirm    Reason = "repeated rows of a company"
	personalNumber  Reason = "personal numbers in place of a tax id"
	personalText    Reason = "personal numbers and dates inside other texts"
	noTaxID         Reason = "companies without a tax id"
	wrongTaxID      Reason = "tax ids with a wrong control digit"
	noDay           Reason = "companies without a day of registration"
	wrongDay        Reason = "days of registration not understood"
	unknownCounty   Reason = "registered offices in a county not understood"
	unknownPlace    Reason = "registered offices in a place not found"
	wrongPostalCode Reason = "postal codes not understood"
	notWebsite      Reason = "malformed websites"
	wrongStatement  Reason = "yearly statements not understood"
	wrongActivity   Reason = "activity codes not understood"
	unknownState    Reason = "state codes not understood"
	orphanState     Reason = "state rows without a company"
	orphanActivity  Reason = "activity rows without a company"
	orphanPerson    Reason = "representatives without a company"
	namelessPerson  Reason = "representatives without a name"
	repeatedPerson  Reason = "repeated representatives"
	tooManyPersons  Reason = "representatives past the 500th of a company"
)

// reasons counts occurrences. It is not safe for concurrent use.
type reasons map[Reason]int64

func (r reasons) add(other map[Reason]int64) {
	for reason, n := range other {
		r[reason] += n
	}
}
