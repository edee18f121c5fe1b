package ask

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

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

// fieldsOf returns the fields of a company, empty if there is none.
func fieldsOf(item *client.BatchItem, fields []string) []string {
	found := make([]string, len(fields))
	for i, field := range fields {
		found[i] = fieldOf(item.Raw, field)
	}
	return found
}

// fieldOf returns the text of a field of a JSON object; dots in the path lead into nested objects. It returns an empty
// text for null.
func fieldOf(object json.RawMessage, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			return ""
		}

		object = members[name]
	}

	var text string
	switch {
	case len(object) == 0, string(object) == "null":
		return ""
	case json.Unmarshal(object, &text) == nil:
		return text
	}

	return string(object)
}
