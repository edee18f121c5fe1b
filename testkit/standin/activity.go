package standin

// activity is a class of the national classification in two revisions.
type activity struct {
	section3, code3 string // Rev.3, since 2025
	section2, code2 string // Rev.2, 2008 to 2024
	name            string
}

// activities are the activities of the invented companies. Codes and names are official, but the names lack their
// additions in brackets.
var activities = []activity{
	{"K", "6210", "J", "6201", "Activități de realizare a softului la comandă"},
	{"G", "4711", "G", "4711", "Comerț cu amănuntul nespecializat, cu vânzare predominantă de produse alimentare, " +
		"băuturi și tutun"},
	{"A", "0119", "A", "0119", "Cultivarea altor plante din culturi nepermanente"},
	{"H", "4941", "H", "4941", "Transporturi rutiere de mărfuri"},
	{"C", "1071", "C", "1071", "Fabricarea pâinii; fabricarea prăjiturilor și a produselor proaspete de patiserie"},
	{"F", "4100", "F", "4120", "Lucrări de construcții ale clădirilor rezidențiale și nerezidențiale"},
	{"A", "0111", "A", "0111", "Cultivarea cerealelor, plantelor leguminoase și a plantelor oleaginoase"},
	{"C", "1621", "C", "1621", "Fabricarea de furnire și a panourilor din lemn"},
	{"N", "7311", "M", "7311", "Activități ale agențiilor de publicitate"},
}
