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
        /// The service's host.
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
        let terms = try PayRequest(await ask(try address(of: endpoint)), isAllowed: isAllowed)
        guard terms.amounts.contains(amount) else {
            throw PayRequest.error(
                "it takes from \(terms.amounts.lowerBound) to \(terms.amounts.upperBound) millisatoshi, not \(amount)")
        }
        if let comment, comment.unicodeScalars.count > Int(clamping: terms.commentLimit) {
            throw PayRequest.error("it takes comments of at most \(terms.commentLimit) characters")
        }
        let body = try await ask(terms.address(for: amount, comment: comment))
        try PayRequest.check(body)
        guard let text = body["pr"]?.string else { throw PayRequest.error("it made no invoice") }
        return try check(text, over: amount, by: terms, action: body["successAction"])
    }

    /// Checks an invoice against what was asked for.
    private func check(
        _ text: String, over amount: UInt64, by terms: PayRequest, action: JSONValue?
    ) throws(PaymentError) -> Invoice {
        guard let link = try? PaymentLink("lightning:\(text)"), case .instruction(let instruction) = reader.read(link),
            let offer = SettlementOffer.offers(in: link, reader).first, offer.endpoint.kind == .bolt11
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
            endpoint: offer.endpoint, expiresAt: offer.expiresAt, host: terms.callback.host, successAction: action)
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

    private func ask(_ url: HTTPURL) async throws(PaymentError) -> JSONValue {
        let response: HTTPResponse
        do throws(TransportError) {
            var request = HTTPRequest(.get, url, headers: ["Accept": "application/json"], responseLimit: 1 << 18)
            request.reachesPrivateNetworks = false
            response = try await transport.send(request)
        } catch {
            throw PaymentError(
                .network, "the payee's service does not answer: \(error.reason)", retry: .later, cause: error)
        }
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
