package op

// The media types of files.
const (
	// CSVType is the media type of a file with comma-separated values.
	CSVType = "text/csv; charset=utf-8"
	// XLSXType is the media type of workbooks.
	XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// PDFType is the media type of printable pages.
	PDFType = "application/pdf"
	// MultipartType is the media type of a form with a file. REST extracts the file from it.
	MultipartType = "multipart/form-data"
)
