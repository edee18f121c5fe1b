package onrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/rodata/rodata/upstream"
)

// Source is where another gateway publishes its index: a folder, or the URL at which a web server or a bucket serves
// the folder's files. It is safe for concurrent use.
type Source struct {
	dir  string
	host *host // nil for a folder
	ask  func(ctx context.Context, path string) ([]byte, error)
}

// NewSource returns the source at an address: the absolute path of a folder, which may be on a network share, or a URL.
// The URL must be https, or http on a loopback host; the error names the fix.
func NewSource(address string) (*Source, error) {
	if !strings.Contains(address, "://") {
		if err := CheckFolder(address); err != nil {
			return nil, err
		}
		return &Source{dir: address}, nil
	}

	h, err := newHost(PortalOptions{Options: upstream.Options{URL: address, MaxBody: maxPublication}})
	if err != nil {
		return nil, err
	}

	s := &Source{host: h}
	s.ask = upstream.Guard(h.breaker, s.call)
	return s, nil
}

// CheckFolder checks that a path can be a folder with an index; the error names the fix. It does not access the disk,
// because a network share may be offline.
func CheckFolder(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not the absolute path of a folder; write it as /srv/rodata/register", path)
	}
	return nil
}

// Close drops idle connections.
func (s *Source) Close() {
	if s.host != nil {
		s.host.Close()
	}
}

// publication returns the current publication. It returns errUnusable if this program cannot use the publication. Any
// other error may be temporary.
func (s *Source) publication(ctx context.Context) (publication, error) {
	body, err := s.read(ctx)
	if err != nil {
		return publication{}, err
	}
	return readPublication(body)
}

func (s *Source) read(ctx context.Context) ([]byte, error) {
	if s.host != nil {
		return s.ask(ctx, "/"+publicationFile)
	}

	file, err := os.Open(filepath.Join(s.dir, publicationFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()

	return io.ReadAll(io.LimitReader(file, maxPublication))
}

// call requests a small file from the host.
func (s *Source) call(ctx context.Context, path string) ([]byte, error) {
	res, err := s.host.client.Do(ctx, upstream.Request{Path: path})
	switch {
	case err != nil:
		return nil, err
	case res.Status == http.StatusNotFound:
		return nil, final(errors.New("nothing is published there: status 404"))
	case res.Status != http.StatusOK:
		return nil, broken(fmt.Errorf("status %d", res.Status))
	}

	return res.Body, nil
}

// archive returns the content of a publication's archive.
func (s *Source) archive(ctx context.Context, p publication) (io.ReadCloser, error) {
	if s.host == nil {
		return os.Open(filepath.Join(s.dir, p.Archive))
	}
	return s.host.open(ctx, resource{URL: s.host.base.JoinPath(p.Archive).String(), maxBytes: p.Size})
}
