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

// Depot is where a finished index is published, for other gateways to take: a
// folder, or the URL at which a web server or a bucket has its files. It is safe
// for concurrent use.
type Depot struct {
	dir   string
	host  *host // nil for a folder
	asked func(context.Context, string) ([]byte, error)
}

// NewDepot prepares the depot at an address: the absolute path of a folder, which
// may be on a network share, or a URL, which must be https, or http on a loopback
// host. The error names the fix.
func NewDepot(address string) (*Depot, error) {
	if !strings.Contains(address, "://") {
		if err := CheckFolder(address); err != nil {
			return nil, err
		}
		return &Depot{dir: address}, nil
	}
	h, err := newHost(PortalOptions{Options: upstream.Options{URL: address, MaxBody: maxPublication}})
	if err != nil {
		return nil, err
	}
	d := &Depot{host: h}
	d.asked = upstream.Guard(h.breaker, d.ask)
	return d, nil
}

// CheckFolder is nil when a path can be that of a depot; the error names the fix.
// Whether the folder is there is found out when it is used: a share may be away.
func CheckFolder(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not the absolute path of a folder; write it as /srv/rodata/register", path)
	}
	return nil
}

// Close drops the connections that are kept for reuse.
func (d *Depot) Close() {
	if d.host != nil {
		d.host.Close()
	}
}

// publication is what is published. The error is errUnusable when it is of no use
// to this program; any other may pass.
func (d *Depot) publication(ctx context.Context) (publication, error) {
	body, err := d.read(ctx)
	if err != nil {
		return publication{}, err
	}
	return readPublication(body)
}

func (d *Depot) read(ctx context.Context) ([]byte, error) {
	if d.host != nil {
		return d.asked(ctx, "/"+publicationFile)
	}
	file, err := os.Open(filepath.Join(d.dir, publicationFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxPublication))
}

// ask asks the host for a small file.
func (d *Depot) ask(ctx context.Context, path string) ([]byte, error) {
	res, err := d.host.client.Do(ctx, upstream.Request{Path: path})
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

// archive gives the path of a publication's archive. From a host it is downloaded
// into a directory, going on where an earlier download ended.
func (d *Depot) archive(ctx context.Context, p publication, dir string, read func(int64)) (string, error) {
	if d.host == nil {
		return filepath.Join(d.dir, p.Archive), nil
	}
	path := filepath.Join(dir, p.Archive)
	file := resource{URL: d.host.base.JoinPath(p.Archive).String(), Modified: p.SHA256, most: p.Size}
	if err := d.host.download(ctx, file, path, read); err != nil {
		return "", fmt.Errorf("downloading %s: %w", p.Archive, err)
	}
	return path, nil
}
