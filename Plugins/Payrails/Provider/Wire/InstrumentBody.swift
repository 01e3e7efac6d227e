import PaymentCore

/// Reading of stored instruments in options and in the service's list.
enum InstrumentBody {
    /// Returns the instrument in `json`; nil without an id or a status, and for types that are not stored. Any other
    /// member is nil if it has another form.
    static func read(_ json: JSONValue, as type: Payrails.PaymentType) -> (any StoredInstrument)? {
        guard let id = json["id"]?.string, let status = json["status"]?.string else { return nil }
        let isDefault = json["default"]?.bool ?? false
        switch type {
        case .card:
            return StoredCardInstrument(
                id: id, bin: json["data"]?["bin"]?.string, suffix: json["data"]?["suffix"]?.string,
                displayName: json["displayName"]?.string, status: status, isDefault: isDefault,
                expiry: expiry(json["data"]))
        case .payPal:
            return StoredPayPalInstrument(
                id: id, email: json["data"]?["email"]?.string, status: status, isDefault: isDefault)
        case .applePay, .genericRedirect: return nil
        }
    }

    /// Returns the month until whose end a card is valid, as `MM/YY`; nil unless both parts are well-formed.
    private static func expiry(_ data: JSONValue?) -> String? {
        guard let month = data?["expiryMonth"]?.string, let year = data?["expiryYear"]?.string,
            (1...2).contains(month.utf8.count), [2, 4].contains(year.utf8.count),
            (month + year).utf8.allSatisfy(\.isASCIIDigit), let number = Int(month), (1...12).contains(number)
        else { return nil }
        return "\(number < 10 ? "0" : "")\(number)/\(year.suffix(2))"
    }

    /// Returns the usable instruments of `list`, each once.
    static func usable(_ list: [any StoredInstrument]) -> [any StoredInstrument] {
        var seen: Set<String> = []
        return list.filter { $0.isUsable && PathSegment.isSafe($0.id) && seen.insert($0.id).inserted }
    }
}

/// The service's list of a holder's stored instruments.
package struct InstrumentList: Sendable {
    /// The usable instruments by type, in the service's order.
    package let instruments: [Payrails.PaymentType: [any StoredInstrument]]
    /// True if the list has further pages, so that an instrument that is not in it may still be stored.
    package let hasMore: Bool

    /// Creates a list from `{"results": […]}`.
    ///
    /// - Throws: ``PayrailsError`` if there is no list.
    init(_ json: JSONValue) throws(PayrailsError) {
        guard let results = json["results"]?.array else {
            throw .unknown(error: PayrailsUnderlyingError.unusableAnswer("'results' is missing"))
        }
        var found: [Payrails.PaymentType: [any StoredInstrument]] = [:]
        for result in results {
            guard let type = result["paymentMethod"]?.string.flatMap(Payrails.PaymentType.init),
                let instrument = InstrumentBody.read(result, as: type)
            else { continue }
            found[type, default: []].append(instrument)
        }
        instruments = found.mapValues(InstrumentBody.usable)
        // The service's form of paging is unknown; these names are common.
        let marks = [json["next"], json["nextCursor"], json["cursor"], json["pagination"], json["links"]?["next"]]
        hasMore = marks.contains { $0.map { !$0.isNull && $0 != "" } ?? false }
    }
}

extension StoredInstrument {
    /// True if the status is usable: `enabled` or `created`, in any letter case.
    var isUsable: Bool {
        let status = (self as? StoredCardInstrument)?.status ?? (self as? StoredPayPalInstrument)?.status
        return status.map { ["enabled", "created"].contains($0.lowercased()) } ?? true
    }
}
