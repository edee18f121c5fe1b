package search

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// oracle answers queries by examining every firm.
type oracle []known

// known is a firm with the data that queries examine.
type known struct {
	Firm
	key   string
	typed []string // the words of the key in their order
	words []string // the distinct words, in both spellings

	statement *statement // nil if there is none
}

func newOracle(t *testing.T, n int) (o oracle) {
	for f, err := range invented(n) {
		testkit.NoError(t, err)

		key := spelling.CompanyKey(f.Name)
		o = append(o, known{Firm: f, key: key, typed: strings.Fields(key), words: nameWords(f.Name, key)})
	}

	slices.SortStableFunc(o, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Number, b.Number))
	})
	return o
}

// search returns the register numbers of all matches in order.
func (o oracle) search(q Query) (numbers []string) {
	var found []ranked
	for doc, tier := range o.tiers(q) {
		if o[doc].passesFigures(q) {
			found = append(found, ranked{doc, tier})
		}
	}

	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(o.compare(q, a, b), cmp.Compare(a.doc, b.doc))
	})
	if q.Direction == "desc" && (q.Sort == "name" || q.Sort == "" && q.Text == "") {
		slices.Reverse(found)
	}

	for _, f := range found {
		numbers = append(numbers, o[f.doc].Number)
	}

	return numbers
}

type ranked struct{ doc, tier int }

func (o oracle) compare(q Query, a, b ranked) int {
	turn := 1
	if q.Direction == "desc" {
		turn = -1
	}

	by := func(key func(known) int64) int {
		left, right := key(o[a.doc]), key(o[b.doc])
		if left == 0 || right == 0 {
			return cmp.Compare(b2i(left == 0), b2i(right == 0))
		}
		if left == right {
			return turn * cmp.Compare(a.doc, b.doc)
		}

		return turn * cmp.Compare(left, right)
	}
	if figure, ok := q.Sort.Figure(); ok {
		left, right := o[a.doc].figure(figure), o[b.doc].figure(figure)
		if left == nil || right == nil {
			return cmp.Compare(b2i(left == nil), b2i(right == nil))
		}
		return turn * cmp.Or(cmp.Compare(*left, *right), cmp.Compare(a.doc, b.doc))
	}

	switch {
	case q.Sort == "registrationDate":
		return by(func(k known) int64 { return int64(k.Registered) })
	case q.Sort == "taxId":
		return by(func(k known) int64 { return int64(k.TaxID) })
	case q.Sort == "relevance" || q.Sort == "" && q.Text != "":
		return cmp.Or(cmp.Compare(b2i(o[a.doc].TaxID == 0), b2i(o[b.doc].TaxID == 0)), cmp.Compare(a.tier, b.tier),
			cmp.Compare(b2i(o[a.doc].State != company.InOperation), b2i(o[b.doc].State != company.InOperation)))
	}

	return 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tiers returns the tier of each doc that matches.
func (o oracle) tiers(q Query) map[int]int {
	named, found := map[int]int{}, map[int]int{}
	for doc, k := range o {
		if !k.passes(q) {
			continue
		}

		switch {
		case q.Text == "":
			found[doc] = 0
		case k.isNamed(q.Text):
			named[doc] = 0
		}
	}

	if q.Text == "" {
		return found
	}

	key := spelling.CompanyKey(q.Text)
	other, _ := vowelVariant(q.Text)
	ways := []func(k known) (int, bool){
		func(k known) (int, bool) { return k.matches(key) },
		func(k known) (int, bool) { return k.matches(spelling.WithoutPartialForm(key)) },
		func(k known) (int, bool) { return k.matches(spelling.CompanyKey(other)) },
		func(k known) (int, bool) { return k.forgives(spelling.JoinInitials(key), 1) },
		func(k known) (int, bool) { return k.forgives(spelling.JoinInitials(key), 2) },
	}
	for _, way := range ways {
		for doc, k := range o {
			if !k.passes(q) {
				continue
			}
			if tier, ok := way(k); ok {
				found[doc] = tier
			}
		}

		for doc := range named {
			found[doc] = 0
		}
		if len(found) > 0 {
			break
		}
	}

	return found
}

func (k known) passes(q Query) bool {
	classes := k.Codes
	if k.Main != "" {
		classes = []string{"3:" + k.Main}
	}

	place := spelling.Fold(q.City)
	other, _ := vowelVariant(k.City)
	state := cmp.Or(k.State, company.UnknownState)
	return (len(q.States) == 0 || slices.Contains(q.States, state)) && (q.County == 0 || q.County == k.County) &&
		(q.SeatExpired == "" || (q.SeatExpired == ro.Yes) == k.SeatExpired) &&
		(place == "" || place == spelling.Fold(k.City) || place == spelling.Fold(other) || place == "bucuresti" &&
			k.County == 40) &&
		(q.Class == "" || slices.ContainsFunc(classes,
			func(code string) bool { return code[2:] == string(q.Class) })) &&
		(q.Industry == "" || slices.ContainsFunc(classes, func(code string) bool {
			return code[0] >= '2' && (code[2:4] == string(q.Industry[:min(2, len(q.Industry))]) ||
				section(code[2:4]) == string(q.Industry))
		})) &&
		(len(q.Industry) != groupLength || slices.ContainsFunc(classes, func(code string) bool {
			return code[2:5] == string(q.Industry)
		}))
}

// figure returns a figure in the firm's statement, or nil.
func (k known) figure(f company.Figure) *int64 {
	if k.statement == nil || k.statement.absent {
		return nil
	}
	return k.statement.figures[f]
}

func (k known) passesFigures(q Query) bool {
	for i, within := range q.Ranges {
		value := k.figure(company.Figure(i))
		if (within.Min != nil || within.Max != nil) && value == nil ||
			within.Min != nil && *value < *within.Min || within.Max != nil && *value > *within.Max {
			return false
		}
	}

	return q.Statement == "" || k.statement != nil && k.statement.absent == (q.Statement == company.StatementNotInFiles)
}

func (k known) isNamed(text string) bool {
	number, ok := tradenumber.Parse(text)
	own, _ := tradenumber.Parse(k.Number)
	digits := strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(text, ".0"), " ", "")), "ro")
	return ok && number.Key() == own.Key() || k.TaxID != 0 && digits == k.TaxID.String()
}

// lowestTier is the tier of matches that are in none of the ranked sets.
const lowestTier = 7

// matches returns the tier in which a firm matches a key without typing errors, from 1 on. An abbreviation matches as
// one word, and behind that as letters.
func (k known) matches(key string) (tier int, ok bool) {
	if tier, ok = k.matchesWords(spelling.JoinInitials(key)); ok && tier < lowestTier {
		return tier, true
	}
	if letters, also := k.matchesWords(key); also {
		return lowestTier + letters, true
	}
	return 2 * lowestTier, ok
}

func (k known) matchesWords(key string) (tier int, ok bool) {
	typed := strings.Fields(key)
	if len(typed) == 0 {
		return 0, false
	}

	begun, whole := k.holds(typed, false), k.holds(typed, true)
	switch {
	case k.key == key:
		return 1, true
	case strings.Join(k.typed, "") == strings.Join(typed, ""):
		return 2, true
	case whole && len(appendNew(nil, key)) == len(appendNew(nil, k.key)):
		return 3, true
	case begun && strings.HasPrefix(k.key, key), k.joinedOrSplit(typed) && strings.HasPrefix(k.key, key):
		return 4, true
	case whole:
		return 5, true
	case begun:
		return 6, true
	case k.joinedOrSplit(typed):
		return lowestTier, true
	}

	return 0, false
}

// holds reports whether a firm has all words. Unless whole is set, the last word may be incomplete.
func (k known) holds(typed []string, whole bool) bool {
	for i, word := range typed {
		if !slices.ContainsFunc(k.words, func(w string) bool {
			return w == word || !whole && i == len(typed)-1 && strings.HasPrefix(w, word)
		}) {
			return false
		}
	}

	return true
}

func (k known) joinedOrSplit(typed []string) bool {
	if len(typed) > 8 {
		return false
	}

	for i, word := range typed {
		rest := slices.Delete(slices.Clone(typed), i, i+1)
		// The last word of the text keeps its position, because it may be incomplete.
		if i == len(typed)-1 && k.hasPair(word) && k.holds(rest, true) || i < len(typed)-1 && k.hasPair(word) &&
			k.holds(rest, false) {
			return true
		}

		if i > 0 {
			joined := slices.Concat(typed[:i-1], []string{typed[i-1] + word}, typed[i+1:])
			if k.holds(joined, false) {
				return true
			}
		}
	}

	return false
}

func (k known) hasPair(word string) bool {
	for i := 1; i < len(k.typed); i++ {
		if k.typed[i-1]+k.typed[i] == word {
			return true
		}
	}

	return false
}

// forgives returns the tier in which a firm matches a key with a number of typing errors.
func (k known) forgives(key string, errors int) (tier int, ok bool) {
	typed := strings.Fields(key)
	if len(typed) == 0 || len(typed) > 8 || !k.near(typed, errors) {
		return 0, false
	}

	switch {
	case k.isCorrected(typed, errors):
		return 1, true
	case len(appendNew(nil, key)) == len(appendNew(nil, k.key)):
		return 2, true
	}

	return 3, true
}

// isCorrected reports whether a name consists of the typed words in their order, with one of them corrected.
func (k known) isCorrected(typed []string, errors int) bool {
	wrong := 0
	for i, word := range typed {
		switch {
		case len(typed) == 1, len(typed) != len(k.typed):
			return false
		case word == k.typed[i]:
		case isNear(word, k.typed[i], errors):
			wrong++
		default:
			return false
		}
	}

	return wrong == 1
}

func isNear(typed, word string, errors int) bool {
	return isForgivable(typed, uint8(errors)) && distance(typed, word) <= errors && (errors < 2 || typed[0] == word[0])
}

func (k known) near(typed []string, errors int) bool {
	for i := range typed {
		if k.nearWith(typed, []int{i}, errors) {
			return true
		}

		for j := range i {
			if errors == 2 && k.nearWith(typed, []int{j, i}, 1) {
				return true
			}
		}
	}

	return false
}

// nearWith reports whether a firm has all words, if the words at the given positions may have errors.
func (k known) nearWith(typed []string, wrong []int, errors int) bool {
	for i, word := range typed {
		has := func(w string) bool { return w == word || i == len(typed)-1 && strings.HasPrefix(w, word) }
		if slices.Contains(wrong, i) {
			has = func(w string) bool { return isNear(word, w, errors) }
		}
		if !slices.ContainsFunc(k.words, has) {
			return false
		}
	}

	return true
}

// distance counts the errors between two words: missing, extra or wrong letters, and swapped neighbouring letters
// (optimal string alignment).
func distance(left, right string) int {
	a, b := []rune(left), []rune(right)
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}

	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
			case j == 0:
				rows[i][j] = i
			default:
				rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+b2i(a[i-1] != b[j-1]))
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}

	return rows[len(a)][len(b)]
}
