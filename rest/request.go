package rest

import (
	"io"
	"mime"
	"strings"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// maxBody is the maximum size of a request body, in bytes.
const maxBody = 64 << 10

// read fills in the gateway's call from the request, except for the argument in the path.
func (x *exchange) read(call *op.Call, o *op.Operation) {
	call.Channel = "rest"
	call.Authorization, call.APIKey = first(x.r.Header["Authorization"]), first(x.r.Header["X-Api-Key"])
	call.Address = x.Address(x.r)
	call.IfNoneMatch = strings.Join(x.r.Header["If-None-Match"], ",")
	call.RequestID = x.id
	if o.Account || o.Media != "" {
		call.BaseURL = x.baseURL(x.r)
	}
	if o.Account || o.HasBody() {
		x.readSender(call)
	}

	if o.TakesFile() {
		call.IdempotencyKey, call.Wait = x.idempotencyKey(), preferredWait(x.r.Header)
	}

	if o.HasBody() {
		call.Args, call.Malformed = x.bodyArgs(call, o)
	} else {
		call.Args, call.Malformed = queryArgs(x.r.URL.RawQuery)
	}

	if len(o.Alternates) > 0 {
		x.negotiate(call, o)
	}
}

// readSender reads the browser's headers about the page that sent the request.
func (x *exchange) readSender(call *op.Call) {
	call.Cookie = strings.Join(x.r.Header["Cookie"], "; ") // HTTP/2 may split it
	call.Origin, call.FetchSite = first(x.r.Header["Origin"]), first(x.r.Header["Sec-Fetch-Site"])
	if call.Origin != "" || call.Cookie != "" {
		call.Site = web.Origin(x.baseURL(x.r))
	}
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// queryArgs parses the arguments in the query. A key in the query is an error, since URLs end up in logs and browser
// histories.
func queryArgs(rawQuery string) (op.Args, error) {
	args, err := op.ArgsFromQuery(rawQuery)
	if err != nil {
		return nil, err
	}

	for i := range args {
		if err := misplacedKey(args[i].Name); err != nil {
			return nil, err
		}
	}

	return args, nil
}

// misplacedKey rejects a key in the URL.
func misplacedKey(name string) error {
	switch name {
	case "key", "api_key", "apikey", "x-api-key", "token", "access_token":
		return problem.Invalid(&problem.InputError{
			Parameter: name, Code: problem.Misplaced,
			Accepted: "a key in the header \"Authorization: Bearer <key>\" or \"x-api-key: <key>\"",
			Reason: "a key does not belong into the address, where logs show it; send the header \"Authorization: " +
				"Bearer <key>\", and revoke the key if it was a real one",
		})
	}

	return nil
}

const bodyForm = "a JSON object in the body"

// bodyArgs parses the arguments in the JSON body.
func (x *exchange) bodyArgs(call *op.Call, o *op.Operation) (op.Args, error) {
	if x.r.Header.Get("Expect") != "" {
		// Before an answer that leaves the connection open, net/http waits for a body that it has not asked for.
		x.w.Header().Set("Connection", "close")
	}

	media, _, mediaErr := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if p := o.BodyParam(media); p != nil {
		return x.wholeBody(call, p)
	}
	if o.TakesFile() {
		return x.fileBody(call, o, media)
	}
	if x.r.URL.RawQuery != "" && !o.HasRows() {
		return nil, problem.Invalid(&problem.InputError{Code: problem.Misplaced, Accepted: bodyForm,
			Reason: "parameters were sent in the address; send them as a JSON object in the body"})
	}
	if x.r.ContentLength == 0 && !o.NeedsBody() {
		return nil, nil
	}
	if mediaErr != nil || media != "application/json" {
		return nil, problem.UnsupportedMediaType.New("the body must be JSON; send it with Content-Type: " +
			"application/json")
	}

	body, err := web.ReadBody(x.w, x.r, maxBody)
	if err != nil {
		return nil, err
	}

	return op.ArgsFromJSON(body)
}

// wholeBody parses the arguments in the query, and lets the gateway read the body, a single argument, after
// authentication, since it may be large.
func (x *exchange) wholeBody(call *op.Call, p *op.Param) (op.Args, error) {
	args, err := queryArgs(x.r.URL.RawQuery)
	if err != nil {
		return nil, err
	}

	w, r := x.w, x.r // the exchange itself would escape to the heap
	call.Body = func(to io.Writer) (name, file string, err error) {
		return p.Name, "", web.CopyBody(to, w, r, p.MaxBytes())
	}
	return args, nil
}
