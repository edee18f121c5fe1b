package profile

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

const sent = `{"date_generale":{"cui":9900000010,"denumire":"EXEMPLU SRL", "adaugat":[1]},"inregistrare_scop_Tva":{"scpTVA":false}}`

// sentRecord answers with a record in the tax authority's own format.
func sentRecord(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	if asked.CUI != known {
		return nil, op.ErrUnknown
	}
	return anaf.NewRecord([]byte(sent)), nil
}

func TestProfileCarriesItsRecord(t *testing.T) {
	r := serving(t, sentRecord)
	for _, from := range []string{op.Miss, op.Hit} {
		answer, err := r.Company(t.Context(), today(known))
		if err != nil || answer.Cache != from {
			t.Fatal(answer.Cache, err)
		}
		if raw, err := answer.Value.Record.Raw(); err != nil || string(raw) != sent {
			t.Errorf("%s: got %s, %v", from, raw, err)
		}
		if string(answer.Document.JSON) == "" || answer.Value.Name != "EXEMPLU SRL" || *answer.Value.VATPayer {
			t.Errorf("%s: %s", from, answer.Document.JSON)
		}
	}
}

func TestRecordThatCannotBeRead(t *testing.T) {
	r := serving(t, func(context.Context, ro.CompanyDay) (*anaf.Record, error) {
		damaged := new(anaf.Record)
		return damaged, json.Unmarshal([]byte(`"AAAA"`), damaged)
	})
	_, err := r.Company(t.Context(), today(known))
	if f := new(op.Failure); !errors.As(err, &f) || f.Kind != op.Broken {
		t.Errorf("got %v", err)
	}
}
