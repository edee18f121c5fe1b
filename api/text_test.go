package api

import (
	"encoding"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/api/monitoring"
)

// Names and references are shown in lists, mails and feeds, so they contain neither line breaks nor characters that
// change the direction of text.
func TestNamesAreOneVisibleLine(t *testing.T) {
	for name, value := range map[string]encoding.TextUnmarshaler{
		"the name of a key": new(customer.KeyName), "the name of a watch-list": new(monitoring.WatchlistName),
		"a reference": new(company.Reference), "the name of a sender": new(customer.ContactName),
		"the name of a job": new(job.Name),
	} {
		for _, hidden := range []string{
			"\n", "\r", "\t", "\x00", "\x7f", "\u0085", "\u2028", "\u202e", "\u2066", "\u200f",
		} {
			err := value.UnmarshalText([]byte("Ion" + hidden + "escu"))
			if err == nil || !strings.Contains(err.Error(), "U+") {
				t.Errorf("%s with %q: %v", name, hidden, err)
			}
		}

		for _, shown := range []string{"Țară și apă", "Пловдив", "שלום", "S\u00a01", "👩\u200d🌾"} {
			if err := value.UnmarshalText([]byte(shown)); err != nil {
				t.Errorf("%s %q is refused: %v", name, shown, err)
			}
		}
	}
}
