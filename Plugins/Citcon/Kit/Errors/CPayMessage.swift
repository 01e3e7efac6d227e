import CitconProvider

/// The vendor SDK's own texts, spelt as it spells them: applications compare them.
public enum CPayMessage {
    /// No method was given.
    public static let noMethod = VendorText.noMethod
    /// No charge token was given.
    public static let noChargeToken = VendorText.noChargeToken
    /// Alipay cannot lead back.
    public static let noScheme = VendorText.noScheme
    /// WeChat cannot lead back.
    public static let noUniversalLink = VendorText.noUniversalLink
    /// UnionPay's mode is missing.
    public static let noUnionPayMode = VendorText.noUnionPayMode
    /// A member of the order is missing: its name comes before this, what it is for after it. The vendor's SDK has such
    /// texts only for the members above.
    public static let neededFor = VendorText.neededFor
    /// A member of the order, named before this, cannot become part of a request's path. Not one of the vendor's texts.
    public static let notForPaths = VendorText.notForPaths
    /// The service names a gateway that nobody here handles; the gateway's name follows.
    public static let unsupportedGateway = VendorText.unsupportedGateway
    /// The service names no keys of the merchant's at Cash App.
    public static let noCashAppKeys = VendorText.noCashAppKeys
    /// Neither the order nor the service says which client the merchant is at PayPal. Not one of the vendor's texts.
    public static let noPayPalClient = VendorText.noPayPalClient
    /// What this library ends a text with when a charge was perhaps made, and the only copy of its token is lost.
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
    /// What this library, not the vendor's SDK, ends a text with when money may have moved and nobody knows.
    public static let doNotPayAgain = VendorText.doNotPayAgain
    /// Nobody said what went wrong.
    public static let unknown = VendorText.unknown
}
