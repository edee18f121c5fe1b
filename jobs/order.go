package jobs

import (
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
)

// Order is the task of a job: the columns of its file, and the fields to add.
type Order struct {
	// Columns are the names of the file's columns. ID is the index of the column with tax ids. Date is the index of the
	// column with days, or negative if there is none.
	Columns []string `json:"columns"`
	ID      int      `json:"id"`
	Date    int      `json:"date"`
	// Kinds are the types of the columns: see upload.Table.
	Kinds []table.Kind `json:"kinds,omitempty"`
	// Day is the day for rows without their own. It is zero for today.
	Day ro.Date `json:"day,omitempty"`
	// Fields are the fields that the result adds as columns.
	Fields []company.Field `json:"fields"`
	// Key is the id of the API key of the upload. It is empty for a session.
	Key string `json:"key,omitempty"`
}

// request returns the look-up of a row.
func (o *Order) request(cells []string) company.BatchRequest {
	r := company.BatchRequest{
		TaxID: strings.TrimSpace(cellAt(cells, o.ID)), Date: strings.TrimSpace(cellAt(cells, o.Date)),
	}
	if r.Date == "" && o.Day != 0 {
		r.Date = o.Day.String()
	}
	return r
}

// row is a row of the file, as stored.
type row struct {
	Cells []string `json:"c"`
	// Kinds are the types of the cells. They are nil if all are texts.
	Kinds []table.Kind `json:"k,omitempty"`
}

func cellAt(cells []string, column int) string {
	if column < 0 || column >= len(cells) {
		return ""
	}
	return cells[column]
}
