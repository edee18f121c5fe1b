package rest

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op"
)

// varyAccept is shared and must not be changed.
var varyAccept = []string{"Accept"}

// negotiate determines the media type of a call's answer: the parameter format, if present, takes precedence over the
// Accept header.
func (x *exchange) negotiate(call *op.Call, o *op.Operation) {
	if format := slices.IndexFunc(call.Args, func(a op.Arg) bool { return a.Name == "format" }); format >= 0 &&
		o.Formats() != nil {
		x.readFormat(call, o, format)
		return
	}

	offers := o.Offers()
	if len(offers) == 1 {
		return
	}

	x.w.Header()["Vary"] = varyAccept
	if media := x.preferredType(offers); media != offers[0] {
		call.Media, call.BaseURL = media, x.baseURL(x.r)
	}
}

// readFormat removes the parameter format from a call's arguments. If the parameter is repeated, it stays, so that the
// gateway rejects the call.
func (x *exchange) readFormat(call *op.Call, o *op.Operation, at int) {
	media, err := o.MediaOf(call.Args[at].Text)
	if err != nil && call.Malformed == nil {
		call.Malformed = err
	}

	call.Media, call.Args = media, slices.Delete(call.Args, at, at+1)
	if media != "" {
		call.BaseURL = x.baseURL(x.r)
	}
}

// preferredType returns the offered media type that the request's Accept header ranks highest. If the header has no
// preference or accepts no offered type, it returns the first one: an answer of another type is more useful than a 406.
func (x *exchange) preferredType(offered []string) string {
	values := x.r.Header["Accept"]
	if len(values) == 0 || len(values) == 1 && values[0] == "*/*" {
		return offered[0]
	}
	return preferredOffer(strings.Join(values, ","), offered)
}

func preferredOffer(accept string, offered []string) string {
	best, most := offered[0], 0.0
	wildcard, named := 0.0, false // whether the header names the default type, and otherwise its rank by wildcard
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}

		q := 1.0
		if text, ok := parameters["q"]; ok {
			q, _ = strconv.ParseFloat(text, 64) // an unreadable quality is 0
		}

		prefix, isRange := strings.CutSuffix(media, "*")
		switch {
		case media == offered[0]:
			named = true
		case media == "*/*", isRange && strings.HasPrefix(offered[0], prefix):
			wildcard = max(wildcard, q)
		}

		for _, candidate := range offered {
			if (media == candidate || media == "text/*" && candidate == "text/csv") && q > most {
				best, most = candidate, q
			}
		}
	}

	if wildcard > most && !named {
		return offered[0]
	}

	return best
}
