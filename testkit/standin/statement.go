package standin

import (
	"net/http"
	"strconv"
	"time"

	"github.com/rodata/rodata/ro"
)

// indicatorLabels are the labels of indicators I1 to I20 in the general form, with the stray spaces that the tax
// authority sends. The forms for banks, insurers and associations have different labels.
var indicatorLabels = [...]string{
	"ACTIVE IMOBILIZATE - TOTAL ", "ACTIVE CIRCULANTE - TOTAL, din care:", "Stocuri", "Creante",
	"Casa si conturi la banci",
	"CHELTUIELI IN AVANS", "DATORII ", "VENITURI IN AVANS", "PROVIZIOANE", "CAPITALURI - TOTAL, din care:",
	"Capital subscris varsat", "Patrimoniul regiei", "Cifra de afaceri neta", "VENITURI TOTALE", "CHELTUIELI TOTALE",
	"Profit brut", "Pierdere bruta", "Profit net", "Pierdere  neta", "Numar mediu de salariati",
}

const (
	// firstStatement is the earliest year with statements in files.
	firstStatement = 2009
	// firstAnswered is the earliest year with statements at the tax authority.
	firstAnswered = 2014
)

type indicator struct {
	Code  string `json:"indicator"`
	Value int64  `json:"val_indicator"`
	Label string `json:"val_den_indicator"`
}

// statement answers for one company and one year, with the indicators from I20 down. If no statement was filed, the
// list is empty.
func (a *authority) statement(r *http.Request) reply {
	query := r.URL.Query()
	year, errYear := strconv.Atoi(query.Get("an"))
	cui, errCUI := strconv.ParseInt(query.Get("cui"), 10, 64)
	if errYear != nil || errCUI != nil {
		return plain(http.StatusBadRequest, "an and cui are numbers")
	}

	answer := struct {
		Year     int         `json:"an"`
		CUI      int64       `json:"cui"`
		Name     string      `json:"deni"`
		CAEN     *int        `json:"caen"`
		Activity string      `json:"den_caen"`
		Items    []indicator `json:"i"`
	}{Year: year, CUI: cui, Items: []indicator{}}

	company := a.companies.byCUI[ro.CUI(cui)]
	if company != nil && year >= firstAnswered && company.hasFiled(year, a.options.Now()) {
		code := company.codeNumber()
		answer.Name, answer.CAEN, answer.Activity = cedilla(company.Name+" "+forms[company.Form].short), &code,
			cedilla(company.activity.name)
		figures := company.figures(year)
		for n := len(figures); n > 0; n-- {
			answer.Items = append(answer.Items, indicator{"I" + strconv.Itoa(n), figures[n-1], indicatorLabels[n-1]})
		}
	}

	return reply{mime: "application/json", body: encode(answer), numbers: 1, fault: faultOf(ro.CUI(cui))}
}

// hasFiled reports whether the company's statement of a year is published. Companies file for the years after their
// registration and before their end, by the end of May of the next year. Some companies skipped a year, or stopped
// filing.
func (c *Company) hasFiled(year int, now time.Time) bool {
	last := now.In(ro.Bucharest).Year() - 1
	if now.In(ro.Bucharest).Month() < time.June {
		last--
	}
	if wordings[c.State].ended {
		last = min(last, c.Since.Year()-1)
	}
	skipped, stopped := c.index%10 == 4 && year%5 == 2, c.index%25 == 24 && year > 2022
	if forms[c.Form].letter == 'F' || skipped || stopped {
		return false
	}

	return year >= max(firstStatement, c.Registered.Year()) && year <= last
}

// figures generates the twenty indicators of a year, from I1 on, in whole RON. They are consistent: assets equal
// liabilities plus capital, and the result is income less expenses.
func (c *Company) figures(year int) [len(indicatorLabels)]int64 {
	size := int64(c.index*c.index*137 + 10_000*max(1, year-firstAnswered+1))
	turnover, other := size*9, size/3
	result := size - int64((c.index+year)%4)*size/2 // every fourth year has a loss
	stock, claims, cash := size/2, size, size/4
	fixed, prepaid, deferred, provisions := size*2, size/50, size/40, size/60
	paidUp := int64(200 + c.index%5*1000)
	assets := fixed + stock + claims + cash + prepaid
	capital := max(paidUp+result, 0) + size/2
	debts := assets - capital - deferred - provisions
	tax := max(result, 0) * 16 / 100
	return [...]int64{
		fixed, stock + claims + cash, stock, claims, cash,
		prepaid, debts, deferred, provisions, capital,
		paidUp, 0, turnover, turnover + other, turnover + other - result,
		max(result, 0), max(-result, 0), max(result, 0) - tax, max(-result, 0), int64(1 + c.index%40),
	}
}
