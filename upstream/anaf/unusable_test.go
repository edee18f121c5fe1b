package anaf

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rodata/rodata/api"
)

func TestUnusableAnswersAreOfOneCompany(t *testing.T) {
	c := &Client{}
	leftOut, unknown := api.CompanyDay{CUI: 9900000001}, api.CompanyDay{CUI: 9900000002}
	results, err := c.results([]api.CompanyDay{leftOut, unknown}, 1,
		&answer[element]{NotFound: list[number]{number(unknown.CUI)}})
	if err != nil || !Unusable(leftOut.CUI, results[leftOut].Err) || Unusable(unknown.CUI, results[unknown].Err) {
		t.Errorf("%v, %v", results, err)
	}

	_, err = c.results([]api.CompanyDay{leftOut}, 1, new(answer[element]))
	if !Unusable(leftOut.CUI, fmt.Errorf("rejected: %w", err)) || Unusable(unknown.CUI, err) {
		t.Errorf("a call about this company alone: %v", err)
	}
	if Unusable(leftOut.CUI, broken(errors.New("not JSON"))) {
		t.Error("an unreadable answer counts as unusable data about a company")
	}
}
