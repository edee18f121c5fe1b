package api

// CompanyDay is a company on a day, for which statuses are requested. The zero Day means today; it names no particular
// day, so that current facts about a company have a single key.
type CompanyDay struct {
	CUI CUI
	Day Date
}

// String returns only the number for today, and otherwise 9900000010@2025-03-31.
func (c CompanyDay) String() string {
	if c.Day == 0 {
		return c.CUI.String()
	}
	return c.CUI.String() + "@" + c.Day.String()
}
