package ask

import (
	"net/http"
	"strconv"

	"github.com/rodata/rodata/client"
)

// inputOf returns the identifier in the request for an item.
func inputOf(item *client.BatchItem) string {
	if item.Input == "" && item.TaxID != nil {
		return strconv.FormatInt(*item.TaxID, 10)
	}
	return item.Input
}

// outcome returns the short reason why there is no company.
func outcome(status int) cell {
	switch {
	case status == http.StatusNotFound:
		return cell{"not found", bad}
	case status < http.StatusInternalServerError:
		return cell{"not valid", bad}
	}

	return cell{"not answered: try again", doubt}
}

func problemText(item *client.BatchItem) string {
	if item.Problem == nil {
		return ""
	}
	return sentence(item.Problem.Detail)
}

// csvFields are the default columns of companies.
var csvFields = []string{
	"taxId", "name", "companyType", "tradeNumber", "county", "city", "mainNaceCode", "registrationDate",
	"stateRegistration", "address", "vatPayer", "vatSince", "vatOnCollection", "inactive.status", "eInvoice.registered",
}
