-- Whether the endpoint of a webhook has ever accepted an event.

-- +goose Up

ALTER TABLE webhooks ADD COLUMN accepted INTEGER NOT NULL DEFAULT 0; -- 1: at its present URL
UPDATE webhooks SET accepted = 1 WHERE EXISTS
    (SELECT 1 FROM deliveries d WHERE d.webhook = webhooks.ordinal AND d.delivered = 1);
