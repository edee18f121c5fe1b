package rest

import (
	"fmt"
	"net/http"

	"github.com/rodata/rodata/op"
)

// followForms are the media types of an operation that can be followed, the default first.
var followForms = []string{"application/json", op.SSEType, op.NDJSONType}

// answerFollowed answers an operation that can be followed, with a page or with a stream. Like answerByRow, it works on
// a copy of the exchange.
func (x *exchange) answerFollowed(o *op.Operation, inPath op.PathArgs) {
	own := new(*x)
	defer func() { x.wrote = own.wrote }()
	call := op.Call{InPath: inPath}
	own.read(&call, o)
	own.w.Header()["Vary"] = varyAccept

	form := own.preferredType(followForms)
	if form == followForms[0] || own.r.Method == http.MethodHead {
		own.write(own.Gateway.Do(own.r.Context(), o, &call))
		return
	}
	if cursor := own.r.Header.Get("Last-Event-ID"); cursor != "" {
		call.Args = call.Args.With("after", cursor)
	}

	call.Follower = &op.Follower{
		Writer: &followStream{exchange: own, events: form == op.SSEType}, Streams: own.Streams,
		Stopped: own.Streams.Stopped(own.r),
	}
	reply := own.Gateway.Do(own.r.Context(), o, &call)
	if !own.wrote {
		own.write(reply)
	}
}

// followStream sends items as server-sent events or as lines. It implements op.FollowWriter.
type followStream struct {
	*exchange
	events bool // server-sent events, or otherwise lines
	text   []byte
}

// reconnectAfter is the delay after which a browser reconnects, in milliseconds.
const reconnectAfter = 2000

// Begin implements op.FollowWriter.
func (s *followStream) Begin(reply *op.Reply) {
	h := s.w.Header()
	reply.WriteHeader(h)
	h["Cache-Control"] = []string{"no-store"}
	contentType, first := ndjsonType, "\n"
	if s.events {
		contentType, first = []string{op.SSEType}, fmt.Sprintf("retry: %d\n\n", reconnectAfter)
	}

	s.beginStream(reply.Status, contentType)
	_ = s.push([]byte(first)) // the next write detects a disconnected client
}

// Write implements op.FollowWriter.
func (s *followStream) Write(lines []op.FollowedLine) error {
	s.text = s.text[:0]
	for _, line := range lines {
		if s.events {
			s.text = fmt.Appendf(s.text, "id: %s\nevent: %s\ndata: %s\n\n", line.Cursor, line.Type, line.JSON)
		} else {
			s.text = append(append(s.text, line.JSON...), '\n')
		}
	}

	return s.push(s.text)
}

// Beat implements op.FollowWriter. An id without data is no event, but browsers send it when they reconnect: the
// cursor of the last event may have expired by then.
func (s *followStream) Beat(after string) error {
	s.text = append(s.text[:0], '\n')
	if s.events {
		s.text = fmt.Appendf(s.text[:0], ": nothing new\nid: %s\n\n", after)
	}
	return s.push(s.text)
}
