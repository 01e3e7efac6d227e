import PaymentCore
import PaymentCrypto
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks the services behind LNURLs and Lightning addresses for invoices (LUD-06, LUD-12, LUD-16). It pays nothing.
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
        else { throw PayRequest.error("its address is none on the open web") }
        return url
    }

    /// A payee chooses these addresses: they lead to hosts with names, encrypted, and never to this machine or its
    /// network. Where money is worth nothing, they may.
    private func isAllowed(_ url: HTTPURL) -> Bool {
        if network == "regtest", url.isLoopback { return true }
        let kind = try? PaymentLink(url.text).hostKind
        return url.isSecure && !url.isLoopback && url.host.contains(".")
            && (kind == .name || kind == .internationalName)
    }

    /// Asks a service, also where it has moved to: each of the places has to be one on the open web.
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
