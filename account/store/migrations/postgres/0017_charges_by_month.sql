-- Charges are kept in a partition for each month, charges_2026_12 and so on, which is
-- dropped as a whole. They have no index: no statement looks one up, and maintaining the
-- primary key took half of the time of an insertion.

-- +goose Up

-- The table becomes the partition of all months up to the current one. Its rows stay
-- where they are; PostgreSQL reads them once, to check their months.
-- +goose StatementBegin
DO $$
DECLARE
    last date := date_trunc('month', greatest(now() AT TIME ZONE 'UTC',
        (SELECT to_date(max(period), 'YYYY-MM') FROM charges)));
    name text := to_char(last, '"charges_"YYYY_MM');
BEGIN
    ALTER TABLE charges DROP CONSTRAINT charges_pkey;
    EXECUTE format('ALTER TABLE charges RENAME TO %I', name);
    EXECUTE format('CREATE TABLE charges (LIKE %I INCLUDING ALL) PARTITION BY RANGE (period)', name);
    EXECUTE format('ALTER TABLE charges ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name,
        to_char(last + interval '1 month', 'YYYY-MM'));
END
$$;
-- +goose StatementEnd

-- For charges of a month without a partition, so that they do not fail.
CREATE TABLE charges_other PARTITION OF charges DEFAULT;

-- Creates the partition of a month, as 2026-12, unless a partition has the month. Only
-- charges without a partition wait for it; those of the month are moved.
-- +goose StatementBegin
CREATE FUNCTION open_charges_month(month text) RETURNS void LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
DECLARE
    name text := 'charges_' || replace(month, '-', '_');
    next text := to_char(to_date(month, 'YYYY-MM') + interval '1 month', 'YYYY-MM');
BEGIN
    LOCK TABLE charges IN SHARE UPDATE EXCLUSIVE MODE; -- one process at a time
    IF EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'charges'::regclass AND (c.relname = name
            OR c.relname > name COLLATE "C" AND pg_get_expr(c.relpartbound, c.oid) LIKE '%(MINVALUE)%')) THEN
        RETURN;
    END IF;

    LOCK TABLE charges_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE charges INCLUDING ALL)', name);
    EXECUTE format('WITH moved AS (DELETE FROM charges_other WHERE period = $1 RETURNING *)
        INSERT INTO %I SELECT * FROM moved', name) USING month;
    EXECUTE format('ALTER TABLE charges ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, month, next);
END
$$;
-- +goose StatementEnd

-- Drops the partitions whose months all are before one. It fails if a long reader, such
-- as pg_dump, holds the table, because charges would queue behind it.
-- +goose StatementBegin
CREATE FUNCTION drop_charges_before(month text) RETURNS void LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
DECLARE
    old regclass;
BEGIN
    LOCK TABLE charges IN SHARE UPDATE EXCLUSIVE MODE; -- one process at a time
    FOR old IN SELECT c.oid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'charges'::regclass AND c.relname < 'charges_' || replace(month, '-', '_') COLLATE "C"
        ORDER BY c.relname
    LOOP
        EXECUTE format('DROP TABLE %s', old);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION drop_charges_before;
DROP FUNCTION open_charges_month;
ALTER TABLE charges RENAME TO charges_by_month;
CREATE TABLE charges (LIKE charges_by_month INCLUDING ALL);
INSERT INTO charges SELECT * FROM charges_by_month;
ALTER TABLE charges ADD PRIMARY KEY (period, id);
DROP TABLE charges_by_month;
