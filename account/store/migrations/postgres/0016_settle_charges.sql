-- Charges take one round trip.

-- +goose Up

-- Makes the charges that the credits of their accounts cover, in order. The owners are the
-- accounts in byte order, with the number of their charges, the sum of the prices and the
-- smallest allowance. The other arrays have an element for each charge, those of the first
-- owner first. Returns whether each charge was made, and the balance of each owner before.
--
-- unnest stands in SELECT, which reads arrays in parallel, element by element. In FROM,
-- PostgreSQL first stores the elements of each array in a table of its own.
-- +goose StatementBegin
CREATE FUNCTION settle_charges(in_period text, in_day text, in_charged_at bigint,
    owners text[], counts int[], sums bigint[], limits bigint[],
    ids text[], accounts text[], keys text[], operations text[], prices bigint[],
    allowances bigint[],  -- of the account's plan; negative for no limit, as in limits
    hits int[],
    continued boolean[],  -- does not count as another call
    repeatables text[],   -- the key of the repeatable call, empty for none; null if all are
    OUT made boolean[], OUT used bigint[], OUT given bigint[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    owner record;
    repeated record;
    balance bigint;
    k int := 0; -- of the owner
    n int := 0; -- of the charge
BEGIN
    made := array_fill(true, ARRAY[cardinality(ids)]);

    -- One update for each account, in a fixed order, which prevents deadlocks. It may
    -- overdraw an account, which no one else sees: the excess is given back below.
    FOR owner IN
        INSERT INTO credits AS c (account_id, period, used, given)
        SELECT unnest(owners), in_period, unnest(sums), 0
        ON CONFLICT (account_id, period) DO UPDATE SET used = c.used + excluded.used
        RETURNING c.account_id AS id, c.used AS used, c.given AS given
    LOOP
        k := k + 1;
        balance := owner.used - sums[k];
        used[k] := balance;
        given[k] := owner.given;
        IF limits[k] < 0 OR owner.used <= limits[k] + owner.given THEN -- all are covered
            n := n + counts[k];
            CONTINUE;
        END IF;

        FOR i IN 1 .. counts[k] LOOP
            n := n + 1;
            IF allowances[n] < 0 OR balance + prices[n] <= allowances[n] + owner.given THEN
                balance := balance + prices[n];
            ELSE
                made[n] := false;
            END IF;
        END LOOP;

        IF balance < owner.used THEN
            UPDATE credits SET used = balance WHERE account_id = owner.id AND period = in_period;
        END IF;
    END LOOP;

    INSERT INTO charges (period, id, account_id, key_id, operation, credits, hit, charged_at)
    SELECT in_period, c.id, c.account, c.key, c.operation, c.price, c.hit, in_charged_at
    FROM (SELECT unnest(ids) AS id, unnest(accounts) AS account, unnest(keys) AS key, unnest(operations) AS operation,
        unnest(prices) AS price, unnest(hits) AS hit, unnest(made) AS made) AS c
    WHERE c.made;

    INSERT INTO usage_days AS u (account_id, day, operation, calls, hits, credits)
    SELECT c.account, in_day, c.operation, count(*) FILTER (WHERE NOT c.continued),
        coalesce(sum(c.hit) FILTER (WHERE NOT c.continued), 0), sum(c.price)
    FROM (SELECT unnest(accounts) AS account, unnest(operations) AS operation, unnest(prices) AS price,
        unnest(hits) AS hit, unnest(continued) AS continued, unnest(made) AS made) AS c
    WHERE c.made
    GROUP BY c.account, c.operation ORDER BY c.account COLLATE "C", c.operation COLLATE "C"
    ON CONFLICT (account_id, day, operation) DO UPDATE SET
        calls = u.calls + excluded.calls, hits = u.hits + excluded.hits, credits = u.credits + excluded.credits;

    IF repeatables IS NULL THEN
        RETURN;
    END IF;

    FOR repeated IN
        SELECT c.account, c.repeatable, sum(c.price) AS charged
        FROM unnest(accounts, repeatables, prices, made) AS c (account, repeatable, price, made)
        WHERE c.made AND c.repeatable <> ''
        GROUP BY c.account, c.repeatable ORDER BY c.account COLLATE "C", c.repeatable COLLATE "C"
    LOOP
        UPDATE repeatable_calls r SET charged = r.charged + repeated.charged
        WHERE r.account_id = repeated.account AND r.key_hash = repeated.repeatable;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION settle_charges;
