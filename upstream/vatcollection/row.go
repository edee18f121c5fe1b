package vatcollection

import (
	"bytes"
	"cmp"
	"errors"
	"time"

	"github.com/rodata/rodata/ro"
)

// row is a line of the file in 16 bytes. Its fields have fixed sizes, because this is also its format on disk.
type row struct {
	key uint32 // the tax id without its check digit, and the kind in the lowest two bits
	id  uint32 // the lowest 32 bits of the line's id
	// start, end, published and entered are days since dayBase, 0 for none.
	start, end, published, entered uint16
}

// rowSize is the size of a row in bytes.
const rowSize = 16

// kind is the effect of a line.
type kind uint32

const (
	registration kind = iota
	correction
	removal

	kindBits = 2
)

// dayBase is the day before the first day that a row can hold. The last one is in 2169.
var dayBase = ro.NewDate(1989, time.December, 31)

const lastDay = 1<<16 - 1

func (r row) kind() kind { return kind(r.key & (1<<kindBits - 1)) }

func (r row) company() uint32 { return r.key >> kindBits }

// companyOf returns the key by which a company's rows are found: its CUI without the check digit.
func companyOf(cui ro.CUI) uint32 { return uint32(cui / 10) }

// compare orders rows by company, entry and id. A line without a day of entry counts as entered on its publication.
func (r row) compare(o row) int {
	if byCompany := cmp.Compare(r.company(), o.company()); byCompany != 0 {
		return byCompany
	}
	return cmp.Or(cmp.Compare(r.order(), o.order()), cmp.Compare(r.id, o.id),
		cmp.Compare(r.kind(), o.kind()), cmp.Compare(r.start, o.start), cmp.Compare(r.end, o.end),
		cmp.Compare(r.published, o.published))
}

func (r row) order() uint16 { return cmp.Or(r.entered, r.published) }

// period returns the period in the row, without regard to other rows.
func (r row) period() Period {
	p := Period{From: dayOf(r.start), To: dayOf(r.end), Recorded: dayOf(max(r.published, r.entered))}
	if r.kind() == removal && p.To == 0 {
		p.To = p.Recorded
	}
	return p
}

func dayOf(packed uint16) ro.Date {
	if packed == 0 {
		return 0
	}
	return dayBase + ro.Date(packed)
}

// The reasons for rejecting a line.
var (
	errColumns   = errors.New("it does not have seven columns")
	errLineID    = errors.New("its id is not a number")
	errCompany   = errors.New("it has no valid tax id")
	errDay       = errors.New("one of its days is not written YYYYMMDD")
	errKind      = errors.New("its kind is not I, E or D")
	errNoPeriod  = errors.New("it has neither a start nor an end")
	errNoStart   = errors.New("it registers without a start")
	errNotStated = errors.New("it has neither a day of publication nor one of entry")
)

// parseRow parses a line of the file.
func parseRow(line []byte) (r row, err error) {
	var fields [7][]byte
	rest, more := line, true
	for i := range fields {
		if !more {
			return row{}, errColumns
		}

		fields[i], rest, more = bytes.Cut(rest, []byte{'#'})
		fields[i] = bytes.TrimSpace(fields[i])
	}

	if more {
		return row{}, errColumns
	}

	id, ok := digits(fields[0])
	if !ok {
		return row{}, errLineID
	}

	number, ok := digits(fields[1])
	if cui := ro.CUI(number); !ok || !cui.Valid() {
		return row{}, errCompany
	}

	for i, packed := range []*uint16{&r.start, &r.end, &r.published, &r.entered} {
		if *packed, ok = packDay(fields[2+i]); !ok {
			return row{}, errDay
		}
	}

	k, ok := parseKind(fields[6])
	switch {
	case !ok:
		return row{}, errKind
	case r.start == 0 && r.end == 0:
		return row{}, errNoPeriod
	case r.start == 0 && k == registration:
		return row{}, errNoStart
	case r.order() == 0:
		return row{}, errNotStated
	}

	r.id, r.key = uint32(id), companyOf(ro.CUI(number))<<kindBits|uint32(k)
	return r, nil
}

func parseKind(text []byte) (kind, bool) {
	switch string(text) {
	case "I":
		return registration, true
	case "E":
		return correction, true
	case "D":
		return removal, true
	}

	return 0, false
}

// digits parses a number of 1 to 18 digits, which fits an int64.
func digits(text []byte) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}

	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}

	return n, true
}

// packDay parses a day, or an empty text. A day too far in the future, such as 99991231, counts as absent.
func packDay(text []byte) (packed uint16, ok bool) {
	if len(text) == 0 {
		return 0, true
	}

	n, ok := digits(text)
	if !ok || len(text) != len("20260101") {
		return 0, false
	}

	year, month, date := int(n/10000), time.Month(n/100%100), int(n%100)
	day := ro.NewDate(year, month, date)
	if y, m, d := day.UTC().Date(); y != year || m != month || d != date || day <= dayBase {
		return 0, false
	}
	if day-dayBase > lastDay {
		return 0, true
	}

	return uint16(day - dayBase), true
}
