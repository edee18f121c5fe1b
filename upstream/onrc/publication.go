package onrc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// publicationFile is the name of the file that describes the published archive.
const publicationFile = "register.json"

// maxPublication bounds that file, in bytes.
const maxPublication = 64 << 10

// publication describes a finished index that other gateways may install.
type publication struct {
	// Format is search.Format. A change of the archive's content must also raise it.
	Format int `json:"format"`
	// Release is the day of the release. Source is the SHA-256 of the release's origin, and Loaded the time of the
	// load.
	Release ro.Date   `json:"release"`
	Source  string    `json:"source"`
	Loaded  time.Time `json:"loaded"`
	// Archive is the name of the file with the index, Size its length in bytes, and SHA256 its checksum in hexadecimal.
	Archive string `json:"archive"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// publicationOf returns the publication of a load, without the archive. For nil, it returns the zero value.
func publicationOf(s *Summary) publication {
	if s == nil {
		return publication{}
	}

	source := sha256.Sum256([]byte(s.Origin))
	return publication{Format: search.Format, Release: s.Release, Source: hex.EncodeToString(source[:]),
		Loaded: s.Loaded}
}

// follows reports whether a publication is newer than another: it has a later release, or the same release, loaded
// later from changed files.
func (p publication) follows(other publication) bool {
	return p.Release > other.Release ||
		p.Release == other.Release && p.Source != other.Source && p.Loaded.After(other.Loaded)
}

// errUnusable marks a publication that exists but can never be used, because it is damaged or in another format.
var errUnusable = errors.New("the published index cannot be used")

var (
	archiveName = regexp.MustCompile(`^\d{4}-\d\d-\d\d-[0-9a-f]{16}\.tar$`)
	checksum    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// readPublication parses and checks a publication file.
func readPublication(body []byte) (p publication, err error) {
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("%w: reading %s: %w", errUnusable, publicationFile, err)
	}

	switch {
	case p.Format != search.Format:
		return p, fmt.Errorf("%w: it has format %d, this program reads format %d", errUnusable, p.Format, search.Format)
	case p.Release == 0 || !archiveName.MatchString(p.Archive) || !checksum.MatchString(p.SHA256):
		return p, fmt.Errorf("%w: %s does not say what is published", errUnusable, publicationFile)
	case p.Size <= 0 || p.Size > maxFile:
		return p, fmt.Errorf("%w: its archive would have %d bytes; the limit is %d", errUnusable, p.Size,
			int64(maxFile))
	}

	return p, nil
}
