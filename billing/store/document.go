package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/internal/database"
)

// Documents are the documents of an invoice. They are created only once.
type Documents struct {
	XML, PDF []byte
	// Transmission is the transmission of the invoice, which has not begun.
	Transmission efactura.Transmission
}

// The kinds of documents.
const (
	xmlFile     = "xml"
	pdfFile     = "pdf"
	archiveFile = "archive"
)

// InvoicePDF returns the PDF of one of the account's invoices, and the invoice's number. It returns
// customer.ErrNoInvoice if the account has no invoice with that ID, and customer.ErrNotRendered until the PDF exists.
func (s *Store) InvoicePDF(ctx context.Context, owner, id string) (number string, pdf []byte, err error) {
	doing := "reading the PDF of invoice " + id
	f, err := database.One[struct{ Label, SHA256, Content string }](ctx, s.db.Reader, doing, customer.ErrNoInvoice,
		`SELECT i.label, COALESCE(f.sha256, '') AS sha256, COALESCE(f.content, '') AS content
		 FROM invoices i LEFT JOIN invoice_files f ON f.invoice_id = i.id AND f.kind = $1
		 WHERE i.id = $2 AND i.account_id = $3`, pdfFile, id, owner)
	if err == nil && f.Content == "" {
		err = customer.ErrNotRendered
	}
	if err != nil {
		return "", nil, err
	}

	pdf, err = readFile(f.SHA256, f.Content)
	return f.Label, pdf, database.Wrap(doing, err)
}

// SaveDocuments stores the documents of a claimed invoice, which never change. Its transmission is then due, unless
// it is done. SaveDocuments returns work.ErrLeaseLost if the lease has been lost.
func (s *Store) SaveDocuments(ctx context.Context, c Claim, docs Documents) error {
	err := s.db.Transact(ctx, func(tx *sql.Tx) error {
		c.Tries = 0 // of the transmission, which begins now
		if err := writeTransmission(ctx, tx, c, docs.Transmission, time.Now()); err != nil {
			return err
		}
		if err := database.Exec(ctx, tx, `UPDATE invoices SET rendered = 1 WHERE id = $1`, c.ID); err != nil {
			return err
		}

		if len(docs.XML) > 0 {
			if err := addFile(ctx, tx, c.ID, xmlFile, docs.XML); err != nil {
				return err
			}
		}

		return addFile(ctx, tx, c.ID, pdfFile, docs.PDF)
	})
	return database.Wrap("storing the documents of invoice "+c.ID, err)
}

func (s *Store) readDocuments(ctx context.Context, c *Claim) error {
	files, err := database.All[struct{ Kind, SHA256, Content string }](ctx, s.db.Reader,
		"reading the documents of invoice "+c.ID,
		`SELECT kind, sha256, content FROM invoice_files WHERE invoice_id = $1 AND kind <> $2`, c.ID, pdfFile)
	if err != nil {
		return err
	}

	for _, f := range files {
		data, err := readFile(f.SHA256, f.Content)
		switch {
		case err != nil:
			return database.Wrap("reading the documents of invoice "+c.ID, err)
		case f.Kind == xmlFile:
			c.Transmission.Document.XML = data
		case f.Kind == archiveFile:
			c.Transmission.Archive = data
		}
	}

	return nil
}

func addFile(ctx context.Context, tx *sql.Tx, invoice, kind string, data []byte) error {
	sum := sha256.Sum256(data)
	return database.Exec(ctx, tx,
		`INSERT INTO invoice_files (invoice_id, kind, sha256, content) VALUES ($1, $2, $3, $4)`,
		invoice, kind, hex.EncodeToString(sum[:]), base64.StdEncoding.EncodeToString(data))
}

func readFile(sum, content string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return nil, errors.New("it is damaged: its SHA-256 does not match")
	}

	return data, nil
}
