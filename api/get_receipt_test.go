package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestGetReceipt(t *testing.T) {
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/v1/receipts/rcp_abcdefghijklmnopqrstuvwxyz": {http.StatusOK, `"statement":{"taxId":9900000010`},
		"/v1/receipts/RCP_ABCDEFGHIJKLMNOPQRSTUVWXYZ": {http.StatusOK, `"id":"rcp_abcdefghijklmnopqrstuvwxyz"`},
		"/v1/receipts/rcp_aaaaaaaaaaaaaaaaaaaaaaaaaa": {http.StatusNotFound,
			"there is no receipt rcp_aaaaaaaaaaaaaaaaaaaaaaaaaa"},
		"/v1/receipts/rcp_abcdefghijklmnopqrstuvwxy":  {http.StatusBadRequest, "the id of a receipt: rcp_ and 26 letters"},
		"/v1/receipts/rcp_abcdefghijklmnopqrstuvwxy1": {http.StatusBadRequest, "the id of a receipt: rcp_ and 26 letters"},
		"/v1/receipts/abcdefghijklmnopqrstuvwxyzabcd": {http.StatusBadRequest, "the id of a receipt: rcp_ and 26 letters"},
	} {
		reply := get(t, target)
		text := ""
		if reply.Problem != nil {
			text = reply.Problem.Detail
		} else {
			text = string(reply.Document.JSON)
		}

		if reply.Status != want.status || !strings.Contains(text, want.text) || reply.Cost != 0 {
			t.Errorf("%s: %d %s, want %d %s", target, reply.Status, text, want.status, want.text)
		}
	}
}

// brokenReceipts cannot be read.
type brokenReceipts struct{ fakeReceipts }

func (brokenReceipts) Receipt(context.Context, proof.ReceiptID) (op.Answer[*proof.Receipt], error) {
	return op.Answer[*proof.Receipt]{}, errors.New("the disk is gone")
}

func TestReceiptsThatCannotBeRead(t *testing.T) {
	operations := Operations(Registries{Receipts: brokenReceipts{}}, metering.DefaultPlans(), system.About{})
	reply := gateway.Ask(t, gateway.New(t), operations, &op.Call{Channel: "rest"}, "/v1/receipts/rcp_abcdefghijklmnopqrstuvwxyz")
	if reply.Status != http.StatusServiceUnavailable || reply.RetrySeconds() == 0 ||
		strings.Contains(reply.Problem.Detail, "disk") {
		t.Errorf("%d %+v", reply.Status, reply.Problem)
	}
}
