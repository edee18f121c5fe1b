package standin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
)

// table is a file of the trade register: UTF-8 with a byte order mark, lines that end with CRLF, cells separated by
// carets, no quotes.
type table struct{ strings.Builder }

func newTable(header string) *table {
	var t table
	t.WriteString("\uFEFF" + header + "\r\n")
	return &t
}

func (t *table) row(cells ...string) { t.WriteString(strings.Join(cells, "^") + "\r\n") }

func (t *table) file(name string) file { return file{name, []byte(t.String())} }

// stray is a row of the main file that belongs to no company, or that duplicates another row. The real files have such
// defects.
type stray struct{ name, cui, register, day, form, status string }

var strays = []stray{
	{"EXEMPLU FĂRĂ DATĂ SRL", "", "J12/9999/1992", "", "SRL", "1084"},
	{"EXEMPLU CU NUMĂR DE PERSOANĂ AF", "1000000000000", "F01/9998/1999", "11/11/1999", "AF", "1084"},
	{"EXEMPLU CU NUMĂR ZERO SRL", "0", "J40/9997/1994", "07/07/1994", "SRL", "1048"},
	{"EXEMPLU CU TVA LA ÎNCASARE FILIALĂ SRL", invented.CUI(4).String(), "J35/9996/1998", "03/03/1998", "SRL", "1084"},
}

// releaseFiles returns the files of a release.
func releaseFiles(companies *register) []file {
	list := append(slices.Clone(companies.companies), companies.omitted)
	return []file{
		firmTable(list).file("od_firme.csv"),
		statusTable(list).file("od_stare_firma.csv"),
		activityTable(list).file("od_caen_autorizat.csv"),
		officerTable(list).file("od_reprezentanti_legali.csv"),
		traderTable(list).file("od_reprezentanti_if.csv"),
		branchTable(list).file("od_sucursale_alte_state_membre.csv"),
	}
}

func firmTable(companies []Company) *table {
	t := newTable("DENUMIRE^CUI^COD_INMATRICULARE^DATA_INMATRICULARE^EUID^FORMA_JURIDICA^ADR_TARA^ADR_JUDET^ADR_LOCALITATE^" +
		"ADR_DEN_STRADA^ADR_NR_STRADA^ADR_BLOC^ADR_SCARA^ADR_ETAJ^ADR_APARTAMENT^ADR_COD_POSTAL^ADR_SECTOR^ADR_COMPLETARE^WEB^TARA_FIRMA_MAMA")
	for i := range companies {
		c := &companies[i]
		t.row(c.firmRow()...)
		if c.index == 9 { // some rows are duplicated
			t.row(c.firmRow()...)
		}
	}

	for _, s := range strays {
		t.row(s.name, s.cui, s.register, s.day, "ROONRC."+s.register, s.form, "România", "Cluj", "Cluj-Napoca",
			"", "", "", "", "", "", "", "", "", "", "")
	}

	return t
}

// firmRow returns a company's row of the main file, in the order of its header.
func (c *Company) firmRow() []string {
	p := c.seat
	row := []string{
		c.firmName(), c.firmCUI(), c.RegisterNumber, c.firmDay(), "ROONRC." + c.RegisterNumber, c.Form, "România",
		p.county, p.name,
		c.street, c.number, "", "", "", "", p.postal, "", "", c.Website, "",
	}
	if c.details() != "" {
		row[11], row[12], row[13], row[14] = "B2", "A", "PARTER", "12"
	}

	if p.kind == "sector" {
		row[16] = p.anaf
		if c.index%2 == 0 {
			row[8] = "București Sectorul " + p.anaf
		}
	}

	if c.abroad {
		row[6], row[7], row[8], row[19] = "Olanda", "", "Amsterdam", "Olanda"
	}

	switch {
	case c.index%29 == 4: // the line breaks in the middle of a cell
		row[17] = "camera 1,\r\netaj 2"
	case c.index%31 == 9: // the key has a space and lower case
		row[2] = " " + strings.ToLower(c.RegisterNumber)
	}

	if c.index%2 == 0 { // the others have comma-below diacritics
		for i := range row {
			row[i] = cedilla(row[i])
		}
	}

	return row
}

func (c *Company) firmName() string {
	if c.index%13 == 4 {
		return `"` + c.Name + `" ` + forms[c.Form].short
	}
	return c.Name + " " + forms[c.Form].short
}

// firmCUI returns the number in the company's row. Most sole traders have none.
func (c *Company) firmCUI() string {
	switch {
	case forms[c.Form].letter != 'F' || c.index%3 == 2:
		return c.CUI.String()
	case c.index%3 == 1:
		return "0"
	}

	return ""
}

// firmDay returns the day of registration in one of the formats of the register.
func (c *Company) firmDay() string {
	switch day := c.Registered.UTC(); {
	case c.index%16 == 15:
		return ""
	case c.index%9 == 8:
		return day.Format("02/01/2006 15:04:05")
	case c.index%17 == 16:
		return day.Format("02.01.2006")
	default:
		return day.Format("02/01/2006")
	}
}

func statusTable(companies []Company) *table {
	t := newTable("COD_INMATRICULARE^COD")
	for _, c := range companies {
		for _, code := range wordings[c.State].codes {
			t.row(c.RegisterNumber, code)
		}
	}

	for _, s := range strays {
		t.row(s.register, s.status)
	}

	t.row("J40/9995/2003", "1048") // no row of the main file has this number
	return t
}

// activityTable returns the authorised activities of companies, in the revision that was in force at their
// registration, without the main activity.
func activityTable(companies []Company) *table {
	t := newTable("COD_INMATRICULARE^COD_CAEN_AUTORIZAT^VER_CAEN_AUTORIZAT")
	for _, c := range companies {
		if c.Registered < ro.NewDate(2025, 1, 1) {
			t.row(c.RegisterNumber, c.activity.code2, "2")
		}

		if !wordings[c.State].ended {
			second := activities[(slices.Index(activities, c.activity)+1)%len(activities)]
			t.row(c.RegisterNumber, second.code3, "3")
			t.row(c.RegisterNumber, c.activity.code3, "3")
		}
	}

	return t
}

// givenNames are combined with the surname EXEMPLU, because no real person has that name.
var givenNames = []string{"ANA", "DAN", "IOANA", "MIHAI", "ȘTEFANIA", "VASILE", "ZOE"}

func (c *Company) person(n int) string {
	return "EXEMPLU " + givenNames[(c.index+n)%len(givenNames)]
}

// officerTable returns the representatives of companies. Like the real file, it includes birth data, here invented, to
// show that readers omit it.
func officerTable(companies []Company) *table {
	t := newTable("COD_INMATRICULARE^PERSOANA_IMPUTERNICITA^CALITATE^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^LOCALITATE^JUDET^TARA")
	for i := range companies {
		c := &companies[i]
		if forms[c.Form].letter == 'F' {
			continue
		}

		p := c.seat
		t.row(c.RegisterNumber, cedilla(c.person(0)), "administrator", fmt.Sprintf("%02d/01/1900", 1+c.index%28),
			cedilla(p.name), cedilla(p.county), "România", cedilla(p.name), cedilla(p.county), "România")
		switch c.State {
		case Liquidating, Bankrupt:
			t.row(c.RegisterNumber, "EXEMPLU INSOLVENCY SPRL", "lichidator judiciar", "", "", "", "", cedilla(p.name),
				cedilla(p.county), "România")
		case Insolvent, Reorganizing:
			t.row(c.RegisterNumber, "EXEMPLU INSOLVENCY SPRL", "administrator judiciar", "", "", "", "",
				cedilla(p.name), cedilla(p.county), "România")
		}

		if c.Form == "SA" {
			t.row(c.RegisterNumber, cedilla(c.person(3)), "director general", "02/02/1900 14:45:06", "", "", "",
				"București", "București", "România")
			t.row(c.RegisterNumber, "EXEMPLU HOLDING B.V.", "membru în consiliul de administrație", "", "", "", "",
				"Amsterdam", "", "Olanda")
		}
	}

	return t
}

func traderTable(companies []Company) *table {
	t := newTable("COD_INMATRICULARE^NUME^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^CALITATE")
	for i := range companies {
		if c := &companies[i]; forms[c.Form].letter == 'F' {
			t.row(c.RegisterNumber, c.person(0), "03/03/1900", c.seat.name, c.seat.county, "România", "titular")
		}
	}

	return t
}

func branchTable(companies []Company) *table {
	t := newTable("COD_INMATRICULARE^TIP_UNITATE^DENUMIRE_SUCURSALA^EUID^COD_FISCAL^TARA")
	t.row(companies[0].RegisterNumber, "sucursala", "EXEMPLU BRANCH", "HUOCCSZ.00-00-000000", "00000000-0-00",
		"Ungaria")
	return t
}
