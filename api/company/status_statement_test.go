package company

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
)

// storedRecord is a record as the registry sent it.
type storedRecord string

// Raw returns the record.
func (r storedRecord) Raw() ([]byte, error) { return []byte(r), nil }

// A receipt certifies the same content for two calls answered from the same record.
func TestStatementOfStatus(t *testing.T) {
	record := storedRecord("{}")
	statement, err := (&Status{TaxID: 9900000010, Record: record,
		Sources: []Source{{Name: "anaf", Cache: op.Hit}}}).statement()
	stale, _ := (&Status{TaxID: 9900000010, Record: record,
		Sources: []Source{{Name: "anaf", Cache: op.Miss, Stale: true}}}).statement()
	text := string(statement.Status)
	if err != nil || text != string(stale.Status) || strings.Contains(text, "receipt") ||
		!strings.Contains(text, `"sources":[{"name":"anaf","retrievedAt":null,"asOf":null}]`) {
		t.Errorf("%v %s", err, text)
	}
	if statement.RecordSHA256 != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" {
		t.Errorf("the hash of the record is %s", statement.RecordSHA256)
	}
}
