package op

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op/problem"
)

// Panicked logs a panic that a channel has recovered, and returns the problem that answers the request; nil without a
// panic. Once an answer has begun, it aborts the connection instead, so that the client notices.
func Panicked(cause any, began bool, r *http.Request, log *slog.Logger, path string) *problem.Problem {
	switch cause {
	case nil:
		return nil
	case http.ErrAbortHandler:
		panic(cause)
	}

	p := InternalError(r, log, panics.Error(cause), slog.String("path", path))
	if began {
		panic(http.ErrAbortHandler)
	}

	return p
}

// InternalError logs an internal error of a channel, and returns the problem that answers the request.
func InternalError(r *http.Request, log *slog.Logger, err error, about ...slog.Attr) *problem.Problem {
	return InternalProblem(r.Context(), log, err, append(about, slog.String("request_id", RequestID(r.Header)))...)
}

// InternalProblem logs an internal error of the service. The problem refers to the log entry; only the log has the
// cause.
func InternalProblem(ctx context.Context, log *slog.Logger, err error, about ...slog.Attr) *problem.Problem {
	id := rand.Text()
	log.LogAttrs(ctx, slog.LevelError, "internal error",
		append(about, slog.String("id", id), slog.Any("error", err))...)

	p := problem.Internal.New("an internal error occurred; it is logged under the id %s", id)
	p.ID = id
	return p
}
