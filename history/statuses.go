package history

// Statuses are the statuses of a company, packed for the column statuses of the table looked. Each [Status] takes two
// bits, the first status the lowest ones: 0 is unknown, 1 false and 2 true. So all statuses of the zero value are
// unknown. A status that is added later is unknown in old rows.
type Statuses uint16

const (
	statusBits = 2
	statusMask = 1<<statusBits - 1

	statusFalse = 1
	statusTrue  = 2
)

// PackStatuses packs values, nil for unknown.
func PackStatuses(values [StatusCount]*bool) (packed Statuses) {
	for status, value := range values {
		packed = packed.With(Status(status), value)
	}
	return packed
}

// Of returns the value of a status, nil if it is unknown.
func (s Statuses) Of(status Status) *bool {
	switch s >> (statusBits * status) & statusMask {
	case statusFalse:
		return new(false)
	case statusTrue:
		return new(true)
	}

	return nil
}

// Is reports whether a status is known to have a value.
func (s Statuses) Is(status Status, value bool) bool {
	code := Statuses(statusFalse)
	if value {
		code = statusTrue
	}
	return s>>(statusBits*status)&statusMask == code
}

// With returns the statuses with one of them set; nil makes it unknown.
func (s Statuses) With(status Status, value *bool) Statuses {
	s &^= statusMask << (statusBits * status)
	switch {
	case value == nil:
		return s
	case *value:
		return s | statusTrue<<(statusBits*status)
	}

	return s | statusFalse<<(statusBits*status)
}

// Or returns the statuses, with unknown ones taken from others.
func (s Statuses) Or(others Statuses) Statuses {
	for status := range StatusCount {
		if s.Of(status) == nil {
			s = s.With(status, others.Of(status))
		}
	}

	return s
}
