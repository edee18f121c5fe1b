package metering

import (
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Answers of the journal may arrive in another order than it gave them. Both sums only grow, so the greater one is
// newer.
func TestLateBalanceIsIgnored(t *testing.T) {
	var s standing
	s.learn(Balance{Used: 7, Given: 100})
	s.learn(Balance{Used: 6})
	testkit.Equal(t, s.balance, (Balance{Used: 7, Given: 100}))
}
