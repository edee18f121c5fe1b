package upload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/problem"
)

// Names of columns, in the form of plain. Many tables use weakNames for VAT amounts and flags; they count only if no
// other column has the name of a tax id. weakDateNames count only if there is no column of dateNames.
var (
	idNames = []string{"cui", "cif", "taxid", "codfiscal", "codulfiscal", "coduniccui", "codunic",
		"codunicdeinregistrare", "codinregistrarefiscala", "coddeinregistrarefiscala", "codidentificarefiscala",
		"coddeidentificarefiscala", "codtva", "cuicif", "cifcui", "cuicnp", "cifcnp", "vatid", "vatnumber", "vatno",
		"taxnumber", "taxno", "fiscalcode"}
	weakNames = []string{"vat", "tva"}
	dateNames = []string{"data", "datafacturii", "datafactura", "datafact", "datadocumentului", "datadocument",
		"datadoc", "dataemiterii", "dataemitere", "dataemiteriifacturii", "datafacturarii", "datafacturare", "date",
		"invoicedate", "documentdate", "docdate", "issuedate", "dateofissue"}
	weakDateNames = []string{"datatranzactiei", "datatranzactie", "dataoperatiunii", "dataoperatiune", "datalivrarii",
		"datalivrare", "dataachizitiei", "dataachizitie", "databonului", "databon", "transactiondate",
		"deliverydate", "receiptdate"}
	referenceNames = []string{"reference", "ref", "referinta", "codpartener", "codfurnizor", "codclient", "partnerid",
		"supplierid", "customerid"}
	// parties may stand before or after the name of a tax id, as in CUI furnizor.
	parties = []string{"furnizor", "furnizorului", "client", "clientului", "partener", "partenerului", "firma",
		"firmei", "societate", "societatii", "companie", "companiei", "beneficiar", "beneficiarului", "emitent",
		"emitentului", "cumparator", "cumparatorului", "vanzator", "vanzatorului", "supplier", "customer", "partner",
		"company", "vendor"}
)

func namesID(column string) bool {
	name := plain(column)
	if slices.Contains(idNames, name) {
		return true
	}

	return slices.ContainsFunc(parties, func(party string) bool {
		before, isBefore := strings.CutPrefix(name, party)
		after, isAfter := strings.CutSuffix(name, party)
		return isBefore && slices.Contains(idNames, before) || isAfter && slices.Contains(idNames, after)
	})
}

func mayName(column string) bool { return slices.Contains(weakNames, plain(column)) }

func namesDate(column string) bool { return slices.Contains(dateNames, plain(column)) }

func mayNameDate(column string) bool { return slices.Contains(weakDateNames, plain(column)) }

func namesReference(column string) bool { return slices.Contains(referenceNames, plain(column)) }

// plain folds a name to plain letters and digits.
func plain(name string) string { return strings.ReplaceAll(spelling.Fold(name), " ", "") }

// checkNames refuses names that are too long.
func checkNames(names []string) error {
	for i, name := range names {
		if len(name) > maxName && utf8.RuneCountInString(name) > maxName {
			return refuse(problem.TooLong, fmt.Sprintf("names of columns of at most %d characters", maxName),
				"the name of column %s has more than %d characters; name the columns in the first row of the table",
				shownColumn(strconv.Itoa(i+1)), maxName)
		}
	}

	return nil
}

func tooWide(row int) error {
	return refuse(problem.TooMany, fmt.Sprintf("at most %d columns", maxColumns),
		"row %d of the table has more than %d columns", rowNumber(row), maxColumns)
}

// quoteNames quotes the first names of a row.
func quoteNames(names []string) string {
	shown := make([]string, 0, 10)
	for _, name := range names[:min(len(names), cap(shown))] {
		shown = append(shown, problem.Quoted(name))
	}
	return strings.Join(shown, ", ")
}

// unique returns distinct names for columns. An empty name becomes the column's number, and a repeated name gets a
// number appended.
func unique(names []string) []string {
	all := make([]string, len(names))
	seen := make(map[string]bool, len(names))
	next := make(map[string]int)
	for i, name := range names {
		name = strings.TrimSpace(strings.ToValidUTF8(name, ""))
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}

		all[i] = name
		for seen[all[i]] {
			next[name]++
			all[i] = fmt.Sprintf("%s (%d)", name, next[name]+1)
		}

		seen[all[i]] = true
	}

	return all
}
