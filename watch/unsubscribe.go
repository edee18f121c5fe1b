package watch

import (
	"context"
	"crypto/hmac"
	"errors"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
)

// Subscriptions are the digests of watch-lists, which end by a link in each mail, without signing in.
type Subscriptions struct {
	Store interface {
		ListOfAnyone(ctx context.Context, id string) (List, error)
		ChangeList(ctx context.Context, account string, id monitoring.WatchlistID, change func(*List)) (List, error)
	}
	// Hash is that of [Digests].
	Hash func(string) string
}

// List returns the watch-list that the token of a link names; with end, it ends its digests. The error is
// account.ErrNoVerification if the token is not genuine, or the watch-list has been deleted. A token never expires,
// because people find the link in old mails.
func (s *Subscriptions) List(ctx context.Context, token string, end bool) (List, error) {
	id, _, _ := strings.Cut(token, ".")
	if !hmac.Equal([]byte(token), []byte(digestToken(s.Hash, id))) {
		return List{}, account.ErrNoVerification
	}

	l, err := s.Store.ListOfAnyone(ctx, id)
	if err == nil && end {
		l, err = s.Store.ChangeList(ctx, l.Account, monitoring.WatchlistID(id), func(l *List) {
			l.apply(monitoring.WatchlistChange{Digest: monitoring.NoDigest})
		})
	}
	if errors.Is(err, op.ErrUnknown) {
		err = account.ErrNoVerification
	}

	return l, err
}

// digestToken returns the token of the links in a watch-list's digests: its id and a keyed hash, which nobody can
// compute without the deployment's secret.
func digestToken(hash func(string) string, list string) string {
	return list + "." + hash("digests of "+list)
}
