package ask

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/internal/county"
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

// counties returns the plate codes of the counties, with their names.
func counties() map[string]string {
	names := map[string]string{}
	for _, c := range county.All {
		names[c.Plate] = c.Name
	}

	return names
}
