package api

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestContextKnowsItsCaller(t *testing.T) {
	type key struct{}
	caller := account.Caller{Address: netip.MustParseAddr("192.0.2.7"), Key: &account.Key{Account: "invented"}}
	ctx, cancel := context.WithCancel(op.WithCaller(context.WithValue(t.Context(), key{}, 1), caller))
	defer cancel()
	if got := op.CallerOf(context.WithoutCancel(ctx)); got != caller {
		t.Errorf("the caller is %+v", got)
	}
	if ctx.Value(key{}) != 1 {
		t.Error("other values are lost")
	}
	if got := op.CallerOf(t.Context()); got != (account.Caller{}) {
		t.Errorf("without a caller, CallerOf returns %+v", got)
	}
}

func TestRegistriesAreAskedForTheCaller(t *testing.T) {
	address := netip.MustParseAddr("192.0.2.7")
	ops := Operations(Registries{Companies: companyFunc(func(ctx context.Context,
		_ ro.CompanyDay) (op.Answer[*company.Company], error) {
		if got := op.CallerOf(ctx); got.Address != address || got.Key == nil || got.Key.ID != "key1" {
			t.Errorf("asked on behalf of %+v", got)
		}
		return op.Answer[*company.Company]{}, nil
	})}, nil, system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{Address: address, Authorization: "Bearer " + gateway.GoodKey},
		"/v1/companies/9900000010")
	if reply.Status != 200 {
		t.Errorf("got %d %v", reply.Status, reply.Problem)
	}
}

func (companyFunc) Companies(context.Context, []ro.CompanyDay, time.Duration, func([]company.Found) bool) {
}

type companyFunc func(context.Context, ro.CompanyDay) (op.Answer[*company.Company], error)

func (f companyFunc) Company(ctx context.Context, asked ro.CompanyDay) (op.Answer[*company.Company], error) {
	return f(ctx, asked)
}

func TestWithCallerAllocatesOnce(t *testing.T) {
	var ctx context.Context
	parent, caller := t.Context(), account.Caller{}
	if n := testing.AllocsPerRun(100, func() { ctx = op.WithCaller(parent, caller) }); n > 1 {
		t.Errorf("%v allocations a call", n)
	}
	if n := testing.AllocsPerRun(100, func() { op.CallerOf(ctx) }); n > 0 {
		t.Errorf("%v allocations a look", n)
	}
}

func (f companyFunc) LegalRepresentatives(context.Context, ro.CUI) (*company.LegalRepresentatives, error) {
	return nil, op.ErrUnknown
}

func (f companyFunc) Insolvency(context.Context, *company.Company) *company.Insolvency {
	return company.NewInsolvency(company.UnknownProceedings)
}

func (f companyFunc) BalanceSheets(context.Context, ro.CUI, company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	return nil, nil, false, op.ErrUnknown
}

func (companyFunc) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	return &company.Filings{Year: year}, nil
}

func (companyFunc) PeerFigures(context.Context, int, string) (*company.PeerFigures, error) {
	return new(company.PeerFigures), nil
}
