package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

func TestFailureSaysHow(t *testing.T) {
	_, refused := net.Dial("tcp", "127.0.0.1:1") // nothing listens there
	for _, c := range []struct {
		err  error
		says string
	}{
		{refused, "it refused the connection"},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host"}}, "could not be reached"},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, "closed the connection"},
		{io.ErrUnexpectedEOF, "closed the connection"},
		{errors.New("status 500"), "answered with an error"},
	} {
		p, known := op.ProblemOf(&op.Failure{Registry: "anaf", Kind: op.Broken, Err: fmt.Errorf("asking: %w", c.err)})
		if !known || p.Kind != problem.UpstreamError || !strings.HasPrefix(p.Detail, "the tax authority (ANAF) ") ||
			!strings.Contains(p.Detail, c.says) {
			t.Errorf("%v: %v", c.err, p)
		}
	}
}
