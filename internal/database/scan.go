package database

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Querier is a database, or a transaction in one.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// All reads all rows of a query. Errors are wrapped with the attempted action.
//
// A row is a struct, with a field for each column of the query: the column created_at is the field CreatedAt, which may
// be a field of an embedded struct. Any other T is the value of the only column. Times are stored as Unix milliseconds,
// and NULL is the zero time. Structs, maps, slices and arrays are stored as JSON, and NULL or an empty text as their
// zero value. Other values must not be NULL, unless they implement [sql.Scanner] or are pointers.
func All[T any](ctx context.Context, db Querier, doing string, query string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, Wrap(doing, err)
	}
	defer rows.Close()

	var v, zero T
	destinations, err := destinationsOf(rows, &v)
	for err == nil && rows.Next() {
		v = zero
		err = rows.Scan(destinations...)
		all = append(all, v)
	}
	if err := cmp.Or(err, rows.Err()); err != nil {
		return nil, Wrap(doing, err)
	}

	return all, nil
}

// One reads the first row of a query, like [All]. The error is none if there is no row.
func One[T any](ctx context.Context, db Querier, doing string, none error, query string, args ...any) (T, error) {
	var v, zero T
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return zero, Wrap(doing, err)
	}
	defer rows.Close()

	destinations, err := destinationsOf(rows, &v)
	switch {
	case err != nil:
		return zero, Wrap(doing, err)
	case !rows.Next():
		return zero, cmp.Or(Wrap(doing, rows.Err()), none)
	}
	if err := errors.Join(rows.Scan(destinations...), rows.Close()); err != nil {
		return zero, Wrap(doing, err)
	}

	return v, nil
}

var scanner = reflect.TypeFor[sql.Scanner]()

func destinationsOf(rows *sql.Rows, v any) ([]any, error) {
	value := reflect.ValueOf(v).Elem()
	t := value.Type()
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || reflect.PointerTo(t).Implements(scanner) {
		return []any{destination(v)}, nil
	}

	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}

	fields, all := fieldsOf(t), make([]any, len(columns))
	for i, column := range columns {
		field, ok := fields[strings.ReplaceAll(column, "_", "")]
		if !ok {
			return nil, fmt.Errorf("%s has no field for the column %s", t, column)
		}

		all[i] = destination(value.FieldByIndex(field).Addr().Interface())
	}

	return all, nil
}

var fieldsByType sync.Map // of reflect.Type to map[string][]int

// fieldsOf returns the places of the fields of a struct, by their names in lower case.
func fieldsOf(t reflect.Type) map[string][]int {
	if fields, ok := fieldsByType.Load(t); ok {
		return fields.(map[string][]int)
	}

	fields := make(map[string][]int)
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			fields[strings.ToLower(f.Name)] = f.Index
		}
	}

	fieldsByType.Store(t, fields)
	return fields
}

func destination(v any) any {
	switch v := v.(type) {
	case sql.Scanner, *[]byte:
		return v
	case *time.Time:
		return Time(v)
	}

	t := reflect.TypeOf(v).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
		return JSON(v)
	}

	return v
}

// Time scans a stored time into t, in UTC. NULL becomes the zero time.
func Time(t *time.Time) sql.Scanner { return (*timeScanner)(t) }

type timeScanner time.Time

// Scan implements sql.Scanner.
func (s *timeScanner) Scan(value any) error {
	var ms sql.NullInt64
	err := ms.Scan(value)
	*s = timeScanner{}
	if ms.Valid {
		*s = timeScanner(time.UnixMilli(ms.Int64).UTC())
	}

	return err
}

// JSON scans a JSON text into v, which is unchanged if the text is empty.
func JSON(v any) sql.Scanner { return document{v} }

type document struct{ v any }

// Scan implements sql.Scanner.
func (d document) Scan(value any) error {
	var text sql.NullString
	if err := text.Scan(value); err != nil || text.String == "" {
		return err
	}
	return json.Unmarshal([]byte(text.String), d.v)
}
