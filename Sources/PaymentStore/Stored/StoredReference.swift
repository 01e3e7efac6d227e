package import PaymentCore

/// The subject of an attempt, a lease or a receipt: ``PaymentReference/parts``, in columns and in objects.
package enum StoredReference {
    /// Returns the values for ``ReferenceColumn/isAbout``.
    package static func key(_ reference: PaymentReference) -> [Database.Value] { reference.parts.map { .text($0) } }

    package static func value(_ reference: PaymentReference) -> JSONValue {
        .array(reference.parts.map { .string($0) })
    }

    package static func read(_ value: JSONValue?) throws(StoredFormDefect) -> PaymentReference {
        let parts = value?.array?.compactMap(\.string)
        guard let parts, parts.count == value?.array?.count, let reference = PaymentReference(parts: parts) else {
            throw StoredFormDefect()
        }
        return reference
    }
}
