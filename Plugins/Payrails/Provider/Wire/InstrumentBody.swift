import PaymentCore
package import PayrailsTypes

/// Reading stored instruments, as options and the service's list have them.
enum InstrumentBody {
    /// The instrument in `json`; nil without an id or a state, and for types that are not stored. Whatever else has
    /// another shape costs itself only.
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

    /// The month until whose end a card is good, as `MM/YY`; nil unless both parts are what they should be.
    private static func expiry(_ data: JSONValue?) -> String? {
        guard let month = data?["expiryMonth"]?.string, let year = data?["expiryYear"]?.string,
            (1...2).contains(month.utf8.count), [2, 4].contains(year.utf8.count),
            (month + year).utf8.allSatisfy(\.isASCIIDigit), let number = Int(month), (1...12).contains(number)
        else { return nil }
        return "\(number < 10 ? "0" : "")\(number)/\(year.suffix(2))"
    }

    /// Those of `list` that can be paid with, each once.
    static func usable(_ list: [any StoredInstrument]) -> [any StoredInstrument] {
        var seen: Set<String> = []
        return list.filter { $0.isUsable && PathSegment.isSafe($0.id) && seen.insert($0.id).inserted }
    }
}

/// What the service lists as stored for a holder.
package struct InstrumentList: Sendable {
    /// The usable ones by type, in the service's order.
    package let instruments: [Payrails.PaymentType: [any StoredInstrument]]
    /// Whether the list says that it goes on elsewhere, so that what is not in it may be stored all the same.
    package let hasMore: Bool

    /// Reads `{"results": […]}`.
    ///
    /// - Throws: ``PayrailsError`` when there is no list.
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
        // How its pages are linked is not known; these are the names in use.
        let marks = [json["next"], json["nextCursor"], json["cursor"], json["pagination"], json["links"]?["next"]]
        hasMore = marks.contains { $0.map { !$0.isNull && $0 != "" } ?? false }
    }
}

extension StoredInstrument {
    /// Whether the service calls it usable: `enabled` or `created`, in any case.
    var isUsable: Bool {
        let status = (self as? StoredCardInstrument)?.status ?? (self as? StoredPayPalInstrument)?.status
        return status.map { ["enabled", "created"].contains($0.lowercased()) } ?? true
    }
}
