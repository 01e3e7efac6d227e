/// Conversions between stored and sent receipts (Protocol 5.5).
extension ChannelReceipt {
    static let longestMetadata = 16_384
    static let longestName = 128
    static let longestCurrency = 16

    package init(_ record: PaykitReceiptRecord, _ stage: Stage, metadata: JSONValue? = nil) {
        self.init(
            id: ID(payer: record.payer.text, payee: record.payee.text, name: record.id), method: record.methodID,
            amount: record.amount, currency: record.currency, createdAt: record.createdAt,
            metadata: metadata ?? record.metadata, stage: stage)
    }

    /// The receipt as it is sent; nil where payer or payee is no valid key.
    package var record: PaykitReceiptRecord? {
        guard let payer = try? PubkyKey(bare: id.payer), let payee = try? PubkyKey(bare: id.payee) else { return nil }
        return PaykitReceiptRecord(
            id: id.name, payer: payer, payee: payee, methodID: method, amount: amount, currency: currency,
            createdAt: createdAt, metadata: metadata)
    }

    /// The payee's endpoint in the metadata; nil when there is none.
    package var endpoint: PaykitEndpoint? {
        let text = [Self.endpointName(method), "endpoint"].lazy.compactMap { metadata[$0]?.string?.trimmingWhitespace }
            .first { !$0.isEmpty && $0.utf8.count <= EndpointFile.maximumLength }
        return text.map { PaykitEndpoint(methodID: method, endpoint: $0) }
    }

    static func endpointName(_ method: String) -> String {
        switch method {
        case "lightning": "invoice"
        case "onchain": "address"
        default: "endpoint"
        }
    }
}

extension PaykitReceiptRecord {
    package var isUsable: Bool {
        let isName = { (text: String, most: Int) in
            1...most ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        }
        return isName(id, ChannelReceipt.longestName) && PaykitEndpoint.isMethod(methodID) && createdAt >= 0
            && amount.map(Self.isAmount) ?? true && currency.map { isName($0, ChannelReceipt.longestCurrency) } ?? true
            && (metadata.object != nil || metadata.isNull) && metadata.text.utf8.count <= ChannelReceipt.longestMetadata
    }

    /// Returns true for digits with at most one point between them, not all of them zero.
    private static func isAmount(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 40 && 1...2 ~= parts.count
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }
            && text.utf8.contains { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") }
    }
}

package enum PeerText {
    /// Returns at most 200 visible characters of the text, in one line.
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
    func mappingErrors<Value: Sendable>(
        _ work: @Sendable (Self) async throws -> Value
    ) async throws(PaykitNetworkError) -> Value {
        do { return try await work(self) } catch {
            throw PaykitNetworkError(.storage, "the receipt cannot be stored or read, so nothing is paid: \(error)")
        }
    }
}
