package ration

import (
	"context"
	"errors"
	"testing"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// today returns a company as of today.
func today(cui ro.CUI) ro.CompanyDay { return ro.CompanyDay{CUI: cui} }

// current requests companies as of today.
func current(ask cache.Loader[ro.CompanyDay, *anaf.Record]) cache.Loader[ro.CUI, *anaf.Record] {
	return func(ctx context.Context, cui ro.CUI, d cache.Demand) (*anaf.Record, error) {
		return ask(ctx, today(cui), d)
	}
}

func numbers(companies []ro.CompanyDay) (cuis []ro.CUI) {
	for _, company := range companies {
		cuis = append(cuis, company.CUI)
	}
	return cuis
}

// broken returns a failure whose cause may be the requested numbers.
func broken(err error) error { return &op.Failure{Registry: anaf.Registry, Kind: op.Broken, Err: err} }

// wantKind fails unless the error is a failure of the kind.
func wantKind(t *testing.T, err error, kind op.FailureKind) {
	t.Helper()
	var f *op.Failure
	if !errors.As(err, &f) || f.Kind != kind {
		t.Errorf("got %v, want a failure of kind %d", err, kind)
	}
}
