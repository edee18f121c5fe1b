package search

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

// A record is an encoded firm: the key of its name, one byte each for the state and the county, then numbers as varints
// and texts with their lengths before them. The high bit of the state's byte is SeatExpired.

// States are the states of a company, from the best to the worst. A record stores the position of the state in this
// list.
var States = []company.StateRegistration{
	company.UnknownState, company.InOperation, company.Suspended, company.Dissolved, company.InLiquidation,
	company.InReorganization, company.Insolvent, company.Bankrupt, company.StruckOff,
}

// In the release of September 2026, the European identifier of every company is euidPrefix and the register number.
// Such an identifier is stored as euidOfNumber.
const (
	euidPrefix   = tradenumber.Register
	euidOfNumber = "="
)

// seatExpired is the bit of SeatExpired in the state's byte.
const seatExpired = 0x80

// appendRecord appends the record of a firm.
func appendRecord(to []byte, f *Firm, key string) []byte {
	to = appendText(to, key)
	state := byte(max(0, slices.Index(States, f.State)))
	if f.SeatExpired {
		state |= seatExpired
	}

	to = append(to, state, byte(f.County))
	for _, n := range [...]int64{int64(f.TaxID), int64(f.Registered), int64(f.SIRUTA)} {
		to = binary.AppendUvarint(to, uint64(max(n, 0)))
	}

	euid := f.EUID
	if euid == euidPrefix+f.Number {
		euid = euidOfNumber
	}

	for _, text := range [...]string{f.Name, f.Form, f.Number, euid, f.City, f.Address, f.PostalCode, f.Website,
		strings.Join(f.Codes, ","), f.Main} {
		to = appendText(to, text)
	}

	return append(binary.AppendUvarint(to, uint64(len(f.Extra))), f.Extra...)
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// recordKey returns the key in a record.
func recordKey(record []byte) []byte {
	n, size := binary.Uvarint(record)
	return record[size : size+int(n)]
}

// readRecord decodes a record into a firm and its key. They do not share the memory of the record.
func readRecord(record []byte) (f Firm, key string) {
	r := fields(record) // one copy, shared by all texts
	key = r.text()
	f.State, f.SeatExpired, f.County = States[r[0]&^seatExpired], r[0]&seatExpired != 0, int(r[1])
	r = r[2:]
	f.TaxID, f.Registered, f.SIRUTA = ro.CUI(r.number()), ro.Date(r.number()), int(r.number())
	f.Name, f.Form, f.Number, f.EUID = r.text(), r.text(), r.text(), r.text()
	if f.EUID == euidOfNumber {
		f.EUID = euidPrefix + f.Number
	}

	f.City, f.Address, f.PostalCode, f.Website = r.text(), r.text(), r.text(), r.text()
	if codes := r.text(); codes != "" {
		f.Codes = strings.Split(codes, ",")
	}

	f.Main = r.text()
	if extra := r.text(); extra != "" {
		f.Extra = []byte(extra)
	}

	return f, key
}

// fields is the part of a record that has not been decoded yet.
type fields string

func (r *fields) number() uint64 {
	n, size := binary.Uvarint([]byte((*r)[:min(len(*r), binary.MaxVarintLen64)]))
	*r = (*r)[size:]
	return n
}

func (r *fields) text() string {
	n := r.number()
	text := string((*r)[:n])
	*r = (*r)[n:]
	return text
}
