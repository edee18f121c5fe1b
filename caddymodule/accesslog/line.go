package accesslog

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/service/telemetry"
)

// A line of the access log is a JSON object. It is encoded without reflection. It contains nothing into which a client
// may have put a secret: only the route's pattern instead of the path and the query, no header except a valid request
// ID, and only known methods.

// appendLine appends the line of a request whose answer ended at the given time.
func appendLine(b []byte, e *entry, r *http.Request, vars map[string]any, end time.Time) []byte {
	b = append(b, `{"ts":`...)
	b = appendSeconds(b, time.Duration(e.start.UnixMicro())*time.Microsecond)
	b = append(b, `,"logger":"rodata.access","method":`...)
	b = appendText(b, knownMethod(e.method))
	b = appendMember(b, "route", routeOf(r))
	b = strconv.AppendInt(append(b, `,"status":`...), int64(e.status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), e.bytes, 10)
	b = appendSeconds(append(b, `,"duration":`...), end.Sub(e.start))
	b = appendAddress(b, vars)
	b = appendMember(b, "request_id", op.RequestID(r.Header))
	if call := callOf(vars); call != nil {
		b = appendCall(b, call, end)
	}

	return append(b, "}\n"...)
}

// appendCall appends the call of an operation. If a request made several calls, only the last one is logged.
func appendCall(b []byte, o *op.Observation, end time.Time) []byte {
	if o.Caller.Key != nil {
		b = appendMember(b, "key_id", o.Caller.Key.ID)
	}

	b = appendMember(b, "account_id", o.Caller.Account())
	b = appendMember(b, "operation", o.Operation.Name)
	b = appendMember(b, "channel", o.Channel)
	if o.Channel == "mcp" { // the response's status says nothing about the tool
		b = strconv.AppendInt(append(b, `,"operation_status":`...), int64(o.Reply.Status), 10)
	}

	if o.Reply.Problem != nil {
		b = appendMember(b, "problem", o.Reply.Problem.Kind.Slug)
	} else if o.Reply.Cache != "" {
		b = appendMember(b, "cache", o.Reply.Cache)
		b = strconv.AppendInt(append(b, `,"age":`...), int64(o.Reply.Age(end)), 10)
	}

	if o.StaleBy > 0 {
		b = appendSeconds(append(b, `,"stale_by":`...), o.StaleBy)
	}

	b = strconv.AppendInt(append(b, `,"credits":`...), int64(o.Reply.Cost), 10)
	if telemetry.QueriedRegistry(o) {
		b = appendSeconds(append(b, `,"upstream_duration":`...), o.Reply.Duration)
	}

	return appendSeconds(append(b, `,"gateway_duration":`...), o.Reply.Duration)
}

// knownMethod returns a standard HTTP method, or OTHER for any other word that a client sent.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}

	return "OTHER"
}

// routeOf returns the pattern of the path, which the handler that answered has set in the request. It is empty if
// there is no pattern.
func routeOf(r *http.Request) string {
	if _, path, found := strings.Cut(r.Pattern, " "); found { // http.ServeMux puts a method before the path
		return path
	}
	return r.Pattern
}

// appendAddress appends the client's address, if it has one.
func appendAddress(b []byte, vars map[string]any) []byte {
	text, _ := vars[caddyhttp.ClientIPVarKey].(string)
	address, err := netip.ParseAddr(text)
	if err != nil {
		return b
	}

	b = append(b, `,"address":"`...)
	return append(address.WithZone("").AppendTo(b), '"')
}

// appendMember appends a member with a text, unless that is empty.
func appendMember(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}

	b = append(b, `,"`...)
	b = append(b, name...)
	return appendText(append(b, `":`...), text)
}

// appendText appends a JSON string.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(text) // a string always has a JSON form
			return append(b, quoted...)
		}
	}

	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

// appendSeconds appends a duration in seconds, with six decimals.
func appendSeconds(b []byte, d time.Duration) []byte {
	const million = 1_000_000
	us := max(0, d.Microseconds())
	b = strconv.AppendInt(b, us/million, 10)
	b = strconv.AppendInt(b, million+us%million, 10) // the leading 1 keeps zeros and is replaced by the decimal point
	b[len(b)-7] = '.'
	return b
}
