package api

// XLSXType is the media type of workbooks.
const XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

const pdfType = "application/pdf"

// MultipartType is the media type of a form with a file. REST extracts the file from it.
const MultipartType = "multipart/form-data"
