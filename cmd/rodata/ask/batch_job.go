package ask

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/internal/upload"
)

// runJob lets the gateway look up the companies of a file, and writes the result. It returns a summary.
func (s *session) runJob(ctx context.Context, b *batchQuestion, w io.Writer) (string, error) {
	if _, err := b.read(ctx, s, func(*upload.Row) {}); err != nil { // a bad file is not uploaded
		return "", err
	}

	job, err := s.CreateJob(ctx, client.JobFile{
		Data: b.file.data, Type: b.file.media, Column: b.column, DateColumn: b.dateColumn, Sheet: b.sheet,
		Date: b.date, Fields: b.fields,
	})
	if err != nil {
		return "", err
	}

	job, err = s.followJob(ctx, job)
	if err != nil {
		return "", err
	}
	if job.Status != client.JobCompleted {
		return "", fail(exitError, "the job is %s%s", job.Status, reason(job))
	}

	format := b.format
	if format == "json" {
		format = "ndjson"
	}

	result, err := s.JobResult(ctx, job.ID, format)
	if err != nil {
		return "", err
	}
	defer result.Close()

	if b.format == "json" {
		err = writeArray(w, result)
	} else {
		_, err = io.Copy(w, result)
	}
	return jobSummary(job), err
}

// followJob shows the progress of a job until it ends. If the command is interrupted, it cancels the job.
func (s *session) followJob(ctx context.Context, job *client.Job) (*client.Job, error) {
	bar := newBar(s.errs)
	defer bar.end()
	id, retryAt := job.ID, time.Time{}
	for now, err := range s.FollowJob(ctx, id) {
		if ctx.Err() != nil {
			bar.end()
			return nil, s.cancelJob(ctx, id)
		}
		if err != nil {
			return nil, fmt.Errorf("%w; the job %s goes on: its result is at %s/v1/jobs/%s/result", err, id, s.URL, id)
		}

		job = now
		if job.Retrying > 0 && job.RetryAt != nil && !job.RetryAt.Equal(retryAt) {
			retryAt = *job.RetryAt
			bar.end()
			fmt.Fprintf(s.errs, "%s: no answer from the registry; the result waits for another attempt at %s\n",
				quantity(job.Retrying, "row"), retryAt.Local().Format("15:04 MST"))
		}

		bar.show(job.Done, job.Total, job.ETASeconds)
	}

	return job, nil
}

// cancelPatience is the time limit for cancelling a job.
const cancelPatience = 10 * time.Second

// cancelJob cancels a job after Ctrl-C. The error that it returns tells how far the job has come.
func (s *session) cancelJob(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	if err := s.CancelJob(ctx, id); err != nil {
		return fail(exitError, "interrupted, and the job %s could not be cancelled: %w", id, err)
	}
	if job, err := s.Job(ctx, id); err == nil {
		return fail(exitError, "the job is cancelled after %s of %s rows, for %s", humanize.Comma(int64(job.Done)),
			humanize.Comma(int64(job.Total)), quantity(job.CreditsCost, "credit"))
	}

	return fail(exitError, "the job is cancelled")
}

func reason(job *client.Job) string {
	if job.Problem == nil {
		return ""
	}
	return ": " + job.Problem.Detail
}

func jobSummary(job *client.Job) string {
	return summary(job.Total, job.Found, job.NotFound+job.Invalid, job.Blank, job.Failed) + ", for " +
		quantity(job.CreditsCost, "credit")
}

// summary returns the counts of the rows by outcome, as a sentence.
func summary(rows, found, unknown, blank, failed int) string {
	text := fmt.Sprintf("%s: %s found, %s not found or not valid", quantity(rows, "row"), humanize.Comma(int64(found)),
		humanize.Comma(int64(unknown)))
	if blank > 0 {
		text += fmt.Sprintf(", %s without a tax id", humanize.Comma(int64(blank)))
	}
	if failed > 0 {
		text += fmt.Sprintf(", %s not answered: try again later", humanize.Comma(int64(failed)))
	}
	return text
}

// quantity returns a number with its noun, as "2 rows".
func quantity[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Comma(int64(n)) + " " + noun
}

// writeFile writes a file completely or not at all. It creates the file before write begins, so that nothing is looked
// up whose result could not be stored. The path - is standard output.
func (s *session) writeFile(path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(s.out)
	}

	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return WrongUsage("there is no folder %s", filepath.Dir(path))
	case err != nil:
		return fail(exitError, "writing %s: %w", path, err)
	}
	defer os.Remove(file.Name()) // after a success, it has been renamed
	defer file.Close()

	out := bufio.NewWriter(file)
	if err := write(out); err != nil {
		return err
	}
	if err := errors.Join(out.Flush(), file.Chmod(0o644), file.Close()); err != nil {
		return fail(exitError, "writing %s: %w", path, err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fail(exitError, "writing %s: %w", path, err)
	}

	return nil
}

// maxLine is the maximum length of a line in a result, in bytes.
const maxLine = 16 << 20

// writeArray writes JSON lines as a JSON array.
func writeArray(w io.Writer, lines io.Reader) error {
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, maxLine)
	before := "[\n"
	for scanner.Scan() {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 || isSummary(line) {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, line); err != nil {
			return err
		}

		before = ",\n"
	}

	if err := scanner.Err(); err != nil {
		return err
	}
	if before == "[\n" {
		_, err := io.WriteString(w, "[]\n")
		return err
	}

	_, err := io.WriteString(w, "\n]\n")
	return err
}

// isSummary reports whether a line is the summary at the end of a stream.
func isSummary(line []byte) bool {
	var text struct {
		Summary json.RawMessage `json:"summary"`
	}
	return bytes.HasPrefix(line, []byte(`{"summary"`)) && json.Unmarshal(line, &text) == nil && text.Summary != nil
}
