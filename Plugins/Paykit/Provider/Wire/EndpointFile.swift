/// The content of a payment endpoint's file (Protocol 4.1).
package enum EndpointFile {
    /// The most bytes of an endpoint: those of a payment text.
    package static let maximumLength = PaymentLink.maximumLength

    /// Reads the endpoint of `method`; nil when the file holds none, or one that was switched off. Throws `invalidData`
    /// when the file is no text, or too long.
    package static func read(_ bytes: [UInt8], method: String) throws(PaykitNetworkError) -> String? {
        func defect(_ reason: String) -> PaykitNetworkError {
            PaykitNetworkError(.invalidData, "the endpoint '\(method)' \(reason)", methodID: method)
        }
        guard bytes.count <= maximumLength else { throw defect("is longer than \(maximumLength) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw defect("is not text") }
        let endpoint = text.trimmingWhitespace
        guard endpoint.hasPrefix("{") else { return endpoint.isEmpty ? nil : endpoint }
        guard let json = try? JSONValue(parsing: Array(endpoint.utf8)) else {
            throw defect("is JSON that cannot be read")
        }
        if json["enabled"]?.bool == false { return nil }
        // As documents of the second generation have it, then as files of the first do.
        let names = ["endpoint", "bolt11", "lnurl", "address", "p2wpkh", "p2tr", "p2sh", "p2pkh"]
        return names.lazy.compactMap { json[$0]?.string?.trimmingWhitespace }.first { !$0.isEmpty }
    }
}
