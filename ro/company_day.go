package ro

// CompanyDay is a company and the day for which its statuses are requested. The zero Day means today. It is used
// instead of today's date so that the cache key of a company's current data does not change every day.
type CompanyDay struct {
	CUI CUI
	Day Date
}

// String returns the number alone for today, and a form like 9900000010@2025-03-31 for any other day.
func (c CompanyDay) String() string {
	if c.Day == 0 {
		return c.CUI.String()
	}
	return c.CUI.String() + "@" + c.Day.String()
}
