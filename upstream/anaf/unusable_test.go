package anaf

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rodata/rodata/ro"
)

func TestUnusableAnswersAreOfOneCompany(t *testing.T) {
	c := &Client{}
	leftOut, unknown := ro.CompanyDay{CUI: 9900000001}, ro.CompanyDay{CUI: 9900000002}
	results, err := c.results([]ro.CompanyDay{leftOut, unknown}, 1,
		&answer[taxpayer]{NotFound: list[number]{number(unknown.CUI)}})
	if err != nil || !IsUnusable(leftOut.CUI, results[leftOut].Err) || IsUnusable(unknown.CUI, results[unknown].Err) {
		t.Errorf("%v, %v", results, err)
	}

	_, err = c.results([]ro.CompanyDay{leftOut}, 1, new(answer[taxpayer]))
	if !IsUnusable(leftOut.CUI, fmt.Errorf("rejected: %w", err)) || IsUnusable(unknown.CUI, err) {
		t.Errorf("a call about this company alone: %v", err)
	}
	if IsUnusable(leftOut.CUI, broken(errors.New("not JSON"))) {
		t.Error("an unreadable answer counts as unusable data about a company")
	}
}
