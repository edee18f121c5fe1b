-- How often an invoice was claimed since it was last due, as in all queues.

-- +goose Up
ALTER TABLE invoices ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
