package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

var nameKey = spelling.CompanyKey

// kind is a kind of query, about one firm or many.
type kind struct {
	name string
	make func(r *rand.Rand, f Firm) Query
	// means is set for queries that refer to a single firm.
	means bool
	// worst is set for deliberately slow queries. All other kinds are a typical mix.
	worst bool
}

func text(of func(r *rand.Rand, f Firm) string) func(*rand.Rand, Firm) Query {
	return func(r *rand.Rand, f Firm) Query { return Query{Text: of(r, f), Limit: 25} }
}

var kinds = []kind{
	{"name", text(func(_ *rand.Rand, f Firm) string { return f.Name }), true, false},
	{"name without form", text(func(_ *rand.Rand, f Firm) string { return nameKey(f.Name) }), true, false},
	{"name with another form", text(func(_ *rand.Rand, f Firm) string { return "sc " + nameKey(f.Name) + " s.a." }),
		true, false},
	{"in cedillas", text(func(_ *rand.Rand, f Firm) string { return strings.ToLower(cedillas.Replace(f.Name)) }), true,
		false},
	{"in another spelling", text(func(_ *rand.Rand, f Firm) string {
		other, _ := vowelVariant(f.Name)
		return cmp.Or(other, f.Name)
	}), true, false},
	{"all but the end", text(func(_ *rand.Rand, f Firm) string {
		key := nameKey(f.Name)
		return key[:len(key)-len(key)/6]
	}), true, false},
	{"words reordered", text(reordered), true, false},
	{"one word", text(func(r *rand.Rand, f Firm) string { return pick(r, strings.Fields(nameKey(f.Name))) }), false,
		false},
	{"prefix", text(func(r *rand.Rand, f Firm) string { return begin(r, nameKey(f.Name), 2) }), false, false},
	{"begun form", text(func(_ *rand.Rand, f Firm) string { return nameKey(f.Name) + " s r" }), true, false},
	{"joined", text(func(_ *rand.Rand, f Firm) string { return strings.Replace(nameKey(f.Name), " ", "", 1) }), true,
		false},
	{"split", text(split), true, false},
	{"typo", text(func(r *rand.Rand, f Firm) string { return mistyped(r, nameKey(f.Name)) }), true, false},
	{"two typos", text(func(r *rand.Rand, f Firm) string { return mistyped(r, mistyped(r, nameKey(f.Name))) }), false,
		false},
	{"nonsense", text(func(r *rand.Rand, _ Firm) string {
		return fmt.Sprintf("%cqxw%cvq jx%ckwq", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)))
	}), false, false},
	{"tax id", text(func(_ *rand.Rand, f Firm) string { return fmt.Sprint(f.TaxID) }), true, false},
	{"tax id with RO", text(func(_ *rand.Rand, f Firm) string { return fmt.Sprintf("RO %d", f.TaxID) }), true, false},
	{"tax id of a spreadsheet", text(func(_ *rand.Rand, f Firm) string { return fmt.Sprintf("%d.0", f.TaxID) }), true,
		false},
	{"register number", text(func(_ *rand.Rand, f Firm) string { return f.Number }), true, false},
	{"register number respelled", text(func(_ *rand.Rand, f Firm) string { return otherSpelling(f.Number) }), true,
		false},
	{"county", func(_ *rand.Rand, f Firm) Query { return Query{County: f.County, Limit: 25} }, false, false},
	{"city by date", func(_ *rand.Rand, f Firm) Query {
		return Query{City: strings.ToLower(f.City), County: f.County, Sort: "registrationDate", Direction: "desc",
			Limit: 25}
	}, false, false},
	{"activity", func(r *rand.Rand, f Firm) Query { return Query{Class: class(f), Limit: 25, Offset: r.IntN(50)} },
		false, false},
	{"activity in county by tax id", func(r *rand.Rand, f Firm) Query {
		return Query{Class: class(f), County: f.County, Sort: "taxId", Limit: 25}
	}, false, false},
	{"name in county", func(r *rand.Rand, f Firm) Query {
		return Query{Text: pick(r, strings.Fields(nameKey(f.Name))), County: f.County, Limit: 25}
	}, false, false},
	{"name in industry by name", func(r *rand.Rand, f Firm) Query {
		return Query{Text: begin(r, nameKey(f.Name), 3), Industry: industry(r, f), Sort: "name", Direction: "desc",
			Limit: 25}
	}, false, false},
	{"state", func(r *rand.Rand, f Firm) Query {
		return Query{States: states(r, f), Limit: 25, Offset: r.IntN(50)}
	}, false, false},
	{"seat expired", func(r *rand.Rand, _ Firm) Query {
		return Query{SeatExpired: ro.Yes, Limit: 25, Offset: r.IntN(50)}
	}, false, false},
	{"name with a seat", func(r *rand.Rand, f Firm) Query {
		return Query{Text: pick(r, strings.Fields(nameKey(f.Name))), SeatExpired: pick(r, []ro.YesNo{ro.Yes, ro.No}),
			Limit: 25}
	}, false, false},
	{"states in county by date", func(r *rand.Rand, f Firm) Query {
		return Query{States: states(r, f), County: f.County, Sort: "registrationDate", Limit: 25}
	}, false, false},
	{"name in states", func(r *rand.Rand, f Firm) Query {
		return Query{Text: pick(r, strings.Fields(nameKey(f.Name))), States: states(r, f), Limit: 25}
	}, false, false},
	{"typo in states", func(r *rand.Rand, f Firm) Query {
		return Query{Text: mistyped(r, nameKey(f.Name)), States: states(r, f), Limit: 25}
	}, false, false},
	{"all states but one by tax id", func(r *rand.Rand, _ Firm) Query {
		return Query{States: slices.DeleteFunc(slices.Clone(States), func(s company.StateRegistration) bool {
			return s == company.InOperation
		}), Sort: "taxId", Direction: direction(r), Limit: 100, Offset: r.IntN(1_000_000)}
	}, false, true},
	{"seat not expired by date", func(r *rand.Rand, _ Firm) Query {
		return Query{SeatExpired: ro.No, Sort: "registrationDate", Direction: direction(r), Limit: 100,
			Offset: r.IntN(1_000_000)}
	}, false, true},
	{"everything by name", func(r *rand.Rand, _ Firm) Query { return Query{Limit: 100, Offset: r.IntN(1_000_000)} },
		false, true},
	{"everything by date", func(r *rand.Rand, _ Firm) Query {
		return Query{Sort: "registrationDate", Direction: direction(r), Limit: 100, Offset: r.IntN(1_000_000)}
	}, false, true},
	{"everything by relevance", func(r *rand.Rand, _ Firm) Query {
		return Query{Sort: "relevance", Limit: 100, Offset: r.IntN(1_000_000)}
	}, false, true},
	{"one letter", func(r *rand.Rand, f Firm) Query {
		return Query{Text: nameKey(f.Name)[:1], Limit: 100, Offset: r.IntN(300_000)}
	}, false, true},
	{"one letter by date", func(r *rand.Rand, f Firm) Query {
		return Query{Text: nameKey(f.Name)[:1], Sort: "registrationDate", Direction: direction(r), Limit: 100,
			Offset: r.IntN(1_000_000)}
	}, false, true},
	{"common word by date", func(r *rand.Rand, _ Firm) Query {
		return Query{Text: pick(r, commonest), Sort: "registrationDate", Direction: direction(r), Limit: 100,
			Offset: r.IntN(60_000)}
	}, false, true},
	{"common words", func(r *rand.Rand, _ Firm) Query {
		return Query{Text: pick(r, commonest) + " " + pick(r, commonest), Limit: 100, Offset: r.IntN(1000)}
	}, false, true},
	{"section by tax id", func(r *rand.Rand, f Firm) Query {
		return Query{Industry: "G", Sort: "taxId", Direction: direction(r), Limit: 100, Offset: r.IntN(1_000_000)}
	}, false, true},
	{"section by relevance", func(r *rand.Rand, f Firm) Query {
		return Query{Industry: "C", Sort: "relevance", Limit: 100, Offset: r.IntN(1_000_000)}
	}, false, true},
	{"county by date, deep", func(r *rand.Rand, f Firm) Query {
		return Query{County: 40, Sort: "registrationDate", Direction: direction(r), Limit: 100, Offset: r.IntN(900_000)}
	}, false, true},
	{"common words with typos", func(r *rand.Rand, _ Firm) Query {
		return Query{Text: mistyped(r, pick(r, commonest)+" "+pick(r, commonest)+" "+pick(r, commonest)), Limit: 100}
	}, false, true},
}

// cedillas replaces ș and ț like older systems.
var cedillas = strings.NewReplacer("ș", "ş", "Ș", "Ş", "ț", "ţ", "Ț", "Ţ")

// commonest are the most common words in names.
var commonest = []string{"construct", "trans", "com", "impex", "prod", "auto", "agro", "consulting", "serv", "group",
	"invest", "design"}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func direction(r *rand.Rand) company.SortDirection {
	return pick(r, []company.SortDirection{"asc", "desc"})
}

func reordered(r *rand.Rand, f Firm) string {
	all := strings.Fields(nameKey(f.Name))
	slices.Reverse(all)
	return strings.Join(all, " ")
}

// begin returns the beginning of a text, with a minimum length.
func begin(r *rand.Rand, text string, least int) string {
	return strings.TrimSpace(text[:min(len(text), least+r.IntN(len(text)))])
}

// split splits the longest word into two.
func split(r *rand.Rand, f Firm) string {
	all := strings.Fields(nameKey(f.Name))
	long := 0
	for i, word := range all {
		if len(word) > len(all[long]) {
			long = i
		}
	}

	if n := len(all[long]); n > 3 {
		at := 2 + r.IntN(n-3)
		all[long] = all[long][:at] + " " + all[long][at:]
	}

	return strings.Join(all, " ")
}

// mistyped returns a text with one wrong letter other than the first and last. Superfluous and missing spaces are
// covered by split and joined.
func mistyped(r *rand.Rand, text string) string {
	if len(text) < 4 {
		return text
	}

	at := 1 + r.IntN(len(text)-2)
	for try := 0; try < 20 && (text[at] == ' ' || text[at+1] == ' '); try++ {
		at = 1 + r.IntN(len(text)-2)
	}

	wrong := string('a' + rune(r.IntN(26)))
	switch r.IntN(4) {
	case 0:
		return text[:at] + text[at+1:]
	case 1:
		return text[:at] + wrong + text[at:]
	case 2:
		return text[:at] + text[at+1:at+2] + text[at:at+1] + text[at+2:]
	}

	return text[:at] + wrong + text[at+1:]
}

func otherSpelling(text string) string {
	n, _ := tradenumber.Parse(text)
	if other := n.Old(); other != "" && other != text {
		return strings.ToLower(other)
	}
	return n.New()
}

// states returns the state of a firm, alone or with other states.
func states(r *rand.Rand, f Firm) []company.StateRegistration {
	wanted := []company.StateRegistration{cmp.Or(f.State, company.UnknownState)}
	for range r.IntN(3) {
		if other := pick(r, States); !slices.Contains(wanted, other) {
			wanted = append(wanted, other)
		}
	}

	return wanted
}

func class(f Firm) company.NACECode {
	if len(f.Codes) == 0 {
		return "6210"
	}
	return company.NACECode(f.Codes[0][2:])
}

func industry(r *rand.Rand, f Firm) company.IndustryID {
	if len(f.Codes) == 0 {
		return "K"
	}

	class := f.Codes[0][2:]
	return company.IndustryID(pick(r, []string{class[:3], class[:2], section(class[:2])}))
}
