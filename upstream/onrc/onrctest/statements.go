package onrctest

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// WriteStatements writes the yearly statements of the firms beside the files of
// the release, as the Ministry of Finance publishes them: of every firm that has
// a tax id and a main activity, half of them in each file.
func (r *Release) WriteStatements(firms iter.Seq[Firm], year int) error {
	r.files, r.err = nil, nil
	header := "CUI,CAEN"
	for i := 1; i <= 20; i++ {
		header += ",I" + strconv.Itoa(i)
	}

	short := r.create(fmt.Sprintf("web_uu_an%d.txt", year), header)
	long := r.create(fmt.Sprintf("web_bl_bs_sl_an%d.txt", year), header)
	if r.err != nil {
		return errors.Join(r.err, r.close())
	}

	i := 0
	for f := range firms {
		if f.CUI == 0 || f.Main == "" {
			continue
		}
		to := short
		if i%2 == 1 {
			to = long
		}

		code, err := strconv.Atoi(f.Main) // 0119 is written 119
		if err != nil {
			return errors.Join(err, r.close())
		}

		cells := []string{f.CUI.String(), strconv.Itoa(code)}
		for n := range 20 {
			cells = append(cells, strconv.Itoa((i+1)*(n+1)*100))
		}

		to.line(strings.Join(cells, ","))
		i++
	}

	return r.close()
}
