package metering

import "testing"

// Answers of the journal may arrive in another order than it gave them. Both sums only grow, so the greater one is
// newer.
func TestLateBalanceIsIgnored(t *testing.T) {
	var s standing
	s.learn(Balance{Used: 7, Given: 100})
	s.learn(Balance{Used: 6})
	if want := (Balance{Used: 7, Given: 100}); s.balance != want {
		t.Errorf("%+v, want %+v", s.balance, want)
	}
}
