public import PaymentCore
import PaymentCrypto
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client that asks the services behind LNURLs and Lightning addresses for invoices (LUD-06, LUD-12, LUD-16). It pays
/// nothing.
struct PayService: Sendable {
    /// An invoice that a service made, found to be over the asked amount and bound to the shown terms.
    struct Invoice: Sendable, Hashable {
        let endpoint: SettlementEndpoint
        let expiresAt: Date?
        /// The host that made the invoice.
        let host: String
        /// The message for after the payment, as the service sent it.
        let successAction: JSONValue?
    }

    let transport: any HTTPTransport
    let reader: any InstructionReader
    let network: String

    /// Returns an invoice over `amount`, in thousandths of a satoshi.
    ///
    /// - Throws: ``PaymentError``; nothing was paid then.
    func invoice(
        of endpoint: SettlementEndpoint, over amount: UInt64, comment: String? = nil
    ) async throws(PaymentError) -> Invoice {
        let terms = try PayRequest(await ask(try address(of: endpoint)).body, isAllowed: isAllowed)
        guard terms.amounts.contains(amount) else {
            throw PayRequest.error(
                "it takes from \(terms.amounts.lowerBound) to \(terms.amounts.upperBound) millisatoshi, not \(amount)")
        }
        if let comment, comment.unicodeScalars.count > Int(clamping: terms.commentLimit) {
            throw PayRequest.error("it takes comments of at most \(terms.commentLimit) characters")
        }
        let (body, host) = try await ask(terms.address(for: amount, comment: comment))
        try PayRequest.check(body)
        guard let text = body["pr"]?.string else { throw PayRequest.error("it made no invoice") }
        return try check(text, over: amount, by: terms, from: host, action: body["successAction"])
    }

    /// Checks an invoice against what was asked for.
    private func check(
        _ text: String, over amount: UInt64, by terms: PayRequest, from host: String, action: JSONValue?
    ) throws(PaymentError) -> Invoice {
        guard let link = try? PaymentLink("lightning:\(text)"), case .instruction(let instruction) = reader.read(link),
            let offer = SettlementOffer.offers(in: link, reader).first
        else { throw PayRequest.error("its invoice is malformed") }
        guard offer.endpoint.network == network else { throw PayRequest.error("its invoice is not on \(network)") }
        guard instruction.fields["amountMsat"]?.uint64 == amount else {
            throw PayRequest.error("its invoice is over another amount")
        }
        // Services of a later custom leave the hash out; a wrong one is for another description.
        if let hash = instruction.fields["descriptionHash"]?.string {
            guard hash == Hex.encode(Digest.sha256.hash(Array(terms.metadata.utf8))) else {
                throw PayRequest.error("its invoice is for another description")
            }
        }
        return Invoice(
            endpoint: offer.endpoint, expiresAt: offer.expiresAt, host: host, successAction: action)
    }

    /// The address of the service, as the payment's text says it.
    private func address(of endpoint: SettlementEndpoint) throws(PaymentError) -> HTTPURL {
        let link = (try? PaymentLink("lightning:\(endpoint.text)")).map(reader.read)
        guard case .instruction(let instruction)? = link, instruction.standard == "lnurl",
            let url = instruction.fields["url"]?.string.flatMap({ try? HTTPURL($0) }), isAllowed(url)
        else { throw PayRequest.error("its address is not on the open web") }
        return url
    }

    /// A payee chooses these addresses: they lead to hosts with names, encrypted, and never to this machine or its
    /// network. If money is worth nothing, they may.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        if network == "regtest", url.isLoopback { return true }
        let kind = try? PaymentLink(url.text).hostKind
        return url.isSecure && !url.isLoopback && url.host.contains(".")
            && (kind == .name || kind == .internationalName)
    }

    /// Asks a service, and follows its redirects. Each address has to be on the open web.
    ///
    /// - Returns: the answer, and the host that gave it.
    private func ask(_ first: HTTPURL) async throws(PaymentError) -> (body: JSONValue, host: String) {
        var url = first
        for _ in 0...Self.moves {
            let response = try await send(url)
            guard [301, 302, 303, 307, 308].contains(response.status) else {
                return (try Self.read(response), url.host)
            }
            let location = response.headers["Location"] ?? ""
            let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
            guard let next = try? HTTPURL(isPath ? url.origin + location : location), isAllowed(next) else {
                throw PayRequest.error("it has moved to a place that is not asked")
            }
            url = next
        }
        throw PayRequest.error("it has moved more than \(Self.moves) times")
    }

    /// The most moves that are followed.
    private static let moves = 3

    private func send(_ url: HTTPURL) async throws(PaymentError) -> HTTPResponse {
        var request = HTTPRequest(.get, url, headers: ["Accept": "application/json"], responseLimit: 1 << 18)
        request.reachesPrivateNetworks = false
        do throws(TransportError) { return try await transport.send(request) } catch {
            throw PaymentError(
                .network, "the payee's service does not answer: \(error.reason)", retry: .later, cause: error)
        }
    }

    private static func read(_ response: HTTPResponse) throws(PaymentError) -> JSONValue {
        guard let body = response.json else {
            throw PayRequest.error("its answer with status \(response.status) cannot be read")
        }
        guard response.status == 200 else {
            try PayRequest.check(body)
            throw PayRequest.error("it answers with status \(response.status)")
        }
        return body
    }
}

/// A service's answer to an LNURL or a Lightning address (LUD-06): its terms for making an invoice.
struct PayRequest: Sendable, Hashable {
    /// The address that makes invoices.
    let callback: HTTPURL
    /// The least and the most that can be paid, in thousandths of a satoshi.
    let amounts: ClosedRange<UInt64>
    /// The description, as one text. Invoices are bound to it by its hash.
    let metadata: String
    /// The most characters of a comment (LUD-12); 0 for none.
    let commentLimit: UInt64

    /// Reads an answer.
    ///
    /// - Throws: ``PaymentError``, with the service's own reason if it gives one.
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

    /// Throws if an answer is the service's refusal. A refusal has status 200, too.
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

/// A service's message to a payer who has paid (LUD-09, LUD-10): show it as the payee's own words.
@nonexhaustive
public enum SuccessAction: Sendable, Hashable {
    /// A text of at most 144 characters.
    case message(String)
    /// A text, and a page of the service's own host.
    case page(String, HTTPURL)
    /// A text, and what was bought itself, such as a voucher's code: the service sent it encrypted, and the proof of
    /// the payment opened it.
    case secret(String, Redacted<String>)
}

extension SuccessAction {
    /// Reads the action of a paid invoice; nil for none, and for one that breaks the rules.
    ///
    /// - Parameters:
    ///   - body: the member `successAction` of the service's answer.
    ///   - host: the host that made the invoice: a page of any other is not shown.
    ///   - preimage: the proof of the payment, in hexadecimal digits.
    init?(_ body: JSONValue, from host: String, preimage: String) {
        func text(_ member: String) -> String? {
            guard let text = body[member]?.string, text.unicodeScalars.count <= 144 else { return nil }
            return text
        }
        switch body["tag"]?.string {
        case "message":
            guard let message = text("message") else { return nil }
            self = .message(message)
        case "url":
            guard let words = text("description"), let url = body["url"]?.string.flatMap({ try? HTTPURL($0) }),
                url.host == host, url.isConfidential
            else { return nil }
            self = .page(words, url)
        case "aes":
            guard let words = text("description"), let secret = Self.secret(in: body, preimage) else { return nil }
            self = .secret(words, Redacted(secret))
        default: return nil
        }
    }

    /// Decrypts with AES-256-CBC under the preimage (LUD-10).
    private static func secret(in body: JSONValue, _ preimage: String) -> String? {
        guard let key = Hex.decode(preimage), key.count == 32,
            let ciphertext = body["ciphertext"]?.string, ciphertext.utf8.count <= 4096,
            let vector = body["iv"]?.string, vector.utf8.count == 24,
            let (content, start) = Data(base64Encoded: ciphertext).flatMap({ content in
                Data(base64Encoded: vector).map { (Array(content), Array($0)) }
            }), let plain = try? AESCBC.decrypt(content, key: key, vector: start)
        else { return nil }
        return String(validating: plain, as: UTF8.self)
    }
}
