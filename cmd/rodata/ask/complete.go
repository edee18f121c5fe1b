package ask

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// complete makes the shell complete a flag with some words.
func complete(cmd *cobra.Command, flag string, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(fmt.Sprintf("completing --%s: %v", flag, err)) // the flag does not exist
	}
}

// completeWith is like complete, for words with a description.
func completeWith(cmd *cobra.Command, flag string, words map[string]string) {
	var all []string
	for _, word := range slices.Sorted(maps.Keys(words)) {
		all = append(all, word+"\t"+words[word])
	}

	complete(cmd, flag, all)
}

// currencies are the currencies that the National Bank of Romania publishes (bnr.ro, November 2026).
var currencies = []string{
	"AED", "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR",
	"ISK", "JPY", "KRW", "MDL", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RSD", "RUB", "SEK", "SGD", "THB", "TRY",
	"UAH", "USD", "XAU", "XDR", "ZAR",
}

// counties are the plate codes of the counties, with their names.
var counties = map[string]string{
	"AB": "Alba", "AG": "Argeș", "AR": "Arad", "B": "București", "BC": "Bacău", "BH": "Bihor", "BN": "Bistrița-Năsăud",
	"BR": "Brăila", "BT": "Botoșani", "BV": "Brașov", "BZ": "Buzău", "CJ": "Cluj", "CL": "Călărași",
	"CS": "Caraș-Severin", "CT": "Constanța", "CV": "Covasna", "DB": "Dâmbovița", "DJ": "Dolj", "GJ": "Gorj",
	"GL": "Galați", "GR": "Giurgiu", "HD": "Hunedoara", "HR": "Harghita", "IF": "Ilfov", "IL": "Ialomița", "IS": "Iași",
	"MH": "Mehedinți", "MM": "Maramureș", "MS": "Mureș", "NT": "Neamț", "OT": "Olt", "PH": "Prahova", "SB": "Sibiu",
	"SJ": "Sălaj", "SM": "Satu Mare", "SV": "Suceava", "TL": "Tulcea", "TM": "Timiș", "TR": "Teleorman", "VL": "Vâlcea",
	"VN": "Vrancea", "VS": "Vaslui",
}
