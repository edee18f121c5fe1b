package bulk

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// draft is a release being created.
type draft struct {
	folder // temporary
	index  *search.Index
	before *folder // the previous release; nil if there is none
}

// make creates the files of a release.
func (f *Files) make(ctx context.Context, x *search.Index, published ro.Date, loaded time.Time) (_ *folder, err error) {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}

	dir, err := os.MkdirTemp(f.Dir, making)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }() // no effect once the directory is renamed

	d := &draft{index: x, before: f.releaseBefore(published), folder: folder{path: dir, Loaded: loaded,
		Release: release.Release{Date: published, Companies: x.Len(), Files: []release.ReleaseFile{}}}}
	if err := d.write(ctx); err != nil {
		return nil, fmt.Errorf("creating the files of the release of %s: %w", published, err)
	}

	body, err := json.MarshalIndent(d.folder, "", "\t")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, releaseFile), append(body, '\n'), 0o600); err != nil {
		return nil, err
	}

	made := d.folder
	made.path = filepath.Join(f.Dir, fmt.Sprintf("%s-%d", published, loaded.Unix()))
	// a folder without a readable release.json may be there
	return &made, errors.Join(os.RemoveAll(made.path), os.Rename(dir, made.path))
}

// write writes all files.
func (d *draft) write(ctx context.Context) error {
	day := d.Release.Date
	info := infoOf("Companies of Romania's trade register", day)
	err := d.file(release.Parquet, d.Release.Companies, func(to io.Writer) error {
		return d.companies(ctx, table.NewParquet(to, columns, info))
	})
	if err != nil {
		return err
	}

	err = d.file(release.CSV, d.Release.Companies, func(to io.Writer) error {
		packed, err := table.Compress(to, info)
		if err != nil {
			return err
		}
		return errors.Join(d.companies(ctx, table.NewCSV(packed, columns, ',')), packed.Close())
	})
	if err != nil || d.before == nil {
		return err
	}

	since := d.before.Release.Date
	info = infoOf("Changes in Romania's trade register", day)
	info.Notes = []table.Note{{Name: "since", Text: since.String()}}
	rows := 0
	err = d.file(release.Changes, 0, func(to io.Writer) (err error) {
		rows, err = d.changes(ctx, table.NewParquet(to, changeColumns, info))
		return err
	})
	if err != nil {
		return fmt.Errorf("comparing it with the release of %s: %w", since, err)
	}

	d.Release.Files[len(d.Release.Files)-1].Rows, d.Release.ChangesSince = rows, &since
	return nil
}

// companies writes all companies in name order.
func (d *draft) companies(ctx context.Context, to table.Writer) (err error) {
	defer func() { err = errors.Join(err, to.Close()) }()
	cells := make([]string, 0, len(columns))
	for doc := range uint32(d.index.Len()) {
		if doc%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		firm := d.index.At(doc)
		cells = appendCells(cells[:0], &firm)
		if err := to.Write(cells); err != nil {
			return err
		}
	}

	return nil
}

// file writes a file, and adds it to the release.
func (d *draft) file(kind release.ReleaseFile, rows int, write func(io.Writer) error) error {
	file, err := os.OpenFile(filepath.Join(d.path, kind.Name), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()

	hash := sha256.New()
	buffer := bufio.NewWriterSize(io.MultiWriter(file, hash), 1<<20)
	if err := write(buffer); err != nil {
		return fmt.Errorf("writing %s: %w", kind.Name, err)
	}
	if err := errors.Join(buffer.Flush(), file.Sync()); err != nil {
		return fmt.Errorf("writing %s: %w", kind.Name, err)
	}

	info, err := file.Stat()
	if err != nil {
		return err
	}

	kind.Path = fmt.Sprintf("/v1/releases/%s/%s", d.Release.Date, kind.Name)
	kind.Bytes, kind.Rows, kind.SHA256 = info.Size(), rows, hex.EncodeToString(hash.Sum(nil))
	d.Release.Files = append(d.Release.Files, kind)
	return nil
}
