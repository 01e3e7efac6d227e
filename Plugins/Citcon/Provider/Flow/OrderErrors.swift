import PaymentCore

/// Why an order cannot continue, in the terms of the vendor's client: the cause of the router's error if that is less
/// specific. The router's error has none of the service's own texts, because these may contain sent values.
package struct OrderFlowError: Error, Sendable {
    /// The error for the vendor's client.
    package let words: OrderError
    /// The error for the vendor's client if money may have moved, in place of ``words``.
    package var warning: OrderError?
    /// The service's refusal or silence, if that was the cause.
    package var call: CitconCallError?

    /// Creates an error.
    package init(_ words: OrderError, warning: OrderError? = nil, call: CitconCallError? = nil) {
        self.words = words
        self.warning = warning
        self.call = call
    }

    /// Creates the reason from an error that a flow threw. A foreign error may contain anything, so only its type is
    /// named.
    package init(behind error: any Error) {
        guard let error = error as? PaymentError else {
            self.init(OrderError("\(VendorText.unknown): stopped by \(type(of: error))"))
            return
        }
        switch error.cause {
        case let cause as OrderFlowError: self = cause
        case let call as CitconCallError: self.init(OrderError(call), call: call)
        default: self.init(OrderError("\(VendorText.unknown): \(error.message)"))
        }
    }
}

/// The human-readable reasons why a payment cannot continue.
enum OrderErrorText {
    /// Returns a message that names the cause. The vendor's messages are for developers.
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

    /// Returns the message for an unsupported gateway. Nothing was confirmed then. It omits the gateway's name, which
    /// is the service's text.
    static func unsupported(_ method: String) -> String {
        "the service names a gateway for \(method) that this version cannot use; offer another method"
    }
}

/// Why an order cannot continue, in the vendor SDK's terms.
package struct OrderError: Error, Sendable, Hashable {
    package let code: String
    package let message: String

    package init(_ message: String, code: String = VendorCode.failure) {
        self.code = code
        self.message = message
    }

    package init(_ error: CitconCallError) {
        self.init(error.clientMessage, code: error.clientCode)
    }

    /// Creates the error for a payer's return without consent.
    package init(missingConsentIn back: WalletReturn?) {
        let isCancellation = back?.isCancellation ?? true || back?.code == nil
        self.init(
            back?.message ?? (isCancellation ? Self.cancelledByPayer : VendorText.unknown),
            code: isCancellation ? VendorCode.cancelled : VendorCode.failure)
    }

    /// The message for payers who cancelled.
    package static let cancelledByPayer = "cancelled by the payer"
}

// MARK: - The vendor's codes and texts

/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
package enum VendorCode {
    /// Success.
    package static let success = "0"
    /// The common error: a bad request, or a payment that could not be made.
    package static let failure = "-1"
    /// Cancelled. The vendor's SDK also uses it for an answer that it cannot read. See ``VendorText``.
    package static let cancelled = "-2"
    /// Cancelled in Alipay.
    package static let alipayCancelled = "6001"

    /// Returns true if `code` means that the payer cancelled, with `message` distinguishing the two meanings of `-2`.
    package static func isCancellation(_ code: String?, message: String?) -> Bool {
        if code == alipayCancelled { return true }
        return code == cancelled && message?.hasPrefix(VendorText.undecodable) != true
    }
}

/// The vendor SDK's own texts, spelt as it spells them: applications compare them.
package enum VendorText {
    /// No method was given.
    package static let noMethod = ".payment.method\(empty)"
    /// No charge token was given.
    package static let noChargeToken = ".chargeToken can not be empty or nil"
    /// Alipay has no way back to the application.
    package static let noScheme = ".scheme Can not be empty for Alipay"
    /// WeChat has no way back to the application.
    package static let noUniversalLink = ".universalLink Can not be empty for WechatPay"
    /// UnionPay's mode is missing.
    package static let noUnionPayMode = ".unionPayMode or .controller Can not be empty for UPOP"
    /// A member that every order has is missing. Its name precedes this text. The vendor's SDK uses it for the method
    /// alone.
    package static let empty = " can not be empty"
    /// A member of the order is missing: its name precedes this text, its purpose follows. The vendor's SDK has such
    /// texts only for the members above.
    package static let neededFor = " Can not be empty for "
    /// A member of the order, whose name precedes this text, cannot become part of a request's path. Not a vendor's
    /// text.
    package static let notForPaths = " has characters that can not be part of an address"
    /// No handler takes the gateway that the service names. The gateway's name follows.
    package static let unsupportedGateway = "Unsupport Payment: "
    /// Neither the order nor the service names the merchant's client id at PayPal.
    package static let noPayPalClient = ".paypalClientId\(neededFor)PayPal"
    /// The service names no keys of the merchant at Cash App.
    package static let noCashAppKeys = "The Cash App Client config is empty!"
    /// The launch payload comes in a form that the gateway's handler cannot use.
    package static let unsupportedFormat = "Unsupport payment format"
    /// The gateway's handler does not know the method.
    package static let unsupportedMethod = "Unsupport payment method"
    /// The launch payload cannot be used.
    package static let invalidContent = "Resp data with invalid content"
    /// The page to open has no usable address.
    package static let invalidRedirect = "Resp data with invalid redirect url"
    /// The answer cannot be read. The expectation follows.
    package static let undecodable = "Unexcept Error for Response Data: "
    /// The inquiry after the payer's return failed.
    package static let checkFailed = "Check result failed"
    /// The end of this library's text, not one of the vendor SDK's, when money may have moved and the status is
    /// unknown.
    package static let doNotPayAgain =
        "Money may have moved: do not pay again before an inquiry says how it ended"
    /// The end of this library's text when the client waits no more for a payer whose charge is open.
    package static let stillOpen =
        "The charge is still open and can be paid: do not pay again before an inquiry says how it ended"
    /// An order whose reference or charge is being paid by another request.
    package static let inProgress = "A payment of this order is in progress"
    /// The end of this library's text when a charge may exist and the only copy of its token is lost.
    package static let tokenLost =
        "The charge may be there, but its token is lost. Nothing is charged: order again under another reference"
    /// The cause of the error is unknown.
    package static let unknown = "Unknown Error"
}
