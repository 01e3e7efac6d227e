/// The request that an option pays, as journals store it: its ids and the endpoint, but no messages.
struct RoutedRequest: StoredOrder, Sendable, Hashable {
    let id: String
    let payee: String
    let app: String
    /// The period's start and end, in seconds since 1970; nil for a single payment.
    let start: Int64?
    let end: Int64?
    let identifier: String
    let value: String

    static let place = "request"

    init(_ link: PaykitRequestURL, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint) {
        id = link.id
        payee = link.payee.text
        app = link.app.text
        start = period?.start.seconds
        end = period?.end.seconds
        identifier = endpoint.methodID
        value = endpoint.endpoint
    }

    var endpoint: PaykitEndpoint { PaykitEndpoint(methodID: identifier, endpoint: value) }

    var period: BillingPeriod? {
        guard let start, let end else { return nil }
        return try? BillingPeriod(start: PrivateLinkTime(seconds: start), end: PrivateLinkTime(seconds: end))
    }
}
