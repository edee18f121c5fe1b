package store_test

import (
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// The law requires invoices to be kept: they stay with the account if its user is deleted.
func TestDeletedUserLeavesInvoices(t *testing.T) {
	accountstore.Each(t, func(t *testing.T, db *accounts.DB) {
		ctx, now, invoices := t.Context(), time.Now(), store.New(db)
		u := account.User{ID: account.NewID(), Account: account.NewID(), Email: "ana@exemplu.example",
			Name: "Ana Exemplu", CreatedAt: now, UpdatedAt: now}
		login := account.Login{ID: account.NewID(), User: u.ID, Provider: account.Credential, Subject: u.ID,
			Password: "hash", CreatedAt: now, UpdatedAt: now}
		testkit.NoError(t, db.CreateUser(ctx, u, "free", login))
		testkit.NoError(t, invoices.NotePayment(ctx, "evt_1", store.Payment{ID: "in_1", Account: u.Account}, now))

		claimed, err := invoices.ClaimPayments(ctx, now, now.Add(time.Minute), 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %+v, %v", claimed, err)
		}

		issue := func(_ *invoice.Invoice, number int) ([]store.Issuance, error) {
			i := invoice.Invoice{ID: "inv-1", Series: "RD", Number: number, Currency: "RON", Net: 1000, VAT: 210,
				Gross: 1210, Customer: invoice.Customer{VATID: "RO9900000010"}}
			return []store.Issuance{{Invoice: i}}, nil
		}
		testkit.NoError(t, invoices.Issue(ctx, claimed[0], "RD", issue))

		testkit.Equal(t, testkit.Must(invoices.VATNumberOf(ctx, u.Account)), "RO9900000010", "the account's VAT number")
		testkit.Equal(t, testkit.Must(invoices.VATNumberOf(ctx, "another")), "",
			"an account without invoices has the VAT number")

		testkit.NoError(t, db.DeleteUser(ctx, u))
		if kept, err := invoices.Invoices(ctx, u.Account); err != nil || len(kept) != 1 || kept[0].GrossTotal != 1210 {
			t.Errorf("the invoices are %+v, %v", kept, err)
		}
	})
}
