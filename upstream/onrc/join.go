package onrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// errDamagedParts marks damaged parts on disk, for example after a power failure.
var errDamagedParts = errors.New("the parts on disk are damaged")

// join joins the tables of a release, one part at a time.
type join struct {
	dir            string
	ranks          map[string]uint8  // of state codes
	stateNames     map[string]string // of state codes, in Romanian
	mainActivities map[ro.CUI]uint16
	tables         []*table         // the main table is the first: it determines the companies
	kept           map[*table]int64 // expected records of their parts
	joined         func(rows int64) // called after each part

	reader     *firmReader
	activities activities
	dropped    reasons
	counts     map[*table]int64 // records of the parts joined so far
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

// rows returns the number of records to join.
func (j *join) rows() (n int64) {
	for _, t := range j.tables {
		n += j.kept[t]
	}
	return n
}

// firms iterates over the companies of all parts, in no particular order. A failure comes last, as an error. The parts
// are removed after the last company, because the index needs the disk space.
func (j *join) firms(ctx context.Context) iter.Seq2[search.Firm, error] {
	return func(yield func(search.Firm, error) bool) {
		for part := range partCount {
			keys, records, err := j.readPart(part)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				yield(search.Firm{}, err)
				return
			}

			for _, key := range keys {
				for _, f := range j.firmsOf(records[key]) {
					if !yield(f, nil) {
						return
					}
				}
			}
		}

		if err := j.finish(); err != nil {
			yield(search.Firm{}, err)
		}
	}
}

// readPart reads a part of each table. It returns the keys of the companies, in the order of the main table, and the
// records with each key.
func (j *join) readPart(part int) (keys []uint64, records map[uint64][]record, err error) {
	records = map[uint64][]record{}
	for _, t := range j.tables {
		body, err := os.ReadFile(partPath(t, j.dir, part))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errDamagedParts, err)
		}

		text, rows := string(body), int64(0) // the cells of all records are substrings of the text
		for at := 0; at < len(body); rows++ {
			key, head, end, ok := cutRecord(body[at:])
			if !ok {
				return nil, nil, fmt.Errorf("reading part %d of %s: %w", part, t.name, errDamagedParts)
			}

			cells := text[at+head : at+end]
			at += end
			of, known := records[key]
			if !known && t != firmTable {
				j.dropped[orphans[t]]++
				continue
			}
			if !known {
				keys = append(keys, key)
			}

			records[key] = append(of, record{t, cells})
		}

		j.counts[t] += rows
		j.joined(rows)
	}

	return keys, records, nil
}

// finish checks that nothing is missing, and removes the parts.
func (j *join) finish() error {
	for t, n := range j.kept {
		if j.counts[t] != n {
			return fmt.Errorf("%s has %d records of %d: %w", t.name, j.counts[t], n, errDamagedParts)
		}
	}

	for _, t := range j.tables {
		if err := removeSplit(t, j.dir); err != nil {
			return err
		}
	}

	return nil
}

// firmsOf returns the companies with one register number, usually a single one. If a company has several states, the
// one with the highest rank counts.
func (j *join) firmsOf(records []record) []search.Firm {
	var firms []search.Firm
	var rank uint8
	var expired bool
	var codes []string
	var x Extra
	for _, r := range records {
		switch r.table {
		case firmTable:
			firms = j.addFirm(firms, r.cells)
		case stateTable:
			stateRank, ok := j.ranks[r.cells]
			if !ok {
				j.dropped[unknownState]++
			}

			rank, expired = max(rank, stateRank), expired || r.cells == seatExpired
			x.addState(r.cells, j.stateNames[r.cells], search.States[stateRank])
		case activityTable:
			code := j.activities.read(r.cells)
			if code == "" {
				j.dropped[wrongActivity]++
			} else if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		default:
			name, role, _ := strings.Cut(r.cells, "^")
			x.add(strings.Clone(name), strings.Clone(role), j.dropped)
		}
	}

	encoded := x.encode()
	for i := range firms {
		f := &firms[i]
		f.State, f.SeatExpired, f.Codes, f.Extra = search.States[rank], expired, codes, encoded
		f.Main = currentClass(j.mainActivities[f.TaxID], codes)
	}

	return firms
}

// addFirm adds the company of a row. Of several rows with the same tax id, or without one, it keeps only the newest and
// most complete.
func (j *join) addFirm(firms []search.Firm, cells string) []search.Firm {
	f, ok := j.reader.read(cells)
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

	j.dropped[repeatedFirm]++
	return firms
}
