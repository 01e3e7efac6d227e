/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
package enum VendorCode {
    /// Success.
    package static let success = "0"
    /// The common error: a bad request, or a payment that could not be made.
    package static let failure = "-1"
    /// Cancelled. The vendor's SDK also uses it for an answer that it cannot read; see ``VendorText``.
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
    /// A member that every order has is missing; its name precedes this text. The vendor's SDK uses it for the method
    /// alone.
    package static let empty = " can not be empty"
    /// A member of the order is missing: its name precedes this text, its purpose follows. The vendor's SDK has such
    /// texts only for the members above.
    package static let neededFor = " Can not be empty for "
    /// A member of the order, whose name precedes this text, cannot become part of a request's path. Not a vendor's
    /// text.
    package static let notForPaths = " has characters that can not be part of an address"
    /// No handler takes the gateway that the service names; the gateway's name follows.
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
    /// The answer cannot be read; what was expected follows.
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
