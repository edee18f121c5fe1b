package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestConnectionReadsVariousResponses(t *testing.T) {
	long := strings.Repeat("a long answer; ", 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			http.Error(w, "no", http.StatusTooManyRequests)
		case "/chunked":
			w.(http.Flusher).Flush()
			w.Write([]byte(long))
		default:
			w.Write([]byte("short"))
		}
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	c, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()

	for _, want := range []struct { // all on one connection
		path, body string
		status     int
	}{
		{"/", "short", 200}, {"/chunked", long, 200}, {"/refused", "no\n", 429}, {"/chunked", long, 200},
		{"/", "short", 200},
	} {
		status, body, err := c.ask(get(address, want.path))
		if err != nil || status != want.status || string(body) != want.body {
			t.Errorf("%s: %d, %d bytes, %v", want.path, status, len(body), err)
		}
	}
}
