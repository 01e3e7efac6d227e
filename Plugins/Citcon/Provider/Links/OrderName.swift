public import PaymentCore
import PaymentCrypto

/// The name of a payment: the environment and the merchant, outside of which a reference has no meaning, and the
/// merchant's reference.
///
/// `uat/order-1`, or with a name for the merchant `uat/shop-2/order-1`. References have no slashes, and the merchant's
/// name is percent-encoded.
package struct OrderName: Sendable, Hashable {
    package let mode: CitconEndpoint.Mode
    package let merchant: String?
    package let reference: String

    /// The whole name.
    package var text: String {
        ([mode.linkName] + [merchant.map { PercentCoding.encode($0) }].compactMap(\.self) + [reference])
            .joined(separator: "/")
    }

    /// Returns the reference in `name`, which has to be of this environment and merchant; a bare reference qualifies.
    ///
    /// - Throws: ``PaymentError`` of phase `beforeSend`.
    package static func reference(
        in name: String, _ configuration: CitconConfiguration, at provider: ProviderID
    ) throws(PaymentError) -> String {
        func error(_ code: PaymentError.Code, _ message: String) -> PaymentError {
            PaymentError(code, message, provider: provider)
        }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let reference = parts.last ?? ""
        if parts.count > 1 {
            let own = OrderName(
                mode: configuration.endpoint.mode, merchant: configuration.merchant, reference: reference)
            let isNamed = parts.count <= 3 && CitconEndpoint.Mode(linkName: parts[0]) != nil
            guard isNamed else { throw error(.rejectedLink, unsoundReference) }
            guard own.text == name else {
                throw error(
                    .integrity,
                    "the payment belongs to another environment or merchant than this provider is set up for "
                        + "(\(configuration.endpoint.mode.linkName)); nothing was asked")
            }
        }
        guard PathSegment.isSafe(reference) else { throw error(.rejectedLink, unsoundReference) }
        return reference
    }

    private static let unsoundReference =
        "the payment's reference has characters that cannot be part of a request's path; nothing was asked"
}

/// The terms of a link besides its name, stored with an attempt.
package struct OrderTerms: Sendable, Hashable, Codable {
    /// A value that distinguishes charges without holding the charge token, which is a secret.
    package let charge: String

    package init(_ token: Redacted<String>) {
        charge = Hex.encode(Digest.sha256.hash(Array(token.reveal().utf8)).prefix(12))
    }
}

extension CitconProvider: ReusableReferenceProvider {
    /// Refuses the same reference for another charge, method or amount: that is another payment, which must neither be
    /// reported as paid because the first one was, nor be paid in its place.
    ///
    /// - Throws: ``PaymentError``, `integrity`, when they differ.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        let order: CitconOrderLink
        do throws(CitconOrderLink.Defect) { order = try CitconOrderLink(link) } catch { return }
        guard !order.isAbout(attempt) else { return }
        throw PaymentError(
            .integrity,
            "the link asks for \(order.amount) under the reference of an order over \(attempt.option.amount) that is paid "
                + "or in progress; they differ in charge, amount or method, so nothing was sent: ask the merchant for a "
                + "separate order", provider: id)
    }
}

extension CitconOrderLink {
    /// Returns true if `attempt` is for this charge, by the same method, over the same amount. An attempt that does not
    /// say which charge it is for is not.
    package func isAbout(_ attempt: PaymentAttempt) -> Bool {
        guard method == attempt.option.id, amount == attempt.option.amount else { return false }
        guard let terms = try? attempt.option.providerData?.decode(OrderTerms.self) else { return false }
        return terms == OrderTerms(token)
    }
}
