package receipt

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// keptYears is the retention of receipts in years, from the day of issue.
const keptYears = 10

// Issuer issues and retrieves receipts. It implements proof.Receipts and may be used concurrently.
type Issuer struct {
	store   Store
	keys    keyring
	baseURL string
	secret  []byte
	issued  *Memory
	logger  *slog.Logger
	now     func() time.Time
}

// Options configure an Issuer.
type Options struct {
	Store Store
	// Secret is the deployment's secret, which encrypts the keys.
	Secret []byte
	// BaseURL is the configured address of the service, without a trailing slash. It becomes the issuer of the JWTs. If
	// it is empty, they have no issuer, because an address from a request must not be signed.
	BaseURL string
	Logger  *slog.Logger
	// Memory is shared with the next issuer on the same store. Default: an empty one.
	Memory *Memory
	// Now returns the current time. Default time.Now.
	Now func() time.Time
}

// Memory holds the ids of receipts known to be in a store, and counts those issued today to callers without a key.
type Memory struct {
	known *recent.Memory[proof.ReceiptID, struct{}]
	free  allowance
}

// maxKnown bounds the number of ids in a Memory.
const maxKnown = 65_536

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{known: recent.New[proof.ReceiptID, struct{}](maxKnown)} }

// Open returns an issuer, and creates the first key of a new store.
func Open(ctx context.Context, o Options) (*Issuer, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Memory == nil {
		o.Memory = NewMemory()
	}

	i := &Issuer{issued: o.Memory, store: o.Store, baseURL: o.BaseURL, logger: o.Logger, now: o.Now, secret: o.Secret,
		keys: keyring{
			store: o.Store, sealer: account.NewSealer(o.Secret, "rodata receipts"), logger: o.Logger, now: o.Now,
		},
	}
	return i, i.keys.open(ctx)
}

// Certify implements proof.Receipts. The receipt is durable when Certify returns. Equal statements have the same
// receipt, and only the first call writes it. So a statement must not contain parts that may differ between two
// answers from the same record, such as the cache status.
func (i *Issuer) Certify(ctx context.Context, s proof.Statement) (proof.ReceiptID, op.Renderer, error) {
	id, err := i.issue(ctx, s)
	switch {
	case errors.Is(err, proof.ErrReceiptsUsedUp):
		return "", nil, err
	case err != nil:
		i.logger.Warn("an answer has no receipt", "subject", s.Subject(), "error", err)
		return "", nil, err
	}

	return id, reference{id, i}, nil
}

// Salt implements proof.Receipts. A caller without a key is known by its address.
func (i *Issuer) Salt(ctx context.Context, text []byte) string {
	caller := op.CallerOf(ctx)
	mac := hmac.New(sha256.New, i.secret)
	fmt.Fprintf(mac, "salt of receipts %q %s", cmp.Or(caller.Account(), caller.Address.String()), text)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// issue stores the receipt of a statement, unless it is already stored, and returns its id.
func (i *Issuer) issue(ctx context.Context, s proof.Statement) (proof.ReceiptID, error) {
	text, err := encode(s)
	if err != nil {
		return "", err
	}

	id := idOf(text)
	if i.issued.known.Has(id) {
		return id, nil
	}

	caller := op.CallerOf(ctx)
	isFree := caller.Account() == "" || s.VATNumber == "" && s.Name == "" // no company is not charged for
	if isFree && !i.issued.free.admit(ro.DateIn(i.now(), ro.Bucharest)) {
		return "", proof.ErrReceiptsUsedUp
	}

	stored, err := i.sign(id, s.Subject(), text)
	if err != nil {
		return "", err
	}
	if err := i.store.AddReceipt(ctx, stored); err != nil {
		return "", fmt.Errorf("storing receipt %s: %w", id, err)
	}

	i.issued.known.Put(id, struct{}{})
	return id, nil
}

// claims are the claims of a JWT (RFC 7519).
type claims struct {
	Issuer    string          `json:"iss,omitempty"`
	Subject   string          `json:"sub"`
	IssuedAt  int64           `json:"iat"`
	ID        proof.ReceiptID `json:"jti"`
	Statement json.RawMessage `json:"statement"`
}

// sign signs an encoded statement about a subject.
func (i *Issuer) sign(id proof.ReceiptID, subject string, statement []byte) (Receipt, error) {
	key, err := i.keys.current()
	if err != nil {
		return Receipt{}, err
	}

	now := i.now().UTC().Truncate(time.Second)
	payload, err := op.EncodeDocument(claims{i.baseURL, subject, now.Unix(), id, statement})
	if err != nil {
		return Receipt{}, fmt.Errorf("encoding receipt %s: %w", id, err)
	}

	jwt, err := sign(payload.JSON, key.ID, key.private)
	return Receipt{ID: id, IssuedAt: now, KeyID: key.ID, JWT: jwt}, err
}

// Receipt implements proof.Receipts.
func (i *Issuer) Receipt(ctx context.Context, id proof.ReceiptID) (op.Answer[*proof.Receipt], error) {
	r, err := i.read(ctx, id)
	if err != nil {
		return op.Answer[*proof.Receipt]{}, err
	}
	fresh := op.Freshness{MaxAge: 24 * time.Hour}
	return op.Answer[*proof.Receipt]{Value: r, Renderer: storedReceipt{r}, Freshness: fresh}, nil
}

// read reads a receipt. It returns op.ErrUnknown if there is none with the id.
func (i *Issuer) read(ctx context.Context, id proof.ReceiptID) (*proof.Receipt, error) {
	stored, err := i.store.Receipt(ctx, id)
	switch {
	case errors.Is(err, ErrNone):
		return nil, op.ErrUnknown
	case err != nil:
		return nil, fmt.Errorf("reading receipt %s: %w", id, err)
	}

	statement, err := statementIn(stored.JWT)
	if err != nil {
		return nil, fmt.Errorf("reading receipt %s: %w", id, err)
	}

	issued := stored.IssuedAt.UTC()
	return &proof.Receipt{
		ID: stored.ID, IssuedAt: issued, KeptUntil: issued.AddDate(keptYears, 0, 0), KeyID: stored.KeyID,
		Statement: statement, JWT: stored.JWT,
	}, nil
}

// SigningKeys implements proof.Receipts.
func (i *Issuer) SigningKeys(context.Context) (op.Answer[*proof.SigningKeys], error) {
	answer := i.keys.loaded.Load().published
	answer.Freshness = op.Freshness{MaxAge: keysMaxAge}
	return answer, nil
}

// Rotate creates a key and publishes it at once. The key signs from an hour later, when every verifier has loaded it.
// Rotate returns the keys, the newest first.
func (i *Issuer) Rotate(ctx context.Context) ([]StoredKey, error) {
	if err := i.keys.rotate(ctx); err != nil {
		return nil, err
	}
	return i.Keys(), nil
}

// Keys returns all keys, the newest first.
func (i *Issuer) Keys() []StoredKey {
	all := slices.Clone(i.keys.loaded.Load().all)
	slices.Reverse(all)
	return all
}

// Tidy creates a new key once a year, and deletes receipts after ten years. It also loads the keys created by other
// processes, so each process calls it about every ten minutes.
func (i *Issuer) Tidy(ctx context.Context) error {
	if err := i.keys.tidy(ctx); err != nil {
		return err
	}
	if err := i.store.DeleteReceipts(ctx, i.now().AddDate(-keptYears, 0, 0)); err != nil {
		return fmt.Errorf("deleting receipts after ten years: %w", err)
	}
	return nil
}
