package standin

import "github.com/rodata/rodata/testkit/traderegister"

// nomenclatureFiles returns the files of the nomenclature package.
func nomenclatureFiles() []file {
	states := newTable("COD^DENUMIRE")
	for _, s := range traderegister.StateNames {
		states.row(s[0], s[1])
	}

	classes := newTable("SECTIUNEA^SUBSECTIUNEA^DIVIZIUNEA^GRUPA^CLASA^DENUMIRE^VERSIUNE_CAEN")
	for _, a := range activities {
		classes.row(a.section2, "", a.code2[:2], a.code2[:3], a.code2, cedilla(a.name), "2")
		classes.row(a.section3, "", a.code3[:2], a.code3[:3], a.code3, a.name, "3")
	}

	revisions := newTable("COD^DESCRIERE")
	revisions.row("0", "Versiunea 1998")
	revisions.row("1", "Versiunea 2003")
	revisions.row("2", "Versiunea 2008")
	revisions.row("3", "Versiunea 2025")
	return []file{states.file("n_stare_firma.csv"), classes.file("n_caen.csv"), revisions.file("n_versiune_caen.csv")}
}
