import PaymentCore

/// The decoded items of a query or a form.
package struct FormItems {
    package private(set) var values: [String: String] = [:]
    /// True if a name came twice or could not be decoded. The first value counts.
    package private(set) var isAmbiguous = false

    package init(_ text: Substring) {
        for item in QueryItems(text) {
            let name = PercentCoding.decode(item.name, plusIsSpace: true)
            guard let name, let value = item.decodedValue, values[name] == nil else {
                isAmbiguous = true
                continue
            }
            values[name] = value
        }
    }

    package subscript(_ name: String) -> String? { values[name] }
}
