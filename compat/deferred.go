package compat

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// In the asynchronous form of the tax authority's protocol, a first request returns the ID of an answer, and a later
// request fetches the answer. It can be fetched only once.

// deferredTimeout bounds an inquiry without a waiting caller.
const deferredTimeout = time.Minute

// acceptKey is the context key of an acceptFunc.
type acceptKey struct{}

// acceptFunc is called once the gateway has admitted an inquiry, before its look-up. An error ends the inquiry.
type acceptFunc func(caller *account.Caller, companies int) error

// accept calls the acceptFunc of a context, if it has one.
func accept(ctx context.Context, caller *account.Caller, companies int) error {
	if f, ok := ctx.Value(acceptKey{}).(acceptFunc); ok {
		return f(caller, companies)
	}
	return nil
}

// deferInquiry accepts an inquiry, and returns the ID of its answer in advance.
func (x *exchange) deferInquiry() {
	leave, ok := x.Stay()
	if !ok {
		p := problem.Unavailable.New("the service is restarting; try again in a second").After(time.Second)
		x.refuse(p)
		return
	}

	call, rows := x.inquiry()
	id, accepted, ended := uuid.NewString(), make(chan struct{}), make(chan *op.Reply, 1)
	// Not the request's context: it ends with the request.
	ctx, stop := context.WithTimeout(context.Background(), deferredTimeout)
	ctx = context.WithValue(ctx, acceptKey{}, acceptFunc(func(caller *account.Caller, companies int) error {
		if err := x.Operations.answers.reserve(caller.Bucket(), id, companies); err != nil {
			return err
		}

		close(accepted)
		return nil
	}))

	go func() {
		defer leave()
		defer stop()
		reply := x.Gateway.Do(ctx, x.Operations.taxpayers, call)
		a := x.deferredAnswer(reply, rows)
		x.Operations.answers.fill(id, a, reply.Problem)
		ended <- reply
	}()

	select {
	case <-accepted:
	case reply := <-ended:
		select {
		case <-accepted:
		default: // refused
			x.write(reply)
			return
		}
	}

	x.w.Header()["Cache-Control"] = noStore
	x.send(http.StatusOK, jsonType, fmt.Appendf(nil, `{"cod":200,"message":"Successful","correlationId":"%s"}`, id))
}

// deferredAnswer returns the answer of a finished call. It turns a panic, which would end the process, into the reply's
// problem.
func (x *exchange) deferredAnswer(reply *op.Reply, rows *rowCollector) (a *answer) {
	defer func() {
		if p := op.Panicked(recover(), false, x.r, x.Logger, x.r.URL.Path); p != nil {
			reply.Problem = p
		}
	}()
	if reply.Problem != nil {
		return nil
	}
	return newAnswer(rows.rows, enveloped, true)
}

type fetchInput struct {
	ID op.Text `arg:"id" required:"true" doc:"The correlationId."`
}

// notReady is the body of an answer whose look-up has not finished.
const notReady = `{"cod":202,"message":"The answer is not ready yet; ask again in 3 seconds"}`

// fetchAnswer returns the operation that fetches an answer.
func fetchAnswer(answers *Answers) *op.Operation {
	return op.Define(op.Spec{
		Name: "fetch_inquiry", Method: http.MethodGet, Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(_ context.Context, _ account.Caller, in fetchInput) (result op.Answer[*answer], err error) {
		if result.Value, err = answers.fetch(string(in.ID)); err == nil && result.Value == nil {
			result.Value = &answer{body: []byte(notReady)}
		}

		result.Document = new(op.Document) // the answer's body is sent instead
		return result, err
	})
}

// fetchDeferred responds with the result of an inquiry.
func (x *exchange) fetchDeferred() {
	call := x.call()
	call.Args = op.Args{{Name: "id", Text: x.r.URL.Query().Get("id")}}
	if strings.TrimSpace(call.Args[0].Text) == "" {
		call.Malformed = problem.Invalid(&problem.InputError{
			Parameter: "id", Code: problem.Required, Accepted: "send the correlationId of an inquiry as ?id=",
		})
	}

	reply := x.Gateway.Do(x.r.Context(), x.Operations.fetch, call)
	fetched, _ := reply.Value.(*answer) // none with a problem
	x.writeAnswer(reply, fetched, http.StatusOK)
}
