import CitconProvider

/// The vendor SDK's own texts, spelt as it spells them: applications compare them.
public enum CPayMessage {
    /// No method was given.
    public static let noMethod = VendorText.noMethod
    /// No charge token was given.
    public static let noChargeToken = VendorText.noChargeToken
    /// Alipay has no way back to the application.
    public static let noScheme = VendorText.noScheme
    /// WeChat has no way back to the application.
    public static let noUniversalLink = VendorText.noUniversalLink
    /// UnionPay's mode is missing.
    public static let noUnionPayMode = VendorText.noUnionPayMode
    /// A member of the order is missing: its name precedes this text, its purpose follows. The vendor's SDK has such
    /// texts only for the members above.
    public static let neededFor = VendorText.neededFor
    /// A member of the order, whose name precedes this text, cannot become part of a request's path. Not a vendor's
    /// text.
    public static let notForPaths = VendorText.notForPaths
    /// No handler takes the gateway that the service names; the gateway's name follows.
    public static let unsupportedGateway = VendorText.unsupportedGateway
    /// The service names no keys of the merchant at Cash App.
    public static let noCashAppKeys = VendorText.noCashAppKeys
    /// Neither the order nor the service names the merchant's client id at PayPal. Not one of the vendor's texts.
    public static let noPayPalClient = VendorText.noPayPalClient
    /// The end of this library's text when a charge may exist and the only copy of its token is lost.
    public static let tokenLost = VendorText.tokenLost
    /// The launch payload comes in a form that the gateway's handler cannot use.
    public static let unsupportedFormat = VendorText.unsupportedFormat
    /// The gateway's handler does not know the method.
    public static let unsupportedMethod = VendorText.unsupportedMethod
    /// The launch payload cannot be used.
    public static let invalidContent = VendorText.invalidContent
    /// The page to open has no usable address.
    public static let invalidRedirect = VendorText.invalidRedirect
    /// The answer cannot be read; what was expected follows.
    public static let undecodable = VendorText.undecodable
    /// The inquiry after the payer's return failed.
    public static let checkFailed = VendorText.checkFailed
    /// The end of this library's text, not one of the vendor SDK's, when money may have moved and the status is
    /// unknown.
    public static let doNotPayAgain = VendorText.doNotPayAgain
    /// The end of this library's text, not one of the vendor SDK's, when the client waits no more for a payer whose
    /// charge is open.
    public static let stillOpen = VendorText.stillOpen
    /// The text, not one of the vendor SDK's, for an order whose reference or charge is being paid by another request.
    public static let inProgress = VendorText.inProgress
    /// The cause of the error is unknown.
    public static let unknown = VendorText.unknown
}
