package standin

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// statementPackages returns the yearly statements of all companies in the way the Ministry of Finance publishes them,
// in July of the following year. As in reality, the package of 2023 has an irregular name.
func statementPackages(companies *register, now time.Time, base string) (list []dataset) {
	for year := firstStatement; ; year++ {
		day := time.Date(year+1, time.July, 15, 9, 0, 0, 0, time.UTC)
		if day.After(now) {
			return list
		}

		slug := fmt.Sprintf("situatii_financiare_%d", year)
		if year == 2023 {
			slug = "situatii_financiare2023"
		}

		title := fmt.Sprintf("Situații financiare %d", year)
		list = append(list, newDataset(base, slug, title, "mfp", day, day,
			publishedFiles(companies, year, now)))
	}
}

// published holds the files of each year. They do not change after their publication. All stand-ins of a process share
// them, because every request lists them.
var published sync.Map // of the year to []file

// publishedFiles returns the statements of a year, if they are published.
func publishedFiles(companies *register, year int, now time.Time) []file {
	files, known := published.Load(year)
	if !known { // two stand-ins may write the same files at once
		files = statementFiles(companies, year, now)
		published.Store(year, files)
	}
	return files.([]file)
}

// statementFiles returns the statements of a year on the general form, of the small companies and of the others.
func statementFiles(companies *register, year int, now time.Time) []file {
	header := "CUI,CAEN"
	for n := range indicatorLabels {
		header += ",I" + strconv.Itoa(n+1)
	}

	var small, large strings.Builder
	small.WriteString(header + "\n")
	large.WriteString(header + "\n")
	for i := range companies.companies {
		c := &companies.companies[i]
		if !c.hasFiled(year, now) {
			continue
		}

		to := &small
		if c.Form == "SA" {
			to = &large
		}

		fmt.Fprintf(to, "%s,%d", c.CUI, c.codeNumber())
		for _, v := range c.figures(year) {
			fmt.Fprintf(to, ",%d", v)
		}

		to.WriteString("\n")
	}

	return []file{
		{fmt.Sprintf("web_uu_an%d.txt", year), []byte(small.String())},
		{fmt.Sprintf("web_bl_bs_sl_an%d.txt", year), []byte(large.String())},
	}
}
