package anaf

// taxpayer is the register's record of one company. Absent text is "", " ", null or missing. Any sub-object may be
// missing, null, "" or [].
type taxpayer struct {
	General struct {
		CUI           number `json:"cui"`
		Day           text   `json:"data"`
		Name          text   `json:"denumire"`
		Address       text   `json:"adresa"`
		TradeNumber   text   `json:"nrRegCom"`
		Phone         text   `json:"telefon"`
		PostalCode    text   `json:"codPostal"`
		Status        text   `json:"stare_inregistrare"`
		Registered    text   `json:"data_inregistrare"`
		CAEN          text   `json:"cod_CAEN"`
		EInvoice      flag   `json:"statusRO_e_Factura"`
		EInvoiceSince text   `json:"data_inreg_Reg_RO_e_Factura"`
		Authority     text   `json:"organFiscalCompetent"`
		Ownership     text   `json:"forma_de_proprietate"`
		Organization  text   `json:"forma_organizare"`
		LegalForm     text   `json:"forma_juridica"`
	} `json:"date_generale"`
	VAT struct {
		Payer   flag         `json:"scpTVA"`
		Periods list[period] `json:"perioade_TVA"`
	} `json:"inregistrare_scop_Tva"`
	VATOnCollection struct {
		Status    flag `json:"statusTvaIncasare"`
		From      text `json:"dataInceputTvaInc"`
		To        text `json:"dataSfarsitTvaInc"`
		Recorded  text `json:"dataActualizareTvaInc"`
		Published text `json:"dataPublicareTvaInc"`
	} `json:"inregistrare_RTVAI"`
	Inactive struct {
		Status      flag `json:"statusInactivi"`
		Since       text `json:"dataInactivare"`
		Reactivated text `json:"dataReactivare"`
		Published   text `json:"dataPublicare"`
		StruckOff   text `json:"dataRadiere"`
	} `json:"stare_inactiv"`
	SplitVAT struct {
		Status flag `json:"statusSplitTVA"`
		From   text `json:"dataInceputSplitTVA"`
		To     text `json:"dataAnulareSplitTVA"`
	} `json:"inregistrare_SplitTVA"`
	Seat     seat     `json:"adresa_sediu_social"`
	Domicile domicile `json:"adresa_domiciliu_fiscal"`
}

type period struct {
	From     text `json:"data_inceput_ScpTVA"`
	To       text `json:"data_sfarsit_ScpTVA"`
	Canceled text `json:"data_anul_imp_ScpTVA"`
	Reason   text `json:"mesaj_ScpTVA"`
}
