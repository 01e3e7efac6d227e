import PaymentCore

/// The meaning of links for Payrails.
enum LinkReading {
    /// Returns the match of `link`; nil if it does not belong to Payrails.
    static func match(_ link: PaymentLink, _ returnURLs: ReturnURLs) -> LinkMatch? {
        if returnURLs.kind(of: link) != nil { return LinkMatch(reference: nil, role: .callback) }
        if link.isHTTP { return page(link) }
        do throws(SessionLink.Defect) {
            return session(try SessionLink.initData(of: link))
        } catch {
            switch error {
            case .otherForm: return nil
            case .malformed(let reason): return unusable(reason)
            }
        }
    }

    /// Returns the match of a page of the service on which the payer proves their identity:
    /// `/public/redirect/merchant/{workflow}/{execution}/{token}`.
    private static func page(_ link: PaymentLink) -> LinkMatch? {
        let parts = link.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard link.isHTTPS, link.port == nil,
            link.host.map(String.init).map({ AddressRule.host($0, isWithin: AddressRule.domain) }) == true,
            parts.count == 6, Array(parts.prefix(3)) == ["public", "redirect", "merchant"],
            let execution = WireText.id(String(parts.dropFirst(4).first ?? "")), parts.last?.isEmpty == false
        else { return nil }
        return LinkMatch(reference: execution, role: .callback, holdsSecret: true)
    }

    private static func session(_ data: PayrailsInitData) -> LinkMatch {
        let payload: SessionPayload
        do { payload = try SessionPayload(data) } catch { return unusable(error.description) }
        guard let execution = payload.execution else { return unusable("it is for storing cards, and pays nothing") }
        guard let id = WireText.id(execution.id) else { return unusable("'execution.id' is not an id") }
        for address in payload.serviceAddresses.compactMap(\.self) {
            guard let url = try? HTTPURL(address) else { return unusable("it holds an address that is none") }
            guard AddressRule.isPayrails(url) else {
                return LinkMatch(
                    reference: id, trust: .unverified(reason: "the session leads to \(url.origin), not to payrails.io"),
                    holdsSecret: true)
            }
        }
        return LinkMatch(reference: id, holdsSecret: true)
    }

    private static func unusable(_ reason: String) -> LinkMatch {
        LinkMatch(
            reference: nil, trust: .unverified(reason: "the session cannot be read: \(reason)"), holdsSecret: true)
    }
}
