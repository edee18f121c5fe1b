package compat

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// The central bank publishes its fixings as XML files: the latest fixing, the last ten fixings (newest first), and one
// file per year (oldest first).

const (
	latestPath  = "/nbrfxrates.xml"
	tenDaysPath = "/nbrfxrates10days.xml"
	schemaPath  = "/xsd/nbrfxrates.xsd"
	yearFolder  = "/files/xml/years/"
	// legacy precedes the paths of files in the central bank's namespace used until 2025.
	legacy = "/legacy"

	tenDays = 10
)

// rateFile names one of the files. With neither newest nor year, it is the schema of all files.
type rateFile struct {
	newest int  // the number of latest fixings; 0 for the other files
	year   int  // of a yearly file; 0 for the other files
	old    bool // in the namespace used until 2025
}

// UnmarshalText parses the path of a file, which begins with /legacy in the old namespace.
func (f *rateFile) UnmarshalText(text []byte) error {
	path, old := strings.CutPrefix(string(text), legacy)
	*f = rateFile{old: old}
	switch path {
	case schemaPath:
	case latestPath:
		f.newest = 1
	case tenDaysPath:
		f.newest = tenDays
	default:
		name, isYear := strings.CutPrefix(path, yearFolder+"nbrfxrates")
		name, isXML := strings.CutSuffix(name, ".xml")
		year, err := strconv.ParseUint(name, 10, 16)
		f.year = int(year)
		if !isYear || !isXML || err != nil || len(name) != 4 || year == 0 {
			return problem.NotFound.New("the central bank has no file of this name; those of years are named " +
				"nbrfxrates2026.xml")
		}
	}

	return nil
}

// Schema describes the path.
func (rateFile) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

type getRateFileInput struct {
	File rateFile `arg:"file" in:"path" doc:"Path of the file." example:"/nbrfxrates.xml"`
}

func getRateFile(bank rate.Publications) *op.Operation {
	files := recent.New[printedFile, *op.Document](maxPrinted)
	return op.Define(op.Spec{
		Name: "get_rate_file", Method: http.MethodGet,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getRateFileInput) (answer op.Answer[struct{}], err error) {
		var p rate.Publication
		switch {
		case in.File.newest > 0:
			p, answer.Freshness, err = bank.Newest(ctx, in.File.newest)
		case in.File.year > 0:
			p, answer.Freshness, err = bank.OfYear(ctx, in.File.year)
		default:
			return op.Answer[struct{}]{Document: schemas[in.File.old], Freshness: builtIn}, nil
		}

		if errors.Is(err, op.ErrUnknown) {
			return answer, problem.NotFound.New("the central bank has published no fixings of the year %04d; there "+
				"are files from 2005 to this year", in.File.year)
		}
		if err == nil {
			answer.Document = renderRates(files, in.File, p)
		}

		return answer, err
	})
}

// serveRates answers a request for a file of fixings.
func (x *exchange) serveRates() {
	call, path := x.call(), x.r.URL.Path
	old, err := x.oldNamespace()
	if old && !strings.HasPrefix(path, legacy) {
		path = legacy + path
	}
	if err == nil {
		err = new(rateFile).UnmarshalText([]byte(path)) // an unknown file is 404, not a wrong argument
	}

	call.Malformed = err
	call.InPath = op.PathArgs{{Name: "file", Text: path}}
	x.write(x.Gateway.Do(x.r.Context(), x.Operations.rates, call))
}

// oldNamespace reads the parameter ns. Other parameters are ignored, as at the bank.
func (x *exchange) oldNamespace() (bool, error) {
	switch ns := x.r.URL.Query().Get("ns"); ns {
	case "":
		return false, nil
	case "2005":
		return true, nil
	}

	return false, problem.Invalid(&problem.InputError{
		Parameter: "ns", Code: problem.NotOneOf, Received: problem.Excerpt(x.r.URL.Query().Get("ns")),
		Accepted: "2005, for the namespace http://www.bnr.ro/xsd; leave it out for https://www.bnr.ro/xsd",
	})
}
