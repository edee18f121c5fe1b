package standin

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/rodata/rodata/internal/tsv"
)

//go:embed places.tsv
var placesTSV string

// place is a real locality in which invented companies have their registered offices. Its name is spelled as in SIRUTA,
// with comma-below diacritics. Its codes come from the tax authority's nomenclature of localities.
type place struct {
	plate   string // car plate code of the county
	code    string // county number at the tax authority and in register numbers
	county  string
	kind    string // municipality, town, village or sector
	name    string
	commune string // of a village
	anaf    string // the tax authority's code of the locality, within its county
	postal  string
}

// readPlaces reads the places: two for each county and Bucharest's six sectors.
func readPlaces() ([]place, error) {
	rows, err := tsv.Rows(placesTSV, "plate", "code", "county", "kind", "name", "commune", "anaf", "postal")
	if err != nil {
		return nil, fmt.Errorf("reading places.tsv: %w", err)
	}

	var places []place
	for _, c := range rows {
		places = append(places, place{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]})
	}

	return places, nil
}

// locality returns the place's name in the tax authority's structured address.
func (p place) locality() string {
	switch p.kind {
	case "municipality":
		return "Mun. " + p.name
	case "town":
		return "Orș. " + p.name
	case "village":
		return "Sat " + p.name + " Com. " + p.commune
	}

	return p.name + " Mun. București"
}

// countyName returns the county's name in the tax authority's address.
func (p place) countyName() string {
	if p.kind == "sector" {
		return "MUNICIPIUL BUCUREȘTI"
	}
	return strings.ToUpper(p.county)
}

// line returns the start of the tax authority's address line.
func (p place) line() string {
	if p.kind == "sector" {
		return "MUNICIPIUL BUCUREȘTI, " + strings.ToUpper(p.name)
	}
	return "JUD. " + p.countyName() + ", " + strings.ToUpper(p.locality())
}

// taxOffice returns the tax office of companies in the place.
func (p place) taxOffice() string {
	if p.kind == "sector" {
		return "Administrația " + p.name + " a Finanțelor Publice"
	}
	return "Administrația Județeană a Finanțelor Publice " + p.county
}

// cedilla replaces ș and ț with the cedilla forms, as both registers mostly do.
func cedilla(text string) string { return cedillas.Replace(text) }

var cedillas = strings.NewReplacer("ș", "ş", "ț", "ţ", "Ș", "Ş", "Ț", "Ţ")
