package fetch

// DecodeHTML converts a saved page to UTF-8 by the rules of [Exchange.HTML].
// contentType is the value of the header where it is known, else "".
func DecodeHTML(body []byte, contentType string) Text { return decodeText(body, contentType) }
