package onrc

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/index"
)

// partJoin joins one part of each table.
type partJoin struct {
	*join
	reader     *firmReader
	activities activities
	dropped    reasons
	records    map[*table]int64
	slots      []slot
	byKey      map[uint64]int
}

// slot is everything that the tables have under one register number.
type slot struct {
	rows    []string // of the main table, usually one
	rank    uint8    // the worst state
	codes   []string
	persons Representatives
}

func (p *partJoin) run(part int) ([]index.Firm, error) {
	p.records, p.byKey = map[*table]int64{}, map[uint64]int{}
	for _, t := range p.tables {
		body, err := os.ReadFile(partPath(t, p.dir, part))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDamagedParts, err)
		}

		add, text := p.adder(t), string(body)
		for at := 0; at < len(body); p.records[t]++ {
			key, head, end, ok := cutRecord(body[at:])
			if !ok {
				return nil, fmt.Errorf("reading part %d of %s: %w", part, t.name, errDamagedParts)
			}
			add(key, text[at+head:at+end])
			at += end
		}
	}

	var firms []index.Firm
	for i := range p.slots {
		firms = append(firms, p.firmsOf(&p.slots[i])...)
	}
	return firms, nil
}

// cutRecord returns the key of the first record of a text, and where its cells begin and
// end.
func cutRecord(body []byte) (key uint64, head, end int, ok bool) {
	if len(body) < 8 {
		return 0, 0, 0, false
	}
	length, n := binary.Uvarint(body[8:])
	if n <= 0 || length > uint64(len(body)-8-n) {
		return 0, 0, 0, false
	}

	head = 8 + n
	return binary.LittleEndian.Uint64(body), head, head + int(length), true
}

// adder returns the function that adds records of a table. The main table comes first and
// creates the slots.
func (p *partJoin) adder(t *table) func(key uint64, cells string) {
	orphan := map[*table]Reason{stateTable: orphanState, activityTable: orphanActivity, officerTable: orphanPerson, traderTable: orphanPerson}[t]
	var into func(*slot, string)
	switch t {
	case firmTable:
		return func(key uint64, cells string) {
			i, ok := p.byKey[key]
			if !ok {
				i = len(p.slots)
				p.byKey[key], p.slots = i, append(p.slots, slot{})
			}
			p.slots[i].rows = append(p.slots[i].rows, cells)
		}
	case stateTable:
		into = p.addState
	case activityTable:
		into = p.addActivity
	default:
		into = func(s *slot, cells string) {
			name, role, _ := strings.Cut(cells, "^")
			s.persons.add(strings.Clone(name), strings.Clone(role), p.dropped)
		}
	}

	return func(key uint64, cells string) {
		if i, ok := p.byKey[key]; ok {
			into(&p.slots[i], cells)
		} else {
			p.dropped[orphan]++
		}
	}
}

func (p *partJoin) addState(s *slot, code string) {
	rank, ok := p.ranks[code]
	if !ok {
		p.dropped[unknownState]++
	}
	s.rank = max(s.rank, rank)
}

func (p *partJoin) addActivity(s *slot, cells string) {
	code := p.activities.read(cells)
	switch {
	case code == "":
		p.dropped[wrongActivity]++
	case !slices.Contains(s.codes, code):
		s.codes = append(s.codes, code)
	}
}

// firmsOf are the companies under one register number, usually one. Of rows with the same
// tax id, or without one, the newest and most complete counts.
func (p *partJoin) firmsOf(s *slot) []index.Firm {
	var firms []index.Firm
	for _, row := range s.rows {
		f, ok := p.reader.read(row)
		if !ok {
			continue
		}

		same := slices.IndexFunc(firms, func(other index.Firm) bool {
			return other.TaxID == f.TaxID || other.TaxID == 0 || f.TaxID == 0
		})
		switch {
		case same < 0:
			firms = append(firms, f)
			continue
		case f.TaxID != 0 && firms[same].TaxID == 0, f.TaxID != 0 && f.Registered > firms[same].Registered:
			firms[same] = f
		}

		p.dropped[repeatedFirm]++
	}

	extra := s.persons.encoded()
	for i := range firms {
		f := &firms[i]
		f.State, f.Codes, f.Extra = index.States[s.rank], s.codes, extra
		f.Main = currentClass(p.mainActivities.of(api.CUI(f.TaxID)), s.codes)
	}

	return firms
}
