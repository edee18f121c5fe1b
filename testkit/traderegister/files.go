package traderegister

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/ro"
)

// Release writes a release of the register to files like the real ones: UTF-8 with a byte order mark, lines that end
// with CRLF, cells separated by carets, no quotes, and the same defects.
type Release struct {
	// Dir is the directory of the files. It is created if missing.
	Dir string
	// Clean omits the defects: every row has the firm's own values.
	Clean bool

	files []*rawFile
	err   error
}

// rawFile is a file being written.
type rawFile struct {
	file *os.File
	w    *bufio.Writer
}

const firmHeader = "DENUMIRE^CUI^COD_INMATRICULARE^DATA_INMATRICULARE^EUID^FORMA_JURIDICA^ADR_TARA^ADR_JUDET^ADR_LOCALITATE^" +
	"ADR_DEN_STRADA^ADR_NR_STRADA^ADR_BLOC^ADR_SCARA^ADR_ETAJ^ADR_APARTAMENT^ADR_COD_POSTAL^ADR_SECTOR^ADR_COMPLETARE^WEB^TARA_FIRMA_MAMA"

// Write writes the files of a release of the firms, and the nomenclature of states.
func (r *Release) Write(firms iter.Seq[Firm]) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}

	main := r.create("od_firme.csv", firmHeader)
	states := r.create("od_stare_firma.csv", "COD_INMATRICULARE^COD")
	activities := r.create("od_caen_autorizat.csv", "COD_INMATRICULARE^COD_CAEN_AUTORIZAT^VER_CAEN_AUTORIZAT")
	officers := r.create("od_reprezentanti_legali.csv",
		"COD_INMATRICULARE^PERSOANA_IMPUTERNICITA^CALITATE^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^LOCALITATE^JUDET^TARA")
	traders := r.create("od_reprezentanti_if.csv",
		"COD_INMATRICULARE^NUME^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^CALITATE")
	r.stateNames()
	if r.err != nil {
		return errors.Join(r.err, r.close())
	}

	i := 0
	for f := range firms {
		r.firm(main, f, i)
		for n, code := range f.States {
			states.row(f.Number, strconv.Itoa(code))
			if n == 0 && i%50 == 0 && !r.Clean {
				states.row("J40/999999/1990", "1048") // no row of the main file has this number
			}
		}

		for _, a := range f.Activities {
			activities.row(f.Number, a.Class, strconv.Itoa(a.Revision))
		}

		for _, p := range f.Persons {
			r.person(officers, traders, f, p, i)
		}

		i++
	}

	return r.close()
}

// firm writes a firm's row of the main file.
func (r *Release) firm(to *rawFile, f Firm, i int) {
	cells := []string{
		f.Name, r.cui(f, i), f.Number, r.day(f.Registered, i), "ROONRC." + f.Number, f.Form,
		"România", county(f.Place), f.Place.Name, f.Street, f.House, f.Block, "", "",
		f.Flat, f.PostalCode, "", "", f.Website, "",
	}

	if n, ok := strings.CutPrefix(f.Place.Name, "Sector "); ok {
		cells[16] = n
		if i%2 == 0 {
			cells[8] = "București Sectorul " + n
		}
	}

	if !r.Clean {
		damage(cells, f, i)
	}

	to.row(cells...)
	if !r.Clean && i%89 == 8 { // some rows are duplicated
		to.row(cells...)
	}
}

// damage gives a row of the main file a defect of the real one.
func damage(cells []string, f Firm, i int) {
	switch {
	case i%101 == 7: // the line breaks in the middle of a cell
		cells[17] = "camera 1,\r\netaj 2"
	case i%103 == 5: // or in the first one
		cells[0] = strings.Replace(cells[0], " ", "\r\n", 1)
	case i%37 == 9: // the key is not clean
		cells[2] = " " + strings.ToLower(cells[2])
	case i%211 == 3 && len(f.Persons) > 0: // an extra cell
		cells[17] = "CNP " + f.Persons[0].CNP
	case i%97 == 4 && cells[18] == "":
		cells[18] = "office@" + strconv.Itoa(i) + ".example"
	}

	if cells[15] != "" && cells[15][0] == '0' {
		cells[15] = cells[15][1:] // as if it were a number
	}
	if cells[18] != "" && i%2 == 0 {
		cells[18] = "HTTP://" + strings.ToUpper(cells[18]) + "/"
	}

	if i%2 == 0 {
		for n := range cells {
			cells[n] = cedillas.Replace(cells[n])
		}
	}
}

var cedillas = strings.NewReplacer("ș", "ş", "ț", "ţ", "Ș", "Ş", "Ț", "Ţ")

// cui returns the tax id of the row. If the firm has none, the real register has nothing, zero, or a personal number.
func (r *Release) cui(f Firm, i int) string {
	switch {
	case f.CUI != 0:
		return f.CUI.String()
	case r.Clean || i%3 == 0:
		return ""
	case i%3 == 1 && len(f.Persons) > 0:
		return f.Persons[0].CNP
	}

	return "0"
}

// day formats a day in one of the register's formats.
func (r *Release) day(d ro.Date, i int) string {
	switch {
	case d == 0:
		return ""
	case i%9 == 8 && !r.Clean:
		return d.UTC().Format("02/01/2006 15:04:05")
	case i%17 == 16 && !r.Clean:
		return d.UTC().Format("02.01.2006")
	}

	return d.UTC().Format("02/01/2006")
}

// person writes a representative's row, with birth data and home, which must not be stored.
func (r *Release) person(officers, traders *rawFile, f Firm, p Person, i int) {
	born, role, birthPlace := p.Born.UTC().Format("02/01/2006"), p.Role, p.BirthPlace
	if !r.Clean {
		switch {
		case i%13 == 5:
			born += " 14:45:06"
		case i%499 == 2:
			role += ", născut la " + p.Born.UTC().Format("02.01.2006")
		case i%307 == 4:
			role += " CNP " + p.CNP
		case i%401 == 6: // the row is split in two
			birthPlace += "\r\n"
		case i%997 == 10: // and a caret in a cell shifts the others
			birthPlace += "^" + p.Home
		}
	}

	home := p.Home
	if !r.Clean && i%2 == 0 {
		role, birthPlace, home = cedillas.Replace(role), cedillas.Replace(birthPlace), cedillas.Replace(home)
	}
	if sole[f.Form] && i%5 == 0 {
		traders.row(f.Number, p.Name, born, birthPlace, "Alba", "România", role)
		return
	}

	officers.row(f.Number, p.Name, role, born, birthPlace, "Alba", "România", home, "Alba", "România")
}

// StateNames are codes of the nomenclature of states with their names.
var StateNames = [][2]string{
	{"1048", "funcțiune"}, {"1049", "dizolvare"}, {"1052", "lichidare"}, {"1057", "reorganizare judiciară"},
	{"1070", "faliment"}, {"1074", "întrerupere temporară de activitate"}, {"1084", "radiată"}, {"1107", "insolvență"},
	{"2069", "sediu expirat"}, {"2120", "perioadă de suspendare activitate expirată"},
}

// stateNames writes the nomenclature of states.
func (r *Release) stateNames() {
	t := r.create("n_stare_firma.csv", "COD^DENUMIRE")
	for _, s := range StateNames {
		t.row(s[0], s[1])
	}
}

// county returns the county's name in the spelling of the main file: Cluj, not CLUJ.
func county(p reference.Place) string {
	return cases.Title(language.Romanian).String(p.CountyName)
}

func (r *Release) create(name, header string) *rawFile {
	file, err := os.Create(filepath.Join(r.Dir, name))
	if err != nil {
		r.err = errors.Join(r.err, err)
		return &rawFile{w: bufio.NewWriter(io.Discard)}
	}

	f := &rawFile{file, bufio.NewWriterSize(file, 1<<20)}
	r.files = append(r.files, f)
	fmt.Fprint(f.w, "\uFEFF", header, "\r\n")
	return f
}

func (f *rawFile) row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			f.w.WriteByte('^')
		}
		f.w.WriteString(cell)
	}

	f.w.WriteString("\r\n")
}

// close closes the files. It returns the first error of any bufio.Writer.
func (r *Release) close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.w.Flush(), f.file.Close())
	}
	return errors.Join(errs...)
}
