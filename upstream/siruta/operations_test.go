package siruta

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/caller"
)

var calls = caller.New(api.Registries{Gazetteer: Load()})

// get makes a call without a key.
func get(t testing.TB, target string) op.Reply {
	t.Helper()
	return calls.Get(t, target)
}

func getPage[Page any](t *testing.T, target string) Page {
	t.Helper()
	return caller.Read[Page](t, calls, target)
}

func TestClujNapoca(t *testing.T) {
	reply := get(t, "/v1/cities?q=cluj-napoca")
	const want = `{"totalCount":1,"limit":25,"offset":0,"items":[{"id":54975,"name":"Cluj-Napoca","slug":"cluj-napoca","type":"municipality",` +
		`"countyId":12,"countyName":"CLUJ","countyCode":"CJ","anafCode":103,"sirutaCode":54975}]}`
	if got := string(reply.Document.JSON); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if reply.Cost != 0 || reply.Cache != op.Hit || reply.MaxAge != 24*time.Hour || reply.Private {
		t.Errorf("cost %d, cache %q, max-age %v, private %t", reply.Cost, reply.Cache, reply.MaxAge, reply.Private)
	}
}

func TestCountyCluj(t *testing.T) {
	const want = `{"totalCount":1,"limit":50,"offset":0,"items":[{"id":12,"name":"CLUJ","slug":"cluj","code":"CJ","anafCode":12,"sirutaCode":127}]}`
	for _, query := range []string{"q=cluj", "q=CJ", "q=jud.+Cluj", "id=12", "id=12,99"} {
		if got := string(get(t, "/v1/counties?"+query).Document.JSON); got != want {
			t.Errorf("%s: got %s\nwant %s", query, got, want)
		}
	}
}

func TestSearchCounties(t *testing.T) {
	for _, c := range []struct {
		name, query string
		total       int
		first       string
	}{
		{"all by name", "", 42, "ALBA ARAD ARGEȘ BACĂU"},
		{"plate code before names", "q=b&limit=2", 8, "BUCUREȘTI BACĂU"},
		{"any order, no diacritics", "q=nasaud+bistrita", 1, "BISTRIȚA-NĂSĂUD"},
		{"cedilla", "q=timiş", 1, "TIMIȘ"},
		{"older spelling", "q=vilcea", 1, "VÂLCEA"},
		{"municipality", "q=mun.+bucuresti", 1, "BUCUREȘTI"},
		{"ids in the order of names", "id=52,40,1", 3, "ALBA BUCUREȘTI GIURGIU"},
		{"id that no county has", "id=99", 0, ""},
		{"text and id", "q=c&id=12,51", 2, "CĂLĂRAȘI CLUJ"},
		{"a place is no county", "q=timisoara", 0, ""},
		{"beyond the end", "offset=42", 42, ""},
		{"last page", "offset=40&limit=100", 42, "VASLUI VRANCEA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := getPage[reference.CountyPage](t, "/v1/counties?"+c.query)
			var names []string
			for _, county := range page.Items {
				names = append(names, county.Name)
			}

			got := strings.Join(names, " ")
			if page.TotalCount != c.total || !strings.HasPrefix(got, c.first) || c.first == "" && got != "" {
				t.Errorf("%d: %s; want %d: %s", page.TotalCount, got, c.total, c.first)
			}
		})
	}
}

func TestSearchCities(t *testing.T) {
	for _, c := range []struct {
		name, query string
		total       int
		first       string // names with kind and county
	}{
		{"all, larger kinds first", "", 13859, "Adjud municipality VN"},
		{"space for hyphen", "q=cluj+napoca", 1, "Cluj-Napoca municipality CJ"},
		{"no space at all", "q=clujnapoca", 1, "Cluj-Napoca municipality CJ"},
		{"one word of two", "q=Cluj", 1, "Cluj-Napoca municipality CJ"},
		{"any order", "q=napoca,+cluj", 1, "Cluj-Napoca municipality CJ"},
		{"cedilla", "q=iaşi&county=22", 1, "Iași municipality IS"},
		{"comma below", "q=iași&county=is", 1, "Iași municipality IS"},
		{"older spelling", "q=Rîmnicu+Vîlcea", 1, "Râmnicu Vâlcea municipality VL"},
		{"older spelling without diacritics", "q=tirgu+mures", 1, "Târgu Mureș municipality MS"},
		{"abbreviated kind", "q=mun.+Timisoara", 1, "Timișoara municipality TM"},
		{"town", "q=or.+borsec", 1, "Borsec town HR"},
		{"commune before villages", "q=com.+floresti&limit=3", 20,
			"Florești commune CJ, Florești commune MH, Florești commune PH"},
		{"kind and county", "q=com.+floresti+jud.+cluj", 1, "Florești commune CJ"},
		{"as the tax authority writes", "q=Sat+Lereşti+Com.+Lereşti", 1, "Lerești commune AG"},
		{"sector of București", "q=bucuresti+sector+3", 1, "Sector 3 sector B"},
		{"sector, abbreviated", "q=sect+3", 1, "Sector 3 sector B"},
		{"sector, abbreviated with a dot", "q=Bucuresti,+sect.3", 1, "Sector 3 sector B"},
		{"sector without a space", "q=sector3+bucuresti", 1, "Sector 3 sector B"},
		{"București alone", "q=bucuresti", 1, "București municipality B"},
		{"municipality before villages", "q=satu+mare&limit=4", 7,
			"Satu Mare municipality SM, Satu Mare commune HR, Satu Mare commune SV, Satu Mare village AR"},
		{"initials", "q=CA+Rosetti", 2, "C.A. Rosetti commune BZ, C.A.Rosetti commune TL"},
		{"digits", "q=23+august", 3, "23 August commune CT"},
		{"letter missing", "q=timisora", 1, "Timișoara municipality TM"},
		{"letter too many", "q=timissoara", 1, "Timișoara municipality TM"},
		{"neighbours changed", "q=brasvo", 2, "Brașov municipality BV"},
		{"error in one of two words", "q=clij-napoca", 1, "Cluj-Napoca municipality CJ"},
		{"error and county", "q=floresti+cluk", 0, ""},
		{"two errors", "q=tmsoara", 0, ""},
		{"an exact match forgives nothing", "q=deva", 1, "Deva municipality HD"},
		{"SIRUTA codes", "id=179132,54975,1", 2, "București municipality B, Cluj-Napoca municipality CJ"},
		{"code outside of the county", "id=54975&county=TM", 0, ""},
		{"county by number, code, both cases", "county=40,b,B", 7, "București municipality B, Sector 1 sector B"},
		{"county by name", "county=Cluj&limit=1", 436, "Câmpia Turzii municipality CJ"},
		{"counties by name, with and without diacritics",
			"county=ilfov,Jude%C8%9Bul%20Cluj,BISTRI%C8%9AA-N%C4%82S%C4%82UD&q=bistrita&limit=1", 2,
			"Bistrița municipality BN"},
		{"two counties", "county=12,IF&limit=1", 540, "Câmpia Turzii municipality CJ"},
		{"beyond the end", "offset=999999", 13859, ""},
		{"no word", "q=.", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := getPage[reference.PlacePage](t, "/v1/cities?"+c.query)
			var names []string
			for _, p := range page.Items {
				names = append(names, fmt.Sprintf("%s %s %s", p.Name, p.Type, p.CountyCode))
			}

			got := strings.Join(names, ", ")
			if page.TotalCount != c.total || !strings.HasPrefix(got, c.first) || c.first == "" && got != "" {
				t.Errorf("%d: %s; want %d: %s", page.TotalCount, got, c.total, c.first)
			}
		})
	}
}

func TestPagesMakeUpTheWhole(t *testing.T) {
	for _, query := range []string{"", "q=s&", "q=valea&", "county=12&", "q=flores&county=CJ,AB,DJ,PH&"} {
		seen := map[int]bool{}
		total := getPage[reference.PlacePage](t, "/v1/cities?"+query).TotalCount
		for offset := 0; offset < total; offset += 83 {
			for _, p := range getPage[reference.PlacePage](t,
				fmt.Sprintf("/v1/cities?%slimit=83&offset=%d", query, offset)).Items {
				if seen[p.ID] {
					t.Errorf("%q repeats %s", query, p.Name)
				}
				seen[p.ID] = true
			}
		}

		if len(seen) != total || total == 0 {
			t.Errorf("%q: %d on all pages, %d in all", query, len(seen), total)
		}
	}
}

func TestBadInputIsTaught(t *testing.T) {
	for _, c := range []struct{ name, target, says string }{
		{"county that does not exist", "/v1/cities?county=41",
			"there is no county \"41\"; accepted is the name, plate code or number (1 to 40, 51, 52) of a county"},
		{"plate code that does not exist", "/v1/cities?county=CJ,xx", `no county "xx"`},
		{"misspelled county", "/v1/cities?county=Klug", "did you mean CLUJ?"},
		{"county 0", "/v1/cities?county=0", "county"},
		{"county number of three digits", "/v1/cities?county=112", "as Cluj, CJ or 12"},
		{"SIRUTA of letters", "/v1/cities?id=cluj", "1 to 999999"},
		{"negative id", "/v1/counties?id=-1", "1 to 999999"},
		{"id 0", "/v1/counties?id=0", "1 to 999999"},
		{"empty item", "/v1/counties?id=1,", "empty"},
		{"limit 0", "/v1/cities?limit=0", "1 to 100"},
		{"limit 101", "/v1/counties?limit=101", "1 to 100"},
		{"limit -1", "/v1/cities?limit=-1", "1 to 100"},
		{"limit ten", "/v1/counties?limit=ten", `"ten"`},
		{"offset with a sign", "/v1/cities?offset=%2B1", "0 to 999999"},
		{"text twice", "/v1/cities?q=cluj&q=deva", "more than once"},
		{"unknown parameter", "/v1/counties?county=12", "accepted: q, id, limit, offset"},
		{"text too long", "/v1/cities?q=" + strings.Repeat("a", 501), "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := get(t, c.target)
			if reply.Problem == nil {
				t.Fatalf("answered %s", reply.Document.JSON)
			}
			if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, c.says) {
				t.Errorf("%d %q, want 400 and %q", reply.Status, reply.Problem.Detail, c.says)
			}
		})
	}
}
