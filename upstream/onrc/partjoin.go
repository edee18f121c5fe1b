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

func (p *partJoin) run(part int) ([]index.Firm, error) {
	p.records = map[*table]int64{}
	var keys []uint64
	rows := map[uint64][]record{}
	for _, t := range p.tables { // the main table is the first
		body, err := os.ReadFile(partPath(t, p.dir, part))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDamagedParts, err)
		}

		text := string(body)
		for at := 0; at < len(body); p.records[t]++ {
			key, head, end, ok := cutRecord(body[at:])
			if !ok {
				return nil, fmt.Errorf("reading part %d of %s: %w", part, t.name, errDamagedParts)
			}

			company, known := rows[key]
			switch {
			case !known && t != firmTable:
				p.dropped[orphans[t]]++
			case !known:
				keys = append(keys, key)
				fallthrough
			default:
				rows[key] = append(company, record{t, text[at+head : at+end]})
			}

			at += end
		}
	}

	var firms []index.Firm
	for _, key := range keys {
		firms = append(firms, p.firmsOf(rows[key])...)
	}

	return firms, nil
}

// cutRecord returns the key of the first record of a text, and the positions at which its cells begin and end.
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

// firmsOf returns the companies with one register number, usually a single one. If a company has several states, the
// worst counts.
func (p *partJoin) firmsOf(rows []record) []index.Firm {
	var firms []index.Firm
	var rank uint8
	var codes []string
	var more extra
	for _, r := range rows {
		switch r.table {
		case firmTable:
			firms = p.addFirm(firms, r.cells)
		case stateTable:
			stateRank, ok := p.ranks[r.cells]
			if !ok {
				p.dropped[unknownState]++
			}

			rank = max(rank, stateRank)
			more.addState(r.cells, p.stateNames[r.cells], index.States[stateRank])
		case activityTable:
			code := p.activities.read(r.cells)
			if code == "" {
				p.dropped[wrongActivity]++
			} else if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		default:
			name, role, _ := strings.Cut(r.cells, "^")
			more.add(strings.Clone(name), strings.Clone(role), p.dropped)
		}
	}

	rest := more.encoded()
	for i := range firms {
		f := &firms[i]
		f.State, f.Codes, f.Extra = index.States[rank], codes, rest
		f.Main = currentClass(p.mainActivities.of(api.CUI(f.TaxID)), codes)
	}

	return firms
}

// addFirm adds the company of a row. If several rows have the same tax id, or none, the newest and most complete row
// counts.
func (p *partJoin) addFirm(firms []index.Firm, cells string) []index.Firm {
	f, ok := p.reader.read(cells)
	if !ok {
		return firms
	}

	same := slices.IndexFunc(firms, func(other index.Firm) bool {
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
