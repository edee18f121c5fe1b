package onrc

import (
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// dayLayouts are the date layouts that the register has used.
var dayLayouts = []string{"02/01/2006", "02.01.2006", "2006-01-02", "2/1/2006"}

// readDay parses a day, with or without a time after it. It reports false for any other text, and for days before 1800.
func readDay(text string) (api.Date, bool) {
	text, _, _ = strings.Cut(text, " ")
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return api.NewDate(t.Date()), t.Year() >= 1800
		}
	}

	return 0, false
}
