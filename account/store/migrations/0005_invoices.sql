-- Customers of the payment service (Stripe), what they paid, and the invoices for
-- it. Times are Unix milliseconds; what is due is left alone until then, and while
-- it is claimed, due_at is the end of the lease.

-- +goose Up

-- Accounts that have been to the checkout, and the subscription of each.
CREATE TABLE customers (
    account_id      TEXT   NOT NULL PRIMARY KEY REFERENCES accounts (id),
    stripe_id       TEXT   NOT NULL UNIQUE,
    subscription_id TEXT   NOT NULL, -- empty for none
    status          TEXT   NOT NULL, -- of the subscription
    plan            TEXT   NOT NULL, -- that it is for
    granted         TEXT   NOT NULL, -- the plan that the account has by it; empty for none
    overdue_since   BIGINT,          -- while a payment is
    held_until      BIGINT NOT NULL, -- while a checkout is made
    revision        BIGINT NOT NULL
);

CREATE INDEX customers_overdue ON customers (overdue_since);

-- Events that have had their effect.
CREATE TABLE stripe_events (
    id          TEXT   NOT NULL PRIMARY KEY,
    received_at BIGINT NOT NULL
);

CREATE INDEX stripe_events_received ON stripe_events (received_at);

-- Invoices of Stripe that were paid, for each of which there is one of ours.
CREATE TABLE payments (
    id         TEXT    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    tries      INTEGER NOT NULL,
    problem    TEXT    NOT NULL, -- that kept the last try from an invoice
    noted_at   BIGINT  NOT NULL,
    due_at     BIGINT
);

CREATE INDEX payments_due ON payments (due_at);

CREATE TABLE invoice_series (
    series TEXT   NOT NULL PRIMARY KEY,
    next   BIGINT NOT NULL
);

CREATE TABLE invoices (
    id           TEXT    NOT NULL PRIMARY KEY,
    account_id   TEXT    NOT NULL REFERENCES accounts (id),
    payment_id   TEXT    NOT NULL REFERENCES payments (id),
    part         INTEGER NOT NULL, -- 1 is the invoice of the payment, 2 its correction, 3 what replaces it
    series       TEXT    NOT NULL,
    number       BIGINT  NOT NULL,
    label        TEXT    NOT NULL, -- series and number as they are written
    issue_date   TEXT    NOT NULL,
    currency     TEXT    NOT NULL,
    net          BIGINT  NOT NULL,
    vat          BIGINT  NOT NULL,
    gross        BIGINT  NOT NULL,
    content      TEXT    NOT NULL, -- all that it says, as JSON
    rendered     INTEGER NOT NULL,
    state        TEXT    NOT NULL, -- of its transmission
    transmission TEXT    NOT NULL, -- how far it has come, as JSON; empty until it is rendered
    due_at       BIGINT,
    UNIQUE (series, number),
    UNIQUE (payment_id, part)
);

CREATE INDEX invoices_of_account ON invoices (account_id);
CREATE INDEX invoices_due ON invoices (due_at);

-- The documents of an invoice: xml, pdf, and the archive that the tax authority
-- answered with. They never change.
CREATE TABLE invoice_files (
    invoice_id TEXT NOT NULL REFERENCES invoices (id),
    kind       TEXT NOT NULL,
    sha256     TEXT NOT NULL, -- hexadecimal
    content    TEXT NOT NULL, -- base64
    PRIMARY KEY (invoice_id, kind)
);
