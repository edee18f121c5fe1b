package anaf

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

const (
	statementPath = "/bilant"
	maxStatement  = 1 << 20 // bytes; the longest form has 46 indicators
)

// FirstFiledYear is the earliest year with statements at the tax authority (its instructions for the service, 2020).
const FirstFiledYear = 2014

// Filing identifies the financial statement of one company for one year.
type Filing struct {
	CUI  ro.CUI
	Year int
}

func (f Filing) String() string { return f.CUI.String() + "/" + strconv.Itoa(f.Year) }

// Statement is a yearly financial statement as filed, in any form.
type Statement struct {
	// Activity is the main activity, a CAEN class of four digits. It is nil if the statement has none.
	Activity *string
	// Indicators are the figures in ascending order of codes, with cleaned labels.
	Indicators []company.Indicator

	record *Record
}

// Record returns the answer from which the statement was parsed, as sent.
func (s *Statement) Record() *Record { return s.record }

// MarshalJSON encodes the record as text.
func (s *Statement) MarshalJSON() ([]byte, error) { return s.record.MarshalJSON() }

// UnmarshalJSON decodes the output of MarshalJSON.
func (s *Statement) UnmarshalJSON(text []byte) error {
	record := new(Record)
	if err := record.UnmarshalJSON(text); err != nil {
		return err
	}

	raw, err := record.Raw()
	if err != nil {
		return err
	}

	read, err := decodeStatement(http.StatusOK, raw, nil)
	if err != nil {
		return err
	}

	*s, s.record = *read, record
	return nil
}

// Size estimates the memory of the statement and its record.
func (s *Statement) Size() int64 {
	return int64(100*len(s.Indicators)) + s.record.Size()
}

// Statement requests one yearly statement. It returns op.ErrUnknown if the register holds none, because the company has
// not filed it or is unknown. Any other error is an *op.Failure. Statement does not limit the rate of its calls;
// ration.Paced does.
func (c *Client) Statement(ctx context.Context, f Filing) (*Statement, error) {
	res, err := c.upstream.Do(ctx, upstream.Request{
		Path:    fmt.Sprintf("%s?an=%d&cui=%d", statementPath, f.Year, f.CUI),
		Header:  http.Header{"Accept": {"application/json"}},
		MaxBody: maxStatement,
	})
	if err != nil {
		return nil, err
	}

	s, err := decodeStatement(res.Status, res.Body, &f)
	switch {
	case err == nil:
		s.record = NewRecord(res.Body)
	case err != op.ErrUnknown:
		err = broken(fmt.Errorf("requesting the statement %s: status %d: %w", f, res.Status, err))
	}

	return s, err
}

// decodeStatement parses an answer of any status. If a filing is given, it checks that the answer belongs to it. The
// answer for a nonexistent statement has status 200 and no indicators.
func decodeStatement(status int, body []byte, f *Filing) (*Statement, error) {
	body, err := findObject(status, body)
	if err != nil {
		return nil, err
	}

	var answer struct {
		envelope
		CUI        *number         `json:"cui"`
		Year       *number         `json:"an"`
		Activity   text            `json:"caen"`
		Indicators json.RawMessage `json:"i"`
	}

	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	if err := answer.check(status, body, answer.Indicators != nil); err != nil {
		return nil, err
	}

	switch {
	case answer.Indicators == nil:
		return nil, errors.New("it has no list of indicators")
	case f == nil:
	case answer.CUI != nil && int64(*answer.CUI) != int64(f.CUI), answer.Year != nil && int(*answer.Year) != f.Year:
		return nil, errors.New("it is about another company or year")
	}

	var filed list[indicator]
	if err := json.Unmarshal(answer.Indicators, &filed); err != nil {
		return nil, fmt.Errorf("reading indicators: %w", err)
	}
	if len(filed) == 0 {
		return nil, op.ErrUnknown
	}

	s := &Statement{Activity: digits(answer.Activity, 4)}
	for _, i := range filed {
		read := company.Indicator{Code: clean(i.Code), Label: clean(i.Label), Value: i.Value.int64}
		if read.Code == "" || read.Label == "" {
			return nil, errors.New("an indicator has no code or no label")
		}

		s.Indicators = append(s.Indicators, read)
	}

	slices.SortStableFunc(s.Indicators, func(a, b company.Indicator) int {
		return cmp.Compare(ordinal(a.Code), ordinal(b.Code))
	})
	return s, nil
}

type indicator struct {
	Code  text   `json:"indicator"`
	Label text   `json:"val_den_indicator"`
	Value amount `json:"val_indicator"`
}

// ordinal returns the number in an indicator's code, such as I1. Other codes come last. Ordering is necessary because
// the register's order varies.
func ordinal(code string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(code, "I"))
	if err != nil {
		return math.MaxInt
	}
	return n
}
