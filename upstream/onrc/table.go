package onrc

// table is a kind of file in a release.
type table struct {
	// name is its file name without the extension.
	name string
	// needed are the required columns, besides the key.
	needed []string
	// kept are the columns that are stored, besides the key. Other columns, such as the birth data and home addresses
	// of persons, are never written.
	kept []string
	// persons is true if the file names persons.
	persons bool
	// optional is true if a release may lack the file.
	optional bool
}

// keyColumn holds the register number, on which the tables are joined.
const keyColumn = "COD_INMATRICULARE"

// The tables of a release that are read.
var (
	firmTable = &table{
		name: "OD_FIRME",
		needed: []string{"DENUMIRE", "CUI", "DATA_INMATRICULARE", "EUID", "FORMA_JURIDICA", "ADR_JUDET",
			"ADR_LOCALITATE"},
		kept: firmColumns,
	}
	stateTable = &table{
		name: "OD_STARE_FIRMA", needed: []string{"COD"}, kept: []string{"COD"},
	}
	activityTable = &table{
		name:   "OD_CAEN_AUTORIZAT",
		needed: []string{"COD_CAEN_AUTORIZAT", "VER_CAEN_AUTORIZAT"},
		kept:   []string{"COD_CAEN_AUTORIZAT", "VER_CAEN_AUTORIZAT"},
	}
	officerTable = &table{
		name: "OD_REPREZENTANTI_LEGALI", needed: []string{"PERSOANA_IMPUTERNICITA", "CALITATE"},
		kept: []string{"PERSOANA_IMPUTERNICITA", "CALITATE"}, persons: true, optional: true,
	}
	traderTable = &table{
		name: "OD_REPREZENTANTI_IF", needed: []string{"NUME", "CALITATE"},
		kept: []string{"NUME", "CALITATE"}, persons: true, optional: true,
	}
	// tables are in reading order: files with the most personal data come first, so that they are on disk for the
	// shortest time.
	tables = []*table{officerTable, traderTable, firmTable, activityTable, stateTable}
)

// The columns of the main table, as in its parts.
var firmColumns = []string{
	"DENUMIRE", "CUI", keyColumn, "DATA_INMATRICULARE", "EUID", "FORMA_JURIDICA",
	"ADR_TARA", "ADR_JUDET", "ADR_LOCALITATE", "ADR_DEN_STRADA", "ADR_NR_STRADA", "ADR_BLOC", "ADR_SCARA", "ADR_ETAJ",
	"ADR_APARTAMENT", "ADR_COD_POSTAL", "ADR_SECTOR", "ADR_COMPLETARE", "WEB",
}

// The indexes in firmColumns.
const (
	firmName = iota
	firmTaxID
	firmNumber
	firmDay
	firmEUID
	firmForm
	firmCountry
	firmCounty
	firmPlace
	firmStreet
	firmHouse
	firmBlock
	firmStair
	firmFloor
	firmFlat
	firmPostalCode
	firmSector
	firmRest
	firmWeb
	firmWidth
)
