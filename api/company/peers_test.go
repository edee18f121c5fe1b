package company

import (
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestDistribution(t *testing.T) {
	tests := map[string]struct {
		values Distribution
		want   [5]int64 // the percentiles
		ranks  map[int64]int
	}{
		"one value": {Distribution{5}, [5]int64{5, 5, 5, 5, 5}, map[int64]int{5: 1}},
		"ten": {Distribution{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, [5]int64{1, 3, 5, 8, 9},
			map[int64]int{10: 1, 1: 10}},
		"eleven": {Distribution{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, [5]int64{1, 2, 5, 8, 9}, map[int64]int{5: 6}},
		"ties": {Distribution{0, 0, 0, 0, 3, 7, 7, 7, 9, 9}, [5]int64{0, 0, 3, 7, 9},
			map[int64]int{9: 1, 7: 3, 0: 7}},
		"below zero":  {Distribution{-9, -4, -4, 0}, [5]int64{-9, -9, -4, -4, 0}, map[int64]int{-4: 2, -9: 4}},
		"not in them": {Distribution{2, 4}, [5]int64{2, 2, 2, 4, 4}, map[int64]int{3: 2, 1: 3, 5: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for i, p := range []int{10, 25, 50, 75, 90} {
				testkit.Equal(t, *test.values.percentile(p), test.want[i])
			}
			for value, want := range test.ranks {
				testkit.Equal(t, test.values.rank(value), want)
			}
		})
	}

	if (Distribution{}).percentile(50) != nil {
		t.Error("no values have a median")
	}
}
