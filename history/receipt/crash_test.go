package receipt_test

import (
	"context"
	"os"
	"testing"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

// A returned receipt survives a kill at any moment.
func TestCrash(t *testing.T) {
	if place, ok := databases.CrashPlace(); ok {
		issueUntilKilled(t, place)
		return
	}

	migrated.Each(t, func(t *testing.T, place string) {
		ids := append(databases.Crash(t, place, 100, 0), databases.Crash(t, place, 100, 0)...)
		i := open(t, openPlace(t, place), &clock{start})
		keys := jwks(t, i)
		for _, id := range ids {
			r, err := i.Receipt(t.Context(), proof.ReceiptID(id))
			if err != nil {
				t.Fatalf("receipt %s of %d is lost: %v", id, len(ids), err)
			}
			if _, _, valid := verify([]byte(r.Value.JWT), keys); !valid {
				t.Fatalf("%s is not valid", id)
			}
		}
	})
}

func issueUntilKilled(t *testing.T, place string) {
	i := open(t, openPlace(t, place), &clock{start})
	s, ctx := statement(), asAccount(context.Background())
	for s.Date = ro.NewDate(2000, 1, os.Getpid()); ; s.Date++ {
		id, _, err := i.Certify(ctx, s)
		testkit.NoError(t, err)

		databases.Acknowledge(id)
	}
}
