package onrc

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// partJoin joins one part of each table.
type partJoin struct {
	*join
	reader     *firmReader
	activities activities
	dropped    reasons

	keys   []uint64            // of the companies, in the order of the main table
	byKey  map[uint64][]record // of all tables
	counts map[*table]int64    // records of each table
}

// record is a record of a table, without its key.
type record struct {
	table *table
	cells string
}

// orphans are the reasons for which records without a company are dropped.
var orphans = map[*table]Reason{
	stateTable: orphanState, activityTable: orphanActivity, officerTable: orphanPerson, traderTable: orphanPerson,
}

// run returns the companies of a part.
func (p *partJoin) run(part int) ([]search.Firm, error) {
	for _, t := range p.tables { // the main table is the first: it determines the companies
		if err := p.read(t, part); err != nil {
			return nil, err
		}
	}

	var firms []search.Firm
	for _, key := range p.keys {
		firms = append(firms, p.firmsOf(p.byKey[key])...)
	}

	return firms, nil
}

// read reads the records of a table. It drops those without a row in the main table.
func (p *partJoin) read(t *table, part int) error {
	body, err := os.ReadFile(partPath(t, p.dir, part))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamagedParts, err)
	}

	text := string(body) // the cells of all records are substrings of it
	for at := 0; at < len(body); p.counts[t]++ {
		key, head, end, ok := cutRecord(body[at:])
		if !ok {
			return fmt.Errorf("reading part %d of %s: %w", part, t.name, errDamagedParts)
		}

		cells := text[at+head : at+end]
		at += end
		records, known := p.byKey[key]
		if !known && t != firmTable {
			p.dropped[orphans[t]]++
			continue
		}
		if !known {
			p.keys = append(p.keys, key)
		}

		p.byKey[key] = append(records, record{t, cells})
	}

	return nil
}

// firmsOf returns the companies with one register number, usually a single one. If a company has several states, the
// one with the highest rank counts.
func (p *partJoin) firmsOf(records []record) []search.Firm {
	var firms []search.Firm
	var rank uint8
	var codes []string
	var x extra
	for _, r := range records {
		switch r.table {
		case firmTable:
			firms = p.addFirm(firms, r.cells)
		case stateTable:
			stateRank, ok := p.ranks[r.cells]
			if !ok {
				p.dropped[unknownState]++
			}

			rank = max(rank, stateRank)
			x.addState(r.cells, p.stateNames[r.cells], search.States[stateRank])
		case activityTable:
			code := p.activities.read(r.cells)
			if code == "" {
				p.dropped[wrongActivity]++
			} else if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		default:
			name, role, _ := strings.Cut(r.cells, "^")
			x.add(strings.Clone(name), strings.Clone(role), p.dropped)
		}
	}

	encoded := x.encode()
	for i := range firms {
		f := &firms[i]
		f.State, f.Codes, f.Extra = search.States[rank], codes, encoded
		f.Main = currentClass(p.mainActivities.class(ro.CUI(f.TaxID)), codes)
	}

	return firms
}

// addFirm adds the company of a row. Of several rows with the same tax id, or without one, it keeps only the newest and
// most complete.
func (p *partJoin) addFirm(firms []search.Firm, cells string) []search.Firm {
	f, ok := p.reader.read(cells)
	if !ok {
		return firms
	}

	same := slices.IndexFunc(firms, func(other search.Firm) bool {
		return other.TaxID == f.TaxID || other.TaxID == 0 || f.TaxID == 0
	})
	switch {
	case same < 0:
		return append(firms, f)
	case f.TaxID != 0 && firms[same].TaxID == 0, f.TaxID != 0 && f.Registered > firms[same].Registered:
		firms[same] = f
	}

	p.dropped[repeatedFirm]++
	return firms
}
