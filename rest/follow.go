package rest

import (
	"fmt"
	"net/http"

	"github.com/rodata/rodata/api"
)

// followForms are the media types of an operation that can be followed, the default first.
var followForms = []string{"application/json", api.SSEType, api.NDJSONType}

// answerFollowed answers an operation that can be followed, with a page or with a stream. Like answerByRow, it works on
// a copy of the exchange.
func (x *exchange) answerFollowed(op *api.Operation, inPath api.PathArgs) {
	own := new(*x)
	defer func() { x.wrote = own.wrote }()
	call := api.Call{InPath: inPath}
	own.read(&call, op)
	own.w.Header()["Vary"] = varyAccept

	form := own.preferred(followForms)
	if form == followForms[0] || own.r.Method == http.MethodHead {
		own.write(own.Gateway.Do(own.r.Context(), op, &call))
		return
	}
	if cursor := own.r.Header.Get("Last-Event-ID"); cursor != "" {
		call.Args = call.Args.With("after", cursor)
	}

	call.Follower = &api.Follower{
		Writer: &followStream{exchange: own, events: form == api.SSEType}, Streams: own.Streams,
		Stopped: own.Streams.Stopped(own.r),
	}
	reply := own.Gateway.Do(own.r.Context(), op, &call)
	if !own.wrote {
		own.write(reply)
	}
}

// followStream sends items as server-sent events or as lines. It implements api.FollowWriter.
type followStream struct {
	*exchange
	events bool // server-sent events, or otherwise lines
	text   []byte
}

// reconnectAfter is the delay after which a browser reconnects, in milliseconds.
const reconnectAfter = 2000

// Begin implements api.FollowWriter.
func (s *followStream) Begin(reply *api.Reply) {
	h := s.w.Header()
	reply.WriteHeader(h)
	h["Cache-Control"] = []string{"no-store"}
	contentType, first := ndjsonType, "\n"
	if s.events {
		contentType, first = []string{api.SSEType}, fmt.Sprintf("retry: %d\n\n", reconnectAfter)
	}

	s.beginStream(reply.Status, contentType)
	_ = s.push([]byte(first)) // the next write detects a disconnected client
}

// Write implements api.FollowWriter.
func (s *followStream) Write(lines []api.FollowedLine) error {
	s.text = s.text[:0]
	for _, line := range lines {
		if s.events {
			s.text = fmt.Appendf(s.text, "id: %s\nevent: %s\ndata: %s\n\n", line.Place, line.Type, line.JSON)
		} else {
			s.text = append(append(s.text, line.JSON...), '\n')
		}
	}

	return s.push(s.text)
}

// Beat implements api.FollowWriter. An id without data is no event, but browsers send it when they reconnect: the
// cursor of the last event may have expired by then.
func (s *followStream) Beat(after string) error {
	s.text = append(s.text[:0], '\n')
	if s.events {
		s.text = fmt.Appendf(s.text[:0], ": nothing new\nid: %s\n\n", after)
	}
	return s.push(s.text)
}
