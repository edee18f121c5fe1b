package upstreamtest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// control answers the requests to /sim, which script a stand-in from outside.
func (s *StandIn) control(w http.ResponseWriter, r *http.Request, body string) {
	switch r.Method + " " + r.URL.Path {
	case "GET /sim/requests":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Requests())
	case "POST /sim/faults":
		s.script(w, body, func(faults []Fault) { s.Queue(faults...) })
	case "PUT /sim/faults":
		s.script(w, body, func(faults []Fault) { s.Always(faults[len(faults)-1]) })
	case "DELETE /sim/faults":
		s.clear()
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Error(w, "GET /sim/requests; POST, PUT and DELETE /sim/faults", http.StatusNotFound)
	}
}

// script reads one fault a line and, when all are known, uses them.
func (s *StandIn) script(w http.ResponseWriter, body string, use func([]Fault)) {
	var faults []Fault
	for line := range strings.Lines(strings.TrimSpace(body)) {
		f, err := ParseFault(line)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		faults = append(faults, f)
	}

	if len(faults) == 0 {
		http.Error(w, "the body has one fault a line, as delay=2s", http.StatusBadRequest)
		return
	}

	use(faults)
	w.WriteHeader(http.StatusNoContent)
}

// clear forgets all scripted faults and lets hanging answers go on.
func (s *StandIn) clear() {
	s.mu.Lock()
	s.queue, s.always = nil, Fault{}
	s.mu.Unlock()
	s.Release()
}
