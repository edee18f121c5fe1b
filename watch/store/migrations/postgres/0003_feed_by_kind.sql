-- Pages of a feed selected by kind.

-- +goose Up

CREATE INDEX feed_by_kind ON feed (account, kinds, number, list);
CREATE INDEX feed_of_list_by_kind ON feed (list, kinds, number);
CREATE INDEX events_by_kind ON events (kinds, number);
