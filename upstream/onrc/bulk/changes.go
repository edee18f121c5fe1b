package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/bits-and-blooms/bitset"

	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

// changeColumns are the columns of the changes between two releases. A row is a company that was added or removed, or
// one changed field.
var changeColumns = []table.Column{
	{Name: "change"}, {Name: "taxId", Kind: table.Integer}, {Name: "tradeNumber"}, {Name: "name"}, {Name: "field"},
	{Name: "before"}, {Name: "after"},
}

// The values of the column change.
const (
	added   = "added"
	removed = "removed"
	changed = "changed"
)

// comparison compares two releases. It reads the earlier one sequentially, and looks up each company in the later one.
type comparison struct {
	*draft
	to      table.Writer
	seen    *bitset.BitSet // companies of the later release that are in the earlier one
	from    []int          // the index of each column in the earlier release; -1 for a new column
	rows    int
	earlier []string // the cells of a company in the earlier release, in the order of columns
	later   []string
}

// changes writes the changes since the previous release, and returns the number of rows.
func (d *draft) changes(ctx context.Context, to table.Writer) (rows int, err error) {
	defer func() { err = errors.Join(err, to.Close()) }()
	file, err := os.Open(filepath.Join(d.before.path, release.Parquet.Name))
	if err != nil {
		return 0, err
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return 0, err
	}

	earlier, err := table.OpenParquet(file, info.Size())
	if err != nil {
		return 0, err
	}
	defer earlier.Close()

	c := &comparison{draft: d, to: to, seen: bitset.New(uint(d.index.Len())), earlier: make([]string, len(columns))}
	for _, column := range columns {
		c.from = append(c.from, slices.Index(earlier.Columns(), column))
	}

	err = c.run(ctx, earlier)
	return c.rows, err
}

func (c *comparison) run(ctx context.Context, earlier *table.Parquet) error {
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		cells, err := earlier.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the earlier release: %w", err)
		}
		if err := c.compare(cells); err != nil {
			return err
		}
	}

	for doc := range uint32(c.index.Len()) {
		if c.seen.Test(uint(doc)) {
			continue
		}

		firm := c.index.At(doc)
		c.later = appendCells(c.later[:0], &firm)
		if err := c.write(added, c.later, "", "", ""); err != nil {
			return err
		}
	}

	return nil
}

// compare writes the changes of a company of the earlier release.
func (c *comparison) compare(cells []string) error {
	for i, from := range c.from {
		c.earlier[i] = ""
		if from >= 0 {
			c.earlier[i] = cells[from]
		}
	}

	doc, ok := c.find()
	if !ok {
		return c.write(removed, c.earlier, "", "", "")
	}

	c.seen.Set(uint(doc))
	firm := c.index.At(doc)
	c.later = appendCells(c.later[:0], &firm)
	for i, column := range columns {
		if c.from[i] < 0 || c.earlier[i] == c.later[i] {
			continue
		}
		if err := c.write(changed, c.later, column.Name, c.earlier[i], c.later[i]); err != nil {
			return err
		}
	}

	return nil
}

// find returns the doc of the company in the later release: by its trade register number, in any format, or else
// by its tax id. If several companies have the number, the one with the same tax id takes precedence.
func (c *comparison) find() (doc uint32, ok bool) {
	n, _ := strconv.ParseInt(c.earlier[taxIDColumn], 10, 64)
	id := ro.CUI(n)
	candidates := c.index.WithTaxID(id)
	if number, ok := tradenumber.Parse(c.earlier[numberColumn]); ok {
		candidates = c.index.WithNumber(number)
	}

	for candidate := range candidates {
		if c.seen.Test(uint(candidate)) {
			continue
		}
		if c.index.At(candidate).TaxID == id {
			return candidate, true
		}
		if !ok {
			doc, ok = candidate, true
		}
	}

	return doc, ok
}

func (c *comparison) write(change string, company []string, field, before, after string) error {
	c.rows++
	return c.to.Write([]string{change, company[taxIDColumn], company[numberColumn], company[nameColumn], field,
		before, after})
}
