package blackbox

import (
	"encoding/json"
	"testing"
	"time"
)

// job is the state of a job.
type job struct {
	ID, Name, Status               string
	Total, Done, Found, NotFound   int
	Invalid, Failed                int
	CreditsReserved, CreditsCost   int
	Column, CompletedAt, ExpiresAt string
}

func (a answer) job(t *testing.T) (j job) {
	t.Helper()
	if err := json.Unmarshal(a.body, &j); err != nil || j.ID == "" {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	return j
}

func (w *wallet) upload(t *testing.T, g *gateway, query, media, body string, more ...string) answer {
	t.Helper()
	header := map[string]string{"X-Api-Key": w.key, "Content-Type": media, "Prefer": "wait=30"}
	for i := 0; i+1 < len(more); i += 2 {
		header[more[i]] = more[i+1]
	}

	return g.do(t, "POST", "/v1/jobs"+query, request{header: header, body: body})
}

// ended waits until a job has ended.
func (w *wallet) ended(t *testing.T, g *gateway, a answer) job {
	t.Helper()
	j := a.job(t)
	for deadline := time.Now().Add(time.Minute); j.Status == "queued" || j.Status == "running"; {
		if time.Now().After(deadline) {
			t.Fatalf("%+v has not ended", j)
		}
		j = w.get(t, g, "/v1/jobs/"+j.ID).job(t)
	}

	return j
}
