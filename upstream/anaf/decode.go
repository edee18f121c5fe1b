package anaf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// answer has the records of a response, and the unknown numbers.
type answer[R any] struct {
	Found    list[R]
	NotFound list[number]
}

// missing returns the unknown numbers.
func (a *answer[R]) missing() map[api.CUI]bool {
	missing := make(map[api.CUI]bool, len(a.NotFound))
	for _, n := range a.NotFound {
		missing[api.CUI(n)] = true
	}
	return missing
}

// decode parses a response of any status, because the answer that none of the numbers is known has status 404. It calls
// pause between records. The error describes an unexpected body.
func decode[R any](status int, body []byte, pause func()) (*answer[R], error) {
	body, err := object(status, body)
	if err != nil {
		return nil, err
	}

	var a answer[R]
	e, complete, err := a.read(body, pause)
	if err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	if err := e.check(status, body, complete); err != nil {
		return nil, err
	}
	if !complete {
		return nil, errors.New("it has neither found nor notFound")
	}

	return &a, nil
}

// read parses the body member by member, and its lists element by element, so that it can pause in between. It reports
// whether the answer is complete, which means that it has at least one of the two lists. Not all answers have an
// envelope.
func (a *answer[R]) read(body []byte, pause func()) (e envelope, complete bool, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	if _, err := in.Token(); err != nil { // the opening brace
		return e, false, err
	}

	for in.More() {
		name, err := in.Token()
		if err != nil {
			return e, false, err
		}

		switch strings.ToLower(name.(string)) { // as json.Unmarshal matches names
		case "found":
			complete, err = true, a.Found.read(in, body, pause)
		case "notfound":
			complete, err = true, a.NotFound.read(in, body, pause)
		case "cod":
			err = in.Decode(&e.Code)
		case "message":
			err = in.Decode(&e.Message)
		default:
			err = in.Decode(new(json.RawMessage))
		}

		if err != nil {
			return e, false, err
		}
	}

	if _, err := in.Token(); err != nil { // the closing brace
		return e, false, err
	}
	if _, err := in.Token(); err != io.EOF {
		return e, false, errors.New("there is more text after the object")
	}

	return e, complete, nil
}

// object returns the JSON object of a response. It does not check the status first, because the firewall's pages and
// the maintenance page have status 200.
func object(status int, body []byte) ([]byte, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("{")) {
		return nil, foreign(status, body)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the text is not UTF-8")
	}

	return body, nil
}

// envelope is the part common to the answers of all services.
type envelope struct {
	Code    *number `json:"cod"`
	Message text    `json:"message"`
}

// check rejects an answer that reports an error by its status or its code. A 404 with the requested data is a valid
// answer.
func (e *envelope) check(status int, body []byte, complete bool) error {
	switch {
	case status == http.StatusBadRequest:
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	case status == http.StatusNotFound && complete:
	case e.Code != nil && *e.Code != http.StatusOK:
		return fmt.Errorf("the register reports error %d: %.200q", *e.Code, e.Message)
	case status != http.StatusOK:
		return errors.New("the register failed")
	}

	return nil
}

// foreign describes a body that is not a JSON object.
func foreign(status int, body []byte) error {
	switch {
	case bytes.Contains(body, []byte("Request Rejected")):
		return errors.New("the firewall rejected the request")
	case bytes.Contains(body, []byte("Mentenan")):
		return errors.New("the register is under maintenance")
	case len(body) == 0:
		return errors.New("the answer is empty")
	case status == http.StatusBadRequest && body[0] != '<':
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	}

	return fmt.Errorf("not JSON: %.80q", body)
}
