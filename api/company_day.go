package api

// CompanyDay is a company on a day, whose statuses are asked for. The zero Day is today: it
// names no particular day, so that what is known of a company now has one key.
type CompanyDay struct {
	CUI CUI
	Day Date
}

// String is the number alone for today, and else 9900000010@2025-03-31.
func (c CompanyDay) String() string {
	if c.Day == 0 {
		return c.CUI.String()
	}
	return c.CUI.String() + "@" + c.Day.String()
}
