package anaf

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream"
)

func TestClientExcusesProbes(t *testing.T) {
	c := answering(t, http.StatusOK, "<html>Request Rejected</html>")
	_, err := c.Profiles(t.Context(), asOfToday(invented.CUI(1)))
	if wantKind(t, err, op.Broken); errors.Is(err, upstream.ErrRejected) {
		t.Error("the register is not held responsible: ", err)
	}

	_, err = c.Profiles(WithExcuse(t.Context()), asOfToday(invented.CUI(1)))
	if wantKind(t, err, op.Broken); !errors.Is(err, upstream.ErrRejected) {
		t.Error("the register is held responsible: ", fmt.Sprint(err))
	}
}
