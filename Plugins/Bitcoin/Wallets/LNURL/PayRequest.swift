import PaymentCore

/// A service's answer to an LNURL or a Lightning address (LUD-06): the terms on which it makes an invoice.
struct PayRequest: Sendable, Hashable {
    /// Where invoices are made.
    let callback: HTTPURL
    /// The least and the most that can be paid, in thousandths of a satoshi.
    let amounts: ClosedRange<UInt64>
    /// The description, as one text, to which invoices are bound by its hash.
    let metadata: String
    /// The most characters of a comment (LUD-12); 0 for none.
    let commentLimit: UInt64

    /// Reads an answer.
    ///
    /// - Throws: ``PaymentError``, with the service's own reason where it gives one.
    init(_ body: JSONValue, isAllowed: (HTTPURL) -> Bool) throws(PaymentError) {
        try Self.check(body)
        guard body["tag"] == "payRequest" else { throw Self.error("it does not take payments") }
        guard let callback = body["callback"]?.string.flatMap({ try? HTTPURL($0) }), isAllowed(callback) else {
            throw Self.error("its callback is no encrypted address on the open web")
        }
        guard let least = body["minSendable"]?.uint64, let most = body["maxSendable"]?.uint64, 0 < least, least <= most
        else { throw Self.error("its limits contradict each other") }
        guard let metadata = body["metadata"]?.string, (try? JSONValue(parsing: metadata))?.array != nil else {
            throw Self.error("it does not say what is paid for")
        }
        self.callback = callback
        amounts = least...most
        self.metadata = metadata
        commentLimit = body["commentAllowed"]?.uint64 ?? 0
    }

    /// Throws where an answer is the service's refusal, which has status 200, too.
    static func check(_ body: JSONValue) throws(PaymentError) {
        guard body["status"]?.string?.uppercased() == "ERROR" else { return }
        throw error("it refuses: \((body["reason"]?.string ?? "it does not say why").asReason)")
    }

    static func error(_ what: String) -> PaymentError {
        PaymentError(.invalidResponse, "the payee's service cannot be paid: \(what)", phase: .answered, retry: .later)
    }

    /// Returns the address that makes an invoice over `amount`.
    func address(for amount: UInt64, comment: String?) throws(PaymentError) -> HTTPURL {
        var text = callback.text
        text += callback.query == nil ? "?" : "&"
        text += "amount=\(amount)"
        if let comment { text += "&comment=\(PercentCoding.encode(comment))" }
        guard let url = try? HTTPURL(text) else { throw Self.error("its callback is too long") }
        return url
    }
}
