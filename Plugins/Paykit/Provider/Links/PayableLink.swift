import PaymentSettlement

/// The meaning of Paykit's links to a router (Protocol 1.4 to 1.6).
enum PayableLink {
    /// Returns the reference and the trust of `link`; nil when it cannot be used.
    static func match(_ link: PaymentLink, _ reader: any InstructionReader, _ callbacks: [String]) -> LinkMatch? {
        if isCallback(link, callbacks) { return LinkMatch(reference: nil, role: .callback, holdsSecret: true) }
        // A payment standard rejects this link and reports which part of it is wrong.
        if case .defective = reader.read(link) { return nil }
        guard let meaning = (try? PaykitLink.read(link)).flatMap(\.self) else { return nil }
        switch meaning {
        case .payee(let key): return LinkMatch(reference: key.text, holdsSecret: false, namesPayee: true)
        case .invoice(let endpoint): return invoice(endpoint, reader)
        // An id is any text; encoded, it cannot pass for an app's path, nor for another Unicode form of itself.
        case .request(let id, let sender):
            return LinkMatch(reference: "\(sender)/request/\(PercentCoding.encode(id))", holdsSecret: false)
        case .privateRequest(let request):
            return LinkMatch(reference: request.reference, holdsSecret: false, namesPayee: request.recurs)
        case .authorization, .keyManager: return LinkMatch(reference: nil, role: .authorization, holdsSecret: true)
        case .otherGeneration(let word):
            return LinkMatch(
                reference: nil, trust: .unverified(reason: "it is of \(word) of Paykit, which cannot be paid here"),
                holdsSecret: holdsKey(link))
        }
    }

    /// Links to private endpoints of the first generation contain the key that opens them.
    private static func holdsKey(_ link: PaymentLink) -> Bool { link.fragment?.hasPrefix("encryptionKey=") == true }

    /// Returns a match that is named as the same endpoint is anywhere.
    private static func invoice(_ endpoint: PaykitEndpoint, _ reader: any InstructionReader) -> LinkMatch {
        LinkMatch(settling: EndpointOffers.offers(of: endpoint, reader))
            ?? LinkMatch(
                reference: nil, trust: .unverified(reason: "its endpoint is not sound, or of no kind that is known"),
                holdsSecret: false)
    }

    private static func isCallback(_ link: PaymentLink, _ callbacks: [String]) -> Bool {
        callbacks.contains { callback in
            guard let known = try? PaymentLink(callback) else { return false }
            return known.scheme == link.scheme && known.host == link.host && known.path == link.path
        }
    }
}
