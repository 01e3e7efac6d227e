/// The human-readable reasons why a payment cannot continue.
enum OrderErrorText {
    /// Returns a message that names the cause; the vendor's messages are for developers.
    static func text(of failure: OrderError) -> String {
        switch failure.message {
        case VendorText.noScheme: "Alipay needs the application's scheme; give it to the provider's configuration"
        case VendorText.noUniversalLink:
            "WeChat Pay needs the application's universal link; give it to the provider's configuration"
        case VendorText.unsupportedFormat, VendorText.unsupportedMethod, VendorText.invalidContent:
            "the service's answer holds nothing that starts this payment"
        case VendorText.invalidRedirect: "the service leads to a page without a safe address"
        case let message where message.hasPrefix(VendorText.undecodable):
            // The rest is this library's own text.
            "the service's answer cannot start the payment: \(message.dropFirst(VendorText.undecodable.utf8.count))"
        case ".scheme\(VendorText.neededFor)Cash App":
            "Cash App needs the application's scheme; give it to the provider's configuration"
        case VendorText.noCashAppKeys: "the service names no client of the merchant's at Cash App; inform the merchant"
        case VendorText.noPayPalClient: "the service names no client of the merchant's at PayPal; inform the merchant"
        case VendorText.unsupportedGateway + "klarna":
            "Klarna is paid on a page here, and the order does not ask for one; nothing was confirmed"
        default: "the service's answer cannot be used to start the payment"
        }
    }

    /// Returns the message for an unsupported gateway; nothing was confirmed. It omits the gateway's name, which is the
    /// service's text.
    static func unsupported(_ method: String) -> String {
        "the service names a gateway for \(method) that this version cannot use; offer another method"
    }
}
