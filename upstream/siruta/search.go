package siruta

import (
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/search/words"
)

// County returns the number of the county in a reference: by its name or plate code, as people write them, or by its
// number. For an unknown county, the number is 0, and nearest is the most similar name, or empty if the reference is a
// number. A sector is not a county: its nearest is Bucharest.
func (r *Registry) County(ref reference.CountyRef) (number int, nearest string) {
	text := strings.TrimSpace(string(ref))
	if number, err := strconv.Atoi(text); err == nil {
		if strconv.Itoa(number) != text { // a leading zero
			return 0, ""
		}

		c, _ := r.CountyOf(number)
		return c.ID, ""
	}

	c, ok := county.Parse(text)
	switch {
	case !ok:
		near, _ := county.Nearest(text)
		return 0, strings.ToUpper(near.Name)
	case county.Sector(text) != "":
		return 0, strings.ToUpper(c.Name)
	}

	return c.Number, ""
}

// CountyOf returns the county with a number. It reports false if there is none.
func (r *Registry) CountyOf(id int) (reference.County, bool) {
	for _, c := range r.counties {
		if c.ID == id {
			return c, true
		}
	}

	return reference.County{}, false
}

// Counties returns a page of the counties that match a query, and their total number. They are ordered by name or, if
// the query has a text, with the best match first.
func (r *Registry) Counties(q reference.CountyQuery) (page []reference.County, total int) {
	within := words.NewSet(len(r.counties))
	for i, c := range r.counties {
		if q.ID == nil || q.ID.Has(reference.PlaceID(c.ID)) {
			within.Set(uint(i))
		}
	}

	found := r.countyIndex.Find(string(q.Q), within, false)
	if id, _ := r.County(reference.CountyRef(q.Q)); found.Len() == 0 && id != 0 { // RO-CJ, Cluj County
		c, _ := r.CountyOf(id)
		found = r.countyIndex.Find(c.Name, within, false)
	}

	page = []reference.County{}
	for _, i := range found.Page(int(q.Limit), int(q.Offset)) {
		page = append(page, r.counties[i])
	}

	return page, found.Len()
}

// Places returns a page of the places that match a query, and their total number. Larger kinds come first, and each
// kind is ordered by name. If the query has a text, the best match comes first instead. Unknown counties have no
// places.
func (r *Registry) Places(q reference.PlaceQuery) (page []reference.Place, total int) {
	within := r.within(q)
	found := r.placeIndex.Find(expandAbbreviations(string(q.Q)), within, true)
	page = []reference.Place{}
	for _, i := range found.Page(int(q.Limit), int(q.Offset)) {
		page = append(page, r.places[i].Place)
	}

	return page, found.Len()
}

// within returns the places that pass the filters of a query.
func (r *Registry) within(q reference.PlaceQuery) words.Set {
	within := r.placeIndex.All()
	if q.ID != nil {
		within = words.NewSet(len(r.places))
		for _, id := range q.ID {
			if i, ok := r.bySIRUTA[int(id)]; ok {
				within.Set(uint(i))
			}
		}
	}

	if q.County != nil {
		counties := words.NewSet(len(r.places))
		for _, ref := range q.County {
			if id, _ := r.County(ref); id != 0 {
				counties.InPlaceUnion(r.placesOfCounty[id])
			}
		}

		within.InPlaceIntersection(counties)
	}

	return within
}
