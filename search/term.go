package search

import (
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
)

// A term is a key under which docs are indexed: the letter of a field and a text. These are the fields. Their letters
// define the order of the lexicon: words come after all other fields, and prefixes after words.
const (
	ofClass    = 'a' // 4 digits of a CAEN class
	ofCounty   = 'c' // number of the county
	ofDivision = 'd' // 2 digits of a CAEN division
	ofSeat     = 'e' // true or false: whether the right to use the registered office has expired
	ofLength   = 'l' // number of distinct words in the name
	ofPlace    = 'p' // folded name of the place
	ofState    = 's' // state of registration
	ofSection  = 't' // letter of a CAEN section
	ofWord     = 'w' // a word of the name
	ofPrefix   = 'x' // the common prefix of many words: prefix.go
)

// Numbers of digits of CAEN codes.
const (
	divisionLength = 2
	groupLength    = 3
)

// bucharest is the county of Bucharest. Its places are sectors, but people call all of them Bucharest.
const bucharest = 40

// terms calls add once for each term of a firm.
func (f *Firm) terms(key string, add func(field byte, text string)) {
	named := nameWords(f.Name, key)
	for _, word := range named {
		add(ofWord, word)
	}

	add(ofLength, strconv.Itoa(len(appendNew(nil, key))))
	add(ofState, string(f.State))
	add(ofSeat, strconv.FormatBool(f.SeatExpired))
	if f.County != 0 {
		add(ofCounty, strconv.Itoa(f.County))
	}

	if place := spelling.Fold(f.City); place != "" {
		add(ofPlace, place)
		if other, ok := vowelVariant(f.City); ok {
			add(ofPlace, spelling.Fold(other))
		}
	}

	if f.County == bucharest {
		add(ofPlace, "bucuresti")
	}

	f.activityTerms(add)
}

// activityTerms adds the main activity or, if it is unknown, all authorised activities. It adds divisions and
// sections only for Rev.3 and Rev.2, because these revisions use the same numbers. Earlier revisions used the numbers
// for other activities.
func (f *Firm) activityTerms(add func(field byte, text string)) {
	codes := f.Codes
	if f.Main != "" {
		codes = []string{f.Main}
	}

	var seen [3]string // the added terms, each after a space
	once := func(i int, field byte, text string) {
		if !strings.Contains(seen[i], " "+text) {
			seen[i] += " " + text
			add(field, text)
		}
	}

	for _, code := range codes {
		revision, class, ok := strings.Cut(code, ":")
		if !ok {
			revision, class = "", code
		}
		if len(class) != 4 {
			continue
		}

		once(0, ofClass, class)
		if section := section(class[:2]); section != "" && revision != "0" && revision != "1" {
			once(1, ofDivision, class[:2])
			once(2, ofSection, section)
		}
	}
}

// section returns the letter of the CAEN Rev.3 section of a division; division 45 of Rev.2 counts as trade. It is empty
// for an unknown division.
func section(division string) string {
	const starts = "01A05B10C35D36E41F45G49H55I58J61K64L68M69N77O84P85Q86R90S94T97U99V"
	last := ""
	for i := 0; i < len(starts) && starts[i:i+2] <= division; i += 3 {
		last = starts[i+2 : i+3]
	}

	return last
}

// filters returns the filters of the query. A filter is a list of terms, of which a firm must have at least one.
func (q *Query) filters() (all [][]string) {
	if q.County != 0 {
		all = append(all, []string{string(ofCounty) + strconv.Itoa(q.County)})
	}
	if q.City != "" {
		all = append(all, []string{string(ofPlace) + spelling.Fold(q.City)})
	}
	if q.Class != "" {
		all = append(all, []string{string(ofClass) + string(q.Class)})
	}

	switch {
	case len(q.Industry) >= divisionLength: // the classes of a group are in its division
		all = append(all, []string{string(ofDivision) + string(q.Industry[:divisionLength])})
	case q.Industry != "":
		all = append(all, []string{string(ofSection) + string(q.Industry)})
	}

	if len(q.Industry) == groupLength { // there are no terms for groups, which have up to ten classes
		var classes []string
		for last := '0'; last <= '9'; last++ {
			classes = append(classes, string(ofClass)+string(q.Industry)+string(last))
		}

		all = append(all, classes)
	}

	if len(q.States) > 0 {
		var states []string
		for _, state := range q.States {
			states = append(states, string(ofState)+string(state))
			if state == company.UnknownState { // as are firms without a state
				states = append(states, string(ofState))
			}
		}

		all = append(all, states)
	}

	if q.SeatExpired != "" {
		all = append(all, []string{string(ofSeat) + string(q.SeatExpired)})
	}

	return all
}

// operating is the term of the companies in operation.
const operating = string(ofState) + string(company.InOperation)
