package monitoring

import (
	"context"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// fakeRegister has one company. It can also be not loaded yet.
type fakeRegister struct {
	company.TradeRegister
	unloaded bool
}

func (f *fakeRegister) TaxID(_ context.Context, number tradenumber.Number) (ro.CUI, error) {
	if f.unloaded {
		return 0, problem.Unavailable.New("the trade register is being loaded for the first time: 41 %% done; try " +
			"again later")
	}
	if number.Old() == "J12/345/2010" {
		return 9900000010, nil
	}
	return 0, op.ErrUnknown
}
