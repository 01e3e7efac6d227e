/// Why a payment goes no further, for people.
enum OrderProblem {
    /// The vendor's words are for developers; this says whose doing it is.
    static func text(of failure: OrderFailure) -> String {
        switch failure.message {
        case VendorText.noScheme: "Alipay needs the application's scheme; give it to the provider's configuration"
        case VendorText.noUniversalLink:
            "WeChat Pay needs the application's universal link; give it to the provider's configuration"
        case VendorText.unsupportedFormat, VendorText.unsupportedMethod, VendorText.invalidContent:
            "the service's answer holds nothing that starts this payment"
        case VendorText.invalidRedirect: "the service leads to a page without a safe address"
        case let message where message.hasPrefix(VendorText.undecodable):
            // What follows is this library's own text.
            "the service's answer cannot start the payment: \(message.dropFirst(VendorText.undecodable.utf8.count))"
        case ".scheme\(VendorText.neededFor)Cash App":
            "Cash App needs the application's scheme; give it to the provider's configuration"
        default: "the service's answer cannot be used to start the payment"
        }
    }

    /// Nothing was confirmed then. The gateway's name is the service's own word, so only known ones are repeated.
    static func unsupported(_ gateway: String, _ method: String) -> String {
        guard gateway == "klarna" else {
            return "the service names a gateway for \(method) that this version cannot use; offer another method"
        }
        return "Klarna is paid inside a view of Klarna's own library, which this version does not start; nothing was "
            + "confirmed, offer another method"
    }
}
