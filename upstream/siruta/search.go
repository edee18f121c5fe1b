package siruta

import (
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/words"
)

// County is the id of a county that is named by id or plate code; false when
// there is none.
func (r *Registry) County(ref api.CountyRef) (id int, ok bool) {
	for _, c := range r.counties {
		if c.ID == ref.ID || c.Code == ref.Code {
			return c.ID, true
		}
	}
	return 0, false
}

// Counties is one page of the counties that a query describes, and their
// number: by name, with a text the best first.
func (r *Registry) Counties(q api.CountyQuery) (page []api.County, total int) {
	within := words.NewSet(len(r.counties))
	for i, c := range r.counties {
		if q.ID == nil || q.ID.Has(api.PlaceID(c.ID)) {
			within.Add(i)
		}
	}
	found := words.Ranked(within)
	if q.Q != "" {
		found = r.countyIndex.Find(string(q.Q), within, false)
	}
	page = []api.County{}
	for _, i := range found.Page(int(q.Limit), int(q.Offset)) {
		page = append(page, r.counties[i])
	}
	return page, found.Len()
}

// Places is one page of the places that a query describes, and their number:
// larger kinds first and then by name, with a text the best first. Counties that
// do not exist have no places.
func (r *Registry) Places(q api.PlaceQuery) (page []api.Place, total int) {
	within := r.within(q)
	found := words.Ranked(within)
	if q.Q != "" {
		found = r.placeIndex.Find(string(q.Q), within, true)
	}
	page = []api.Place{}
	for _, i := range found.Page(int(q.Limit), int(q.Offset)) {
		page = append(page, r.places[i].Place)
	}
	return page, found.Len()
}

// within are the places that fit what a query says beside its text.
func (r *Registry) within(q api.PlaceQuery) words.Set {
	within := r.placeIndex.All()
	if q.ID != nil {
		within = words.NewSet(len(r.places))
		for _, id := range q.ID {
			if i, ok := r.bySIRUTA[int(id)]; ok {
				within.Add(i)
			}
		}
	}
	if q.County != nil {
		counties := words.NewSet(len(r.places))
		for _, ref := range q.County {
			if id, ok := r.County(ref); ok {
				counties.Or(r.placesOfCounty[id])
			}
		}
		within.And(counties)
	}
	return within
}
