package import PaymentCore

/// Receipts as they are kept and as they travel (Protocol 5.5).
extension ChannelReceipt {
    /// The most bytes of what both want to know beside the terms.
    static let longestMetadata = 16_384
    /// The most bytes of a receipt's name, and of a currency's.
    static let longestName = 128
    static let longestCurrency = 16

    package init(_ record: PaykitReceiptRecord, _ stage: Stage, metadata: JSONValue? = nil) {
        self.init(
            id: ID(payer: record.payer.text, payee: record.payee.text, name: record.id), method: record.methodID,
            amount: record.amount, currency: record.currency, createdAt: record.createdAt,
            metadata: metadata ?? record.metadata, stage: stage)
    }

    /// The receipt as it is sent; nil where its parties are no users.
    package var record: PaykitReceiptRecord? {
        guard let payer = try? PubkyKey(bare: id.payer), let payee = try? PubkyKey(bare: id.payee) else { return nil }
        return PaykitReceiptRecord(
            id: id.name, payer: payer, payee: payee, methodID: method, amount: amount, currency: currency,
            createdAt: createdAt, metadata: metadata)
    }

    /// Where the payee says that this is to be paid; nil when nothing is said.
    package var endpoint: PaykitEndpoint? {
        let text = [Self.endpointName(method), "endpoint"].lazy.compactMap { metadata[$0]?.string?.trimmingWhitespace }
            .first { !$0.isEmpty && $0.utf8.count <= EndpointFile.maximumLength }
        return text.map { PaykitEndpoint(methodID: method, endpoint: $0) }
    }

    /// What a method's endpoint is called among the metadata.
    static func endpointName(_ method: String) -> String {
        switch method {
        case "lightning": "invoice"
        case "onchain": "address"
        default: "endpoint"
        }
    }
}

extension PaykitReceiptRecord {
    /// Whether the receipt is one that a payment can be made by.
    package var isUsable: Bool {
        let isName = { (text: String, most: Int) in
            1...most ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        return isName(id, ChannelReceipt.longestName) && PaykitEndpoint.isMethod(methodID) && createdAt >= 0
            && amount.map(Self.isAmount) ?? true && currency.map { isName($0, ChannelReceipt.longestCurrency) } ?? true
            && (metadata.object != nil || metadata.isNull)
            && metadata.text.utf8.count <= ChannelReceipt.longestMetadata
    }

    /// Digits, with at most one point between them, and not all of them zero.
    private static func isAmount(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 40 && 1...2 ~= parts.count
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }
            && text.utf8.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") }
    }
}

/// Texts of somebody else, for people.
package enum PeerText {
    /// The text without what cannot be seen, in one line and not long.
    package static func shown(_ text: String) -> String {
        let visible = text.unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: true
            }
        }.prefix(200)
        return String(String.UnicodeScalarView(visible))
    }
}

extension ReceiptStore {
    /// Asks the store, and tells its failures as Paykit's.
    func mappingErrors<Value: Sendable>(
        _ work: @Sendable (Self) async throws -> Value
    ) async throws(PaykitNetworkError) -> Value {
        do { return try await work(self) } catch {
            throw PaykitNetworkError(.storage, "the receipt cannot be stored or read, so nothing is paid: \(error)")
        }
    }
}
