-- Deleting a user deletes the inquiries sent from the user's address.

-- +goose Up
CREATE INDEX inquiries_by_email ON inquiries (LOWER(email));

-- +goose Down
DROP INDEX inquiries_by_email;
