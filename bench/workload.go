package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rodata/rodata/testkit/standin"
)

// workload is the paths that a typical mix of callers requests.
type workload struct{ companies, rates, reference []string }

func newWorkload(companies []standin.Company) *workload {
	m := new(workload)
	for _, c := range companies {
		m.companies = append(m.companies, "/v1/companies/"+c.CUI.String())
	}

	for day := 1; day <= 28; day++ {
		date := fmt.Sprintf("2026-06-%02d", day)
		m.rates = append(m.rates,
			"/v1/fx-rates?date="+date,
			"/v1/fx-rates/history?currency=EUR&from=2026-05-01&to="+date,
			"/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date="+date)
	}

	for _, word := range []string{"transport", "rutier", "software", "comert", "constructii", "62", "01"} {
		m.reference = append(m.reference, "/v1/caen-codes?q="+word)
	}

	for _, place := range []string{"cluj", "bucuresti", "iasi", "sighisoara", "san", "baia-mare"} {
		m.reference = append(m.reference, "/v1/cities?q="+place)
	}

	return m
}

// paths returns all paths.
func (m *workload) paths() []string { return slices.Concat(m.companies, m.rates, m.reference) }

// pick returns a random path: a company in seven of ten cases, a rate in two, otherwise a code or a place.
func (m *workload) pick(random *rand.Rand) string {
	of := m.reference
	switch p := random.IntN(10); {
	case p < 7:
		of = m.companies
	case p < 9:
		of = m.rates
	}

	return of[random.IntN(len(of))]
}
