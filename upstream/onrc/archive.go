package onrc

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// An archive is a tar file with two folders: a segment with its summary, and the yearly statements loaded with it.
const (
	archivedIndex      = "index"
	archivedStatements = "statements"
)

// archived matches the permitted names of an archive's files. Other files are not unpacked.
var archived = regexp.MustCompile(`^(` + archivedIndex + `|` + archivedStatements + `)/[a-z0-9][a-z0-9.-]*$`)

// writeArchive writes the archive of a segment and of a directory of statements. The directory may be missing.
func writeArchive(ctx context.Context, w io.Writer, segment, statements string) error {
	out := tar.NewWriter(w)
	for _, folder := range []struct{ name, dir string }{{archivedIndex, segment}, {archivedStatements, statements}} {
		entries, err := os.ReadDir(folder.dir)
		if err != nil && !(folder.name == archivedStatements && errors.Is(err, fs.ErrNotExist)) {
			return err
		}

		for _, e := range entries {
			name := path.Join(folder.name, e.Name())
			if !e.Type().IsRegular() || !archived.MatchString(name) {
				continue
			}
			if err := addFile(ctx, out, name, filepath.Join(folder.dir, e.Name())); err != nil {
				return fmt.Errorf("archiving %s: %w", name, err)
			}
		}
	}

	return out.Close()
}

func addFile(ctx context.Context, out *tar.Writer, name, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return err
	}

	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o600}
	if err := out.WriteHeader(header); err != nil {
		return err
	}

	_, err = io.Copy(out, contextReader{ctx, file})
	return err
}

// readArchive unpacks an archive into a directory, which must not contain its files.
func readArchive(r io.Reader, dir string) error {
	for _, name := range []string{archivedIndex, archivedStatements} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}

	in, left := tar.NewReader(r), int64(maxFile)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		// A sparse file would be larger once unpacked than its size in the archive.
		if left -= h.Size; h.Typeflag != tar.TypeReg || !archived.MatchString(h.Name) || left < 0 {
			return fmt.Errorf("%.100q with %d bytes does not belong in an archive", h.Name, h.Size)
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(h.Name)), in); err != nil {
			return err
		}
	}
}

// writeFile writes a new file and syncs it to the disk.
func writeFile(path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(file, content)
	if err == nil {
		err = file.Sync()
	}

	return errors.Join(err, file.Close())
}
