package rest

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// fileBody lets the gateway read a file from a form after authentication.
func (x *exchange) fileBody(call *op.Call, o *op.Operation, media string) (op.Args, error) {
	if media != op.MultipartType {
		return nil, problem.UnsupportedMediaType.New("the body must be a file; send it with its type in "+
			"Content-Type, %s, or as the field file of a form (%s)",
			strings.Join(fileTypes(o), ", "), op.MultipartType)
	}

	args, err := queryArgs(x.r.URL.RawQuery)
	if err != nil {
		return nil, err
	}

	w, r := x.w, x.r // the exchange itself would escape to the heap
	call.Body = func(to io.Writer) (name, file string, err error) { return fileOfForm(to, w, r, o) }
	return args, nil
}

// fileTypes are the media types of files that an operation accepts.
func fileTypes(o *op.Operation) (types []string) {
	for _, p := range o.Params() {
		if p.Media != "" {
			types = append(types, p.Media)
		}
	}

	return types
}

// formOverhead is the permitted size of a multipart form beyond its file.
const formOverhead = 64 << 10

// fileOfForm copies the field file of a form, and returns the names of its parameter and of the file.
func fileOfForm(to io.Writer, w http.ResponseWriter, r *http.Request,
	o *op.Operation) (name, file string, err error) {
	limit := int64(0)
	for _, p := range o.Params() {
		if p.Media != "" {
			limit = max(limit, p.MaxBytes())
		}
	}

	r.Body = http.MaxBytesReader(w, r.Body, limit+formOverhead)
	form, err := r.MultipartReader()
	if err != nil {
		return "", "", problem.Invalid(&problem.InputError{Code: problem.Malformed,
			Accepted: "a form of the type " + op.MultipartType + " with its boundary",
			Reason: "the form has no boundary in its Content-Type; leave that header to the program that builds the " +
				"form, such as curl -F file=@list.csv"})
	}

	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return "", "", problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.Required,
				Accepted: "send the file as the field file of the form"})
		}
		if err != nil {
			return "", "", brokenForm(err, limit)
		}
		if part.FormName() != "file" {
			continue
		}

		p, err := fileParam(o, part)
		if err != nil {
			return "", "", err
		}

		n, err := io.Copy(to, io.LimitReader(part, limit+1))
		if err != nil || n > limit {
			return "", "", brokenForm(err, limit)
		}

		return p.Name, part.FileName(), nil
	}
}

func brokenForm(err error, limit int64) error {
	if _, known := errors.AsType[*problem.Problem](err); known { // the file cannot be stored
		return err
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err == nil || tooLarge {
		return problem.PayloadTooLarge.New("the file is larger than the limit of %d bytes", limit)
	}
	return problem.Invalid(&problem.InputError{Code: problem.Malformed,
		Accepted: "a form of the type " + op.MultipartType, Reason: "the form could not be read to its end"})
}

// fileParam returns the parameter for a file, chosen by its extension or else by its media type: browsers and operating
// systems disagree on the type of CSV files.
func fileParam(o *op.Operation, part *multipart.Part) (*op.Param, error) {
	media, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
	media = cmp.Or(upload.MediaOf(part.FileName()), media)
	if p := o.BodyParam(media); p != nil {
		return p, nil
	}

	return nil, problem.UnsupportedMediaType.New("the file %s is of a type that is not read; send a CSV, XLSX, "+
		"NDJSON or JSON file, whose name ends in .csv, .xlsx, .ndjson or .json", strconv.Quote(*problem.Excerpt(part.FileName())))
}

// maxWait bounds the time that a caller may wait.
const maxWait = 30 * time.Second

// preferredWait parses the preferred waiting time (RFC 7240, section 4.3).
func preferredWait(h http.Header) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(h["Prefer"], ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); strings.EqualFold(name, "wait") && err == nil &&
			seconds > 0 {
			return min(time.Duration(min(seconds, 3600))*time.Second, maxWait)
		}
	}

	return 0
}
