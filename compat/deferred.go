package compat

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// In the asynchronous form of the tax authority's protocol one request names an answer, and
// a later one fetches it, once.

const (
	// keptFor is how long an answer waits to be fetched, as at the tax authority.
	keptFor = 3 * 24 * time.Hour
	// The answers that wait are bounded in number and bytes, in all and of each caller.
	mostKept          = 10_000
	mostKeptOfCaller  = 100
	mostBytes         = 64 << 20
	mostBytesOfCaller = 8 << 20
	// bytesEach is what a company's record takes, until its answer is known.
	bytesEach = 3 << 10
	// deferredPatience bounds an inquiry for which nobody waits.
	deferredPatience = time.Minute
)

// Answers are the answers that wait to be fetched. They are in memory, and outlive the
// Handler. The zero value is ready for use.
type Answers struct {
	mu    sync.Mutex
	kept  map[string]*deferred
	bytes int
}

// deferred is an answer, or where one will be.
type deferred struct {
	owner   any // the bucket of the caller
	expires time.Time
	bytes   int
	answer  *answer
	problem *problem.Problem
}

func (d *deferred) known() bool { return d.answer != nil || d.problem != nil }

// reserve keeps a place for an answer about a number of companies.
func (a *Answers) reserve(owner any, id string, companies int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, own, ownBytes := time.Now(), 0, 0
	for id, d := range a.kept {
		if d.known() && now.After(d.expires) {
			a.drop(id)
		} else if d.owner == owner {
			own++
			ownBytes += d.bytes
		}
	}

	bytes := companies * bytesEach
	switch {
	case own >= mostKeptOfCaller, ownBytes+bytes > mostBytesOfCaller:
		return busy("%d answers of this caller wait to be fetched; fetch some of them first", own)
	case len(a.kept) >= mostKept, a.bytes+bytes > mostBytes:
		return busy("too many answers wait to be fetched; ask without the asynchronous form, or later")
	}

	if a.kept == nil {
		a.kept = make(map[string]*deferred)
	}
	a.kept[id] = &deferred{owner: owner, expires: now.Add(keptFor), bytes: bytes}
	a.bytes += bytes
	return nil
}

func busy(format string, args ...any) *problem.Problem {
	p := problem.Unavailable.New(format, args...)
	p.RetryAfter = time.Minute
	return p
}

// drop gives up a place. The caller holds the lock.
func (a *Answers) drop(id string) {
	a.bytes -= a.kept[id].bytes
	delete(a.kept, id)
}

// settle puts an answer or a problem into its place, if there is one.
func (a *Answers) settle(id string, answer *answer, p *problem.Problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.kept[id]
	if d == nil {
		return
	}

	d.answer, d.problem = answer, p
	a.bytes -= d.bytes
	if d.bytes = 0; answer != nil {
		d.bytes = len(answer.body)
	}
	a.bytes += d.bytes
}

// fetch returns a caller's answer and, unless it is only looked at, gives up its place. The
// answer is nil while it is not known.
func (a *Answers) fetch(owner any, id string, look bool) (*answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.kept[id]
	switch {
	case d == nil, d.owner != owner, d.known() && time.Now().After(d.expires):
		return nil, problem.NotFound.New("no answer with this id waits for this caller; it may have been fetched before, or be older than three days")
	case !d.known():
		return nil, nil
	}

	if !look {
		a.drop(id)
	}
	if d.problem != nil {
		return nil, d.problem
	}
	return d.answer, nil
}

// begunKey is the key in a context of what an inquiry calls when it begins: nothing stands
// in its way any more but the registry.
type begunKey struct{}

type begun func(caller *account.Caller, companies int) error

func announce(ctx context.Context, caller *account.Caller, companies int) error {
	if f, ok := ctx.Value(begunKey{}).(begun); ok {
		return f(caller, companies)
	}
	return nil
}

// deferInquiry takes an inquiry, and names its answer before that is known.
func (x *exchange) deferInquiry() {
	leave, ok := x.Stay()
	if !ok {
		p := problem.Unavailable.New("the service is restarting; try again in a second")
		p.RetryAfter = time.Second
		x.refuse(p)
		return
	}

	call, rows := x.inquiry()
	id, accepted, ended := newID(), make(chan struct{}), make(chan *api.Reply, 1)
	// Not the request's context: it ends with the request.
	ctx, stop := context.WithTimeout(context.Background(), deferredPatience)
	ctx = context.WithValue(ctx, begunKey{}, begun(func(caller *account.Caller, companies int) error {
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
		if reply.Problem != nil {
			x.Operations.answers.settle(id, nil, reply.Problem)
		} else {
			x.Operations.answers.settle(id, newAnswer(rows.rows, enveloped, true), nil)
		}
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

// newID returns a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

type fetchInput struct {
	ID answerID `arg:"id" required:"true" doc:"The correlationId."`
}

// answerID names an answer. Other texts than ours name none.
type answerID string

// UnmarshalText takes any text.
func (i *answerID) UnmarshalText(text []byte) error {
	*i = answerID(text)
	return nil
}

// Schema describes the ID.
func (answerID) Schema() api.Schema { return api.Schema{Type: "string"} }

// fetchKey is the key in a context of where a fetched answer is put.
type fetchKey struct{}

type fetched struct {
	look   bool // and do not give up its place
	answer *answer
}

// fetchAnswer returns the operation that fetches an answer.
func fetchAnswer(answers *Answers) *api.Operation {
	return api.Define(api.Spec{
		Name: "fetch_inquiry", Method: http.MethodGet, Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in fetchInput) (result api.Answer[struct{}], err error) {
		into := ctx.Value(fetchKey{}).(*fetched)
		into.answer, err = answers.fetch(caller.Bucket(), string(in.ID), into.look)
		return result, err
	})
}

// fetchDeferred answers with what an inquiry found.
func (x *exchange) fetchDeferred() {
	call, into := x.call(), &fetched{look: x.r.Method == http.MethodHead}
	call.Args = api.Args{{Name: "id", Text: x.r.URL.Query().Get("id")}}
	if call.Args[0].Text == "" {
		call.Malformed = problem.InvalidRequest.New("send the correlationId of an inquiry as ?id=")
	}
	reply := x.Gateway.Do(context.WithValue(x.r.Context(), fetchKey{}, into), x.Operations.fetch, call)
	if reply.Problem != nil {
		x.write(reply)
		return
	}

	h := x.w.Header()
	reply.WriteHeader(h)
	if into.answer == nil {
		delete(h, "Etag")
		h["Cache-Control"] = noStore
		x.send(http.StatusOK, jsonType, []byte(`{"cod":202,"message":"The answer is not ready yet; ask again in 3 seconds"}`))
		return
	}

	into.answer.writeHeader(h)
	x.send(http.StatusOK, jsonType, into.answer.body)
}
