package caddymodule

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api"
)

// An account's VAT number is read once in ten minutes; what is no VAT number, or cannot be read, is none.
func TestVATIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		v := &vatIdentities{read: func(_ context.Context, account string) (string, error) {
			asked++
			switch account {
			case "broken":
				return "", errors.New("no store")
			case "odd":
				return "RO1", nil
			case "new":
				return "", nil
			}
			return "ro 9900000010", nil
		}}
		for _, c := range []struct {
			account string
			want    api.VATNumber
			asks    int
		}{{"one", "RO9900000010", 1}, {"one", "RO9900000010", 0}, {"odd", "", 1}, {"odd", "", 0}, {"new", "", 1}, {"broken", "", 1}, {"broken", "", 1}} {
			before := asked
			if got := v.VATNumberOf(t.Context(), c.account); got != c.want || asked-before != c.asks {
				t.Errorf("%s has %q, read %d times, want %q and %d", c.account, got, asked-before, c.want, c.asks)
			}
		}
		<-time.After(identityLasts)
		if before := asked; v.VATNumberOf(t.Context(), "one") != "RO9900000010" || asked != before+1 {
			t.Error("it is not read again")
		}
	})
}
