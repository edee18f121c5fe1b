package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/internal/spelling"
)

// mostPlaceWords is the largest number of words at the end of a text that are read as a place, as in "drobeta turnu
// severin".
const mostPlaceWords = 3

// nameInPlace is a text read as a name and a place.
type nameInPlace struct {
	key    string            // of the name
	within []*roaring.Bitmap // the filters of the query and the firms in the place
}

// splitPlace returns the ways to read the text of a query as a name and a place behind it: "exemplu iasi", "exemplu din
// Cluj". A place is a city or a county, and if a text names both, either.
func (x *Index) splitPlace(q *Query, within []*roaring.Bitmap) (all []nameInPlace) {
	words := strings.Fields(spelling.Fold(q.Text))
	if q.Place == nil || len(words) > maxFuzzyWords {
		return nil
	}

	for n := 1; n <= min(mostPlaceWords, len(words)-1); n++ {
		county, city := q.Place(strings.Join(words[len(words)-n:], " "))
		if county == 0 && city == "" {
			continue
		}

		inCounty := x.docs(string(ofCounty) + strconv.Itoa(county))
		inCity := x.docs(string(ofPlace) + spelling.Fold(city))
		name := strings.Join(words[:len(words)-n], " ")
		name = strings.TrimSuffix(strings.TrimSuffix(name, " din"), " in")
		all = append(all, nameInPlace{spelling.CompanyKey(name), append(slices.Clip(within), union(inCounty, inCity))})
	}

	return all
}
