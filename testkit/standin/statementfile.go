package standin

import (
	"fmt"
	"slices"
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

// statementFiles returns the statements of a year on the general form, of the small companies and of the others, each
// with a legend of the columns.
func statementFiles(companies *register, year int, now time.Time) []file {
	small := newStatementTable(fmt.Sprintf("web_uu_an%d", year), smallLabels(year))
	large := newStatementTable(fmt.Sprintf("web_bl_bs_sl_an%d", year), largeLabels(year))
	for i := range companies.companies {
		c := &companies.companies[i]
		switch {
		case !c.hasFiled(year, now):
		case c.Form == "SA":
			large.add(c, year)
		default:
			small.add(c, year)
		}
	}

	return slices.Concat(small.files(), large.files())
}

// column is a column of a file: the label in the legend, and the position of the figure in the form since 2019; -1 for
// a figure that the form no longer has.
type column struct {
	label string
	item  int
}

// largeLabels returns the columns of the companies that are not small. To 2015 they had another one.
func largeLabels(year int) (columns []column) {
	for item, label := range indicatorLabels {
		columns = append(columns, column{label, item})
	}
	if year <= 2015 {
		columns = slices.Insert(columns, 12, column{"Patrimoniul public", -1})
	}
	return columns
}

// smallLabels returns the columns of the small companies. To 2015 they lacked one, and the gross loss had the label of
// the net loss.
func smallLabels(year int) []column {
	columns := largeLabels(2025)
	if year <= 2015 {
		columns[10].label, columns[16].label = "Capital", columns[18].label
		columns = slices.Delete(columns, 11, 12)
	}
	return columns
}

// statementTable is a file of statements while it is written.
type statementTable struct {
	name    string
	columns []column
	text    strings.Builder
}

func newStatementTable(name string, columns []column) *statementTable {
	t := &statementTable{name: name, columns: columns}
	t.text.WriteString("CUI,CAEN")
	for n := range columns {
		fmt.Fprintf(&t.text, ",I%d", n+1)
	}

	t.text.WriteString("\r\n")
	return t
}

func (t *statementTable) add(c *Company, year int) {
	fmt.Fprintf(&t.text, "%s,%d", c.CUI, c.codeNumber())
	figures := c.figures(year)
	for _, column := range t.columns {
		t.text.WriteByte(',')
		if column.item >= 0 {
			t.text.WriteString(strconv.FormatInt(figures[column.item], 10))
		}
	}

	t.text.WriteString("\r\n")
}

// files returns the file and its legend.
func (t *statementTable) files() []file {
	legend := "CUI;CUI\r\nCAEN;CAEN\r\n"
	for n, column := range t.columns {
		legend += fmt.Sprintf("%s;i%d\r\n", column.label, n+1)
	}
	return []file{{t.name + ".txt", []byte(t.text.String())}, {t.name + ".csv", []byte(legend)}}
}
