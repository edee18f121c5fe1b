package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
)

// keyed is a keyed hash.
func keyed(secret string) string {
	sum := sha256.Sum256([]byte("the key of the tests" + secret))
	return hex.EncodeToString(sum[:])
}

// subscribed is a store with the watch-list of a digestBook.
type subscribed struct {
	list    List
	deleted bool
}

func (s *subscribed) ListOfAnyone(_ context.Context, id string) (List, error) {
	if s.deleted || id != s.list.ID {
		return List{}, op.ErrUnknown
	}
	return s.list, nil
}

func (s *subscribed) ChangeList(ctx context.Context, account string, id monitoring.WatchlistID,
	change func(*List)) (List, error) {
	if account == s.list.Account {
		change(&s.list)
	}
	return s.ListOfAnyone(ctx, string(id))
}

// The link in a mail ends the digests of its list only when it is followed to the end, as often as one likes.
func TestLinkInDigestEndsIt(t *testing.T) {
	b := newBook()
	testkit.NoError(t, b.digests().SendDue(t.Context(), eight))
	link := testkit.Must(url.Parse(b.mails["digest of wl_a on 2026-11-23"].Unsubscribe))
	token := link.Query().Get("token")
	store := &subscribed{list: List{ID: "wl_a", Account: "acc", Name: "Furnizori", Digest: monitoring.DailyDigest,
		DigestAt: eight}}
	s := &Subscriptions{Store: store, Hash: keyed}

	for _, bad := range []string{"", ".", "wl_a", "wl_a.", "wl_b" + token[4:], token[:len(token)-1], token + "0",
		"wl_a." + keyed("wl_a")} {
		if _, err := s.List(t.Context(), bad, true); err != account.ErrNoVerification {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if l, err := s.List(t.Context(), token, false); err != nil || l.Name != "Furnizori" {
		t.Errorf("the link is of %+v, %v", l, err)
	}
	if store.list.Digest != monitoring.DailyDigest || !store.list.DigestAt.Equal(eight) {
		t.Errorf("before the end, the digest is %s, due at %s", store.list.Digest, store.list.DigestAt)
	}

	for range 2 {
		if _, err := s.List(t.Context(), token, true); err != nil || store.list.Digest != monitoring.NoDigest ||
			!store.list.DigestAt.IsZero() {
			t.Errorf("after it, the digest is %s, due at %s: %v", store.list.Digest, store.list.DigestAt, err)
		}
	}

	store.deleted = true
	for _, end := range []bool{false, true} {
		if _, err := s.List(t.Context(), token, end); err != account.ErrNoVerification {
			t.Errorf("after the list was deleted: %v", err)
		}
	}
}
