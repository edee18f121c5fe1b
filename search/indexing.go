package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rodata/rodata/internal/tradenumber"
)

// indexLine writes the record in a line of receive as the next doc, and indexes it by all its terms and keys.
func (b *builder) indexLine(line []byte) error {
	end := len(line) - 4
	record, doc := line[binary.BigEndian.Uint32(line[end:]):end], uint32(b.indexed)
	if err := b.writeOffset(); err != nil {
		return err
	}
	if _, err := b.out[recordsFile].Write(record); err != nil {
		return err
	}

	f, key := readRecord(record)
	f.terms(key, func(field byte, text string) { b.lexicon.add(field, text, doc) })
	if f.Registered != 0 {
		b.dates.add(uint64(f.Registered), doc)
	}
	if f.TaxID != 0 {
		b.taxIDs.add(uint64(f.TaxID), doc)
	}
	if number, ok := tradenumber.Parse(f.Number); ok {
		b.numbers.add(number.Key(), doc)
	}

	b.join(key, doc)
	if b.indexed++; b.indexed%progressEvery == 0 {
		b.progress(b.indexed, b.received)
	}

	return nil
}

// join indexes a doc by its name without spaces and by each pair of neighbouring words joined into one.
func (b *builder) join(key string, doc uint32) {
	all := strings.Fields(key)
	b.joined.add(joinedKey(append([]string{wholeName}, all...)...), doc)
	for i := 1; i < len(all); i++ {
		b.joined.add(joinedKey(all[i-1], all[i]), doc)
	}
}

func (b *builder) writeOffset() error {
	_, err := b.out[offsetsFile].Write(binary.LittleEndian.AppendUint64(nil, uint64(b.out[recordsFile].size)))
	return err
}

// finish writes the files that need all docs, and seals every file.
func (b *builder) finish(ctx context.Context) error {
	if err := b.writeOffset(); err != nil {
		return err
	}
	if err := b.lexicon.write(ctx, b.out[lexiconFile], postings{b.out[postingsFile]}); err != nil {
		return err
	}

	n := int(b.indexed)
	for _, part := range []struct {
		from          spool
		order, lookup string
	}{
		{b.dates, datesFile, ""}, {b.taxIDs, taxOrderFile, taxIDsFile}, {b.numbers, "", numbersFile},
		{b.joined, "", joinedFile},
	} {
		pairs, err := part.from.readSorted()
		if err == nil && part.order != "" {
			err = writeOrder(b.out[part.order], pairs, n)
		}
		if err == nil && part.lookup != "" {
			err = writeLookup(b.out[part.lookup], pairs)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}

	for name, out := range b.out {
		var err error
		if b.seals[name], err = out.finish(); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}

	b.progress(b.indexed, b.received)
	return nil
}
