import PaymentCore

/// Which request an option pays, as journals keep it: ids, and nothing that was said.
struct RoutedRequest: Sendable, Hashable, Codable {
    let id: String
    let payee: String
    let app: String
    /// The period's two ends, in seconds; nil for what is paid once.
    let start: Int64?
    let end: Int64?
    /// The endpoint's identifier.
    let identifier: String
    /// The endpoint as the payee has sent it.
    let value: String

    /// Where it lies in the option's data.
    private static let place = "request"

    init(_ link: PaykitRequestURL, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint) {
        id = link.id
        payee = link.payee.text
        app = link.app.text
        start = period?.start.seconds
        end = period?.end.seconds
        identifier = endpoint.methodID
        value = endpoint.endpoint
    }

    /// Reads what an option stores; nil for an option of another kind.
    init?(_ option: PaymentMethodOption) {
        guard let stored = option.providerData?[Self.place], let request = try? stored.decode(RoutedRequest.self) else {
            return nil
        }
        self = request
    }

    var endpoint: PaykitEndpoint { PaykitEndpoint(methodID: identifier, endpoint: value) }

    var period: BillingPeriod? {
        guard let start, let end else { return nil }
        return try? BillingPeriod(start: PrivateLinkTime(seconds: start), end: PrivateLinkTime(seconds: end))
    }

    /// `option` with this request in its data.
    func placed(in option: PaymentMethodOption) throws -> PaymentMethodOption {
        var data = option.providerData ?? [:]
        data[Self.place] = try JSONValue.encode(self)
        return option.with(providerData: data)
    }
}
