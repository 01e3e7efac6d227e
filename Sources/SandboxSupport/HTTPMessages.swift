package import PaymentCore

extension HTTPResponse {
    /// A body of JSON.
    package static func json(_ body: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}

extension HTTPRequest {
    /// The media type in lower case, without its parameters.
    package var mediaType: String {
        let type = headers["Content-Type"]?.split(separator: ";").first ?? ""
        return String(decoding: type.utf8.filter { $0 != 0x20 }.map(\.lowercasedASCII), as: UTF8.self)
    }
}
