-- Which process holds the lease of a claimed row, so that others need not wait for
-- the end of the lease when that process is gone. It is null while nobody has
-- claimed the row.

-- +goose Up
ALTER TABLE mails ADD COLUMN holder BIGINT;
ALTER TABLE payments ADD COLUMN holder BIGINT;
ALTER TABLE invoices ADD COLUMN holder BIGINT;

CREATE INDEX mails_held ON mails (holder) WHERE holder IS NOT NULL;
CREATE INDEX payments_held ON payments (holder) WHERE holder IS NOT NULL;
CREATE INDEX invoices_held ON invoices (holder) WHERE holder IS NOT NULL;

-- Payments that were invoiced with a warning, which stands in problem.
CREATE INDEX payments_warned ON payments (noted_at) WHERE due_at IS NULL AND problem <> '';
