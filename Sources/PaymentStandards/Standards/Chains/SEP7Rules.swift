import PaymentCore

/// The rules for the parameters of a `web+stellar:` link. Source: SEP-7.
enum SEP7Rules {
    /// The passphrase of the public network, the default.
    static let publicNetwork = "Public Global Stellar Network ; September 2015"
    /// The most levels of nested requests.
    private static let maximumChain = 7

    /// Checks `parts`; `end` is the place of the text's end.
    static func check(_ operation: String, _ parts: [String: TextPart], end: Int) throws(StandardDefect) {
        if operation == "pay" {
            try checkPayment(parts, end)
        } else {
            guard let envelope = parts["xdr"] else {
                throw StandardDefect(.missing, "xdr", at: end, "is missing; it holds the transaction")
            }
            guard !envelope.isEmpty, Base64Text.decode(envelope) != nil else {
                throw envelope.defect(.encoding, "xdr", "must be base64")
            }
            if let replace = parts["replace"] { try checkReplacements(replace) }
        }
        try checkCommon(parts, end)
    }

    private static func checkPayment(_ parts: [String: TextPart], _ end: Int) throws(StandardDefect) {
        guard let destination = parts["destination"] else {
            throw StandardDefect(.missing, "destination", at: end, "is missing; it says who is paid")
        }
        let key = try StellarKey(destination, "destination")
        guard [.account, .muxed, .contract].contains(key.kind) else {
            throw destination.defect(.malformed, "destination", "is nothing that can be paid")
        }
        if let amount = parts["amount"] {
            let decimal = try DecimalText(amount, "amount", DecimalRules(fractionDigits: 7, wholeDigits: 20))
            guard let units = decimal.units(exponent: 7), units <= UInt128(Int64.max) else {
                throw amount.defect(.range, "amount", "is more than 922337203685.4775807, the most there can be")
            }
        }
        switch (parts["asset_code"], parts["asset_issuer"]) {
        case (let code?, let issuer?):
            guard 1...12 ~= code.count, code.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
                throw code.defect(.malformed, "asset_code", "must be 1 to 12 letters and digits")
            }
            guard try StellarKey(issuer, "asset_issuer").kind == .account else {
                throw issuer.defect(.malformed, "asset_issuer", "must be an account")
            }
        case (let code?, nil): throw code.defect(.mismatch, "asset_code", "must not stand without asset_issuer")
        case (nil, let issuer?): throw issuer.defect(.mismatch, "asset_issuer", "must not stand without asset_code")
        case (nil, nil): break
        }
        try checkMemo(parts)
    }

    private static func checkMemo(_ parts: [String: TextPart]) throws(StandardDefect) {
        guard let memo = parts["memo"] else {
            if let type = parts["memo_type"] {
                throw type.defect(.mismatch, "memo_type", "must not stand without memo")
            }
            return
        }
        switch parts["memo_type"]?.text ?? "MEMO_TEXT" {
        case "MEMO_TEXT":
            guard memo.count <= 28 else { throw memo.defect(.length, "memo", "has more than 28 bytes; shorten it") }
        case "MEMO_ID":
            guard memo.isDigits, UInt64(memo.text) != nil else {
                throw memo.defect(.range, "memo", "must be a whole number below 2^64")
            }
        case "MEMO_HASH", "MEMO_RETURN":
            guard Base64Text.decode(memo)?.count == 32 else {
                throw memo.defect(.length, "memo", "must be 32 bytes in base64")
            }
        default:
            throw (parts["memo_type"] ?? memo).defect(
                .unsupported, "memo_type", "must be MEMO_TEXT, MEMO_ID, MEMO_HASH or MEMO_RETURN")
        }
    }

    private static func checkCommon(_ parts: [String: TextPart], _ end: Int) throws(StandardDefect) {
        if let callback = parts["callback"] {
            guard callback.starts(with: "url:"), let link = try? PaymentLink(callback.dropFirst(4).text), link.isHTTP
            else { throw callback.defect(.malformed, "callback", "must be url: and a web address") }
        }
        if let key = parts["pubkey"], try StellarKey(key, "pubkey").kind != .account {
            throw key.defect(.malformed, "pubkey", "must be an account")
        }
        if let message = parts["msg"] { _ = try message.limited(to: 300, "msg") }
        if let chain = parts["chain"] { try checkChain(chain) }
        guard let domain = parts["origin_domain"] else { return }
        guard (try? PaymentLink("https://\(domain.text)/"))?.hostKind == .name,
            !domain.bytes.contains(UInt8(ascii: "/"))
        else { throw domain.defect(.malformed, "origin_domain", "must be a domain's name") }
        guard let signature = parts["signature"] else {
            throw StandardDefect(.missing, "signature", at: end, "is missing; a named origin must sign")
        }
        guard Base64Text.decode(signature)?.count == 64 else {
            throw signature.defect(.signature, "signature", "must be 64 bytes in base64")
        }
    }

    /// Checks requests within requests: each level is encoded once more, so that a few levels fill any link.
    private static func checkChain(_ chain: TextPart) throws(StandardDefect) {
        var text = chain.text
        for depth in 1... {
            guard text.hasPrefix("web+stellar:") else {
                throw chain.defect(.malformed, "chain", "must be another web+stellar: link")
            }
            let items = QueryItems(text.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
            guard let inner = items.first(where: { $0.name == "chain" })?.decodedValue else { return }
            guard depth < maximumChain else {
                throw chain.defect(.length, "chain", "holds more than \(maximumChain) links within each other")
            }
            text = inner
        }
    }

    /// Checks `path:id,…;id:hint,…`, with the same ids on both sides.
    private static func checkReplacements(_ part: TextPart) throws(StandardDefect) {
        let (fields, hints) = part.cut(at: ";")
        func ids(_ list: TextPart, _ takesLast: Bool) -> Set<String> {
            Set(
                list.split(at: ",").map { item in
                    let (head, tail) = item.cut(at: ":")
                    return takesLast ? tail?.text ?? "" : head.text
                })
        }
        let used = ids(fields, true)
        guard !used.contains(""), used == hints.map({ ids($0, false) }) ?? [] else {
            throw part.defect(.mismatch, "replace", "must explain each field that is to be filled in, and no other")
        }
    }
}
