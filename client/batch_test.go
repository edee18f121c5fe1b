package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

const batchLines = `{"index":1,"reference":"S-2","input":"123","status":400,"problem":{"code":"invalid-request","status":400,"detail":"the control digit is wrong"}}

{"index":0,"taxId":9900000010,"status":200,"company":{"taxId":9900000010,"name":"EXEMPLU S.R.L.","vatPayer":null}}
`

const summaryLine = `{"summary":{"count":2,"found":1,"notFound":1,"failed":0,"tookMs":3,"creditsCost":1}}` + "\n"

func TestBatch(t *testing.T) {
	var sent struct {
		Items []struct {
			TaxID string `json:"taxId"`
			Date  string `json:"date"`
		} `json:"items"`
		Fields []string `json:"fields"`
	}
	var headers http.Header
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		headers = r.Header
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}

		answer(http.StatusOK, ndjsonType, batchLines+summaryLine)(w, r)
	})

	var summary BatchSummary
	items := make(map[int]BatchItem)
	june, _ := ParseDate("2026-06-10")
	list := Batch{Items: []BatchQuery{{TaxID: "9900000010", Date: june}, {TaxID: "123"}}, Fields: []string{"name"},
		Summary: &summary}
	for item, err := range c.Batch(t.Context(), list) {
		testkit.NoError(t, err)
		items[item.Index] = item
	}

	if len(sent.Items) != 2 || sent.Items[0].Date != "2026-06-10" || sent.Items[1].Date != "" ||
		len(sent.Fields) != 1 ||
		headers.Get("Accept") != ndjsonType || headers.Get("Idempotency-Key") == "" {
		t.Errorf("sent %+v with %v", sent, headers)
	}

	if len(items) != 2 || items[0].Company.Name != "EXEMPLU S.R.L." || items[0].Company.VATPayer != nil ||
		items[0].Problem != nil ||
		items[1].Company != nil || items[1].Problem.Code != CodeInvalidRequest || items[1].Reference != "S-2" {
		t.Errorf("got %+v", items)
	}

	if summary.Count != 2 || summary.CreditsCost != 1 || summary.CreditsRemaining != nil {
		t.Errorf("the summary is %+v", summary)
	}
}

// A stream that ends without its summary is an error, even after items were received.
func TestCutBatch(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   error
	}{
		"at a line's end": {answer(http.StatusOK, ndjsonType, batchLines), ErrCut},
		"in a line":       {answer(http.StatusOK, ndjsonType, batchLines+`{"index":2,"sta`), io.ErrUnexpectedEOF},
		"by the server": {func(w http.ResponseWriter, r *http.Request) {
			answer(http.StatusOK, ndjsonType, batchLines)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			found, failed := 0, error(nil)
			for _, err := range serve(t, c.handle).Batch(t.Context(), Batch{}) {
				if failed != nil {
					t.Error("it goes on after an error")
				}
				if failed = err; err == nil {
					found++
				}
			}

			var syntax *json.SyntaxError
			if found != 2 || !errors.Is(failed, c.want) && !(name == "in a line" && errors.As(failed, &syntax)) {
				t.Errorf("got %d items and %v", found, failed)
			}
		})
	}
}

func TestRefusedBatch(t *testing.T) {
	c := serve(t, answer(http.StatusBadRequest, problemType, `{"code":"invalid-request","status":400}`))
	errs := 0
	for _, err := range c.Batch(t.Context(), Batch{}) {
		var p *Problem
		if errs++; !errors.As(err, &p) {
			t.Errorf("got %v", err)
		}
	}

	if errs != 1 {
		t.Errorf("%d errors", errs)
	}
}

// A caller can stop early, and the connection is closed.
func TestBatchIsLeft(t *testing.T) {
	left := make(chan struct{})
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answer(http.StatusOK, ndjsonType, batchLines)(w, r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	})
	for item, err := range c.Batch(t.Context(), Batch{}) {
		if err != nil || item.Index != 1 {
			t.Fatalf("got %+v, %v", item, err)
		}
		break
	}

	<-left
}

func TestStreamsAreNotHTML(t *testing.T) {
	c := serve(t, answer(http.StatusOK, "text/html", strings.Repeat("<p>", 10)))
	for _, err := range c.Batch(t.Context(), Batch{}) {
		var u *UnexpectedAnswer
		if !errors.As(err, &u) {
			t.Errorf("got %v", err)
		}
	}
}
