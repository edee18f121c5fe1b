package onrc

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/upstream"
)

// transfer is a file being downloaded.
type transfer struct {
	url      *url.URL
	path     string // of the complete file; the received part is in path.part
	read     func(int64)
	maxBytes int64 // maximum size in bytes
	mark     transferMark
}

// transferMark is stored beside a partial file, so that the download can be resumed after any interruption.
type transferMark struct {
	URL string `json:"url"`
	// Validator is the file's ETag, or else its date.
	Validator string `json:"validator"`
	// Size is the length of the whole file. It is -1 if unknown.
	Size int64 `json:"size"`
}

// begin interprets the head of an answer and returns the offset in the file at which its body begins.
func (t *transfer) begin(res *http.Response, from int64) (int64, error) {
	switch status := res.StatusCode; {
	// the portal's firewall answers the requests that it rejects with an HTML page and status 200
	case status < 300 && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
		return 0, broken(errors.New("an HTML page instead of the file"))
	case status == http.StatusPartialContent && from > 0:
		if start, size, ok := contentRange(res.Header.Get("Content-Range")); ok && start == from &&
			size == t.mark.Size {
			return from, nil
		}

		t.forget()
		return 0, broken(fmt.Errorf("the range %q is not the requested one", res.Header.Get("Content-Range")))
	case status == http.StatusOK:
		t.forget()
		t.mark.Size = res.ContentLength
		t.mark.Validator = res.Header.Get("ETag")
		if t.mark.Validator == "" || strings.HasPrefix(t.mark.Validator, "W/") {
			t.mark.Validator = res.Header.Get("Last-Modified")
		}
		if t.mark.Size > t.maxBytes {
			return 0, final(fmt.Errorf("%d bytes are more than the %d that it may have", t.mark.Size, t.maxBytes))
		}
		if err := writeJSON(t.markPath(), t.mark); err != nil {
			return 0, final(err)
		}

		return 0, nil
	case status == http.StatusRequestedRangeNotSatisfiable:
		t.forget()
	case status == http.StatusNotFound || status == http.StatusGone:
		return 0, final(fmt.Errorf("status %d", status))
	}

	return 0, &op.Failure{Registry: name, Kind: op.Broken,
		RetryAfter: web.RetryAfter(res.Header, upstream.MaxPause), Err: fmt.Errorf("status %d", res.StatusCode)}
}

// write appends the received bytes to the partial file.
func (t *transfer) write(body io.Reader, from int64, alive func()) error {
	file, err := os.OpenFile(t.partPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return final(err)
	}
	defer file.Close()

	if err := file.Truncate(from); err != nil {
		return final(err)
	}

	buffer := make([]byte, 256<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			alive()
			if from += int64(n); from > t.maxBytes {
				return final(fmt.Errorf("it continues beyond the permitted %d bytes", t.maxBytes))
			}
			if _, err := file.Write(buffer[:n]); err != nil {
				return final(err)
			}

			t.read(int64(n))
		}

		switch {
		case err == io.EOF && (t.mark.Size < 0 || from == t.mark.Size):
			return file.Close()
		case err == io.EOF:
			return fmt.Errorf("the file ended at %d of %d bytes", from, t.mark.Size)
		case err != nil:
			return err
		}
	}
}

// contentRange parses "bytes 100-199/200".
func contentRange(text string) (start, size int64, ok bool) {
	var end int64
	_, err := fmt.Sscanf(text, "bytes %d-%d/%d", &start, &end, &size)
	return start, size, err == nil && end == size-1
}

func (t *transfer) partPath() string { return t.path + ".part" }
func (t *transfer) markPath() string { return t.path + ".json" }

// resume continues an earlier transfer, if it belongs to the same file and can be continued.
func (t *transfer) resume() {
	var old transferMark
	if readJSON(t.markPath(), &old) != nil || old.URL != t.mark.URL || old.Validator == "" || old.Size < 0 {
		t.forget()
		return
	}

	t.mark = old
	if n := t.arrivedLength(); n > 0 {
		t.read(n)
	}
}

// arrivedLength returns the length of the reusable part of the file.
func (t *transfer) arrivedLength() int64 {
	info, err := os.Stat(t.partPath())
	if err != nil || t.mark.Validator == "" || t.mark.Size < 0 || info.Size() > t.mark.Size {
		return 0
	}
	return info.Size()
}

// forget discards the partial file.
func (t *transfer) forget() {
	if n := t.arrivedLength(); n > 0 {
		t.read(-n)
	}

	os.Remove(t.partPath())
	os.Remove(t.markPath())
}

// finish gives the completely received part its final name.
func (t *transfer) finish() error {
	return errors.Join(os.Rename(t.partPath(), t.path), os.Remove(t.markPath()))
}
