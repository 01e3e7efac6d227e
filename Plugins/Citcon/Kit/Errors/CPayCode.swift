import CitconProvider

/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
public enum CPayCode {
    /// Success.
    public static let success = VendorCode.success
    /// The common error: a bad request, a payment that could not be made.
    public static let failure = VendorCode.failure
    /// Called off. The vendor's SDK also uses it for an answer that it cannot read; see ``CPayMessage``.
    public static let cancelled = VendorCode.cancelled
    /// Called off in Alipay.
    public static let alipayCancelled = VendorCode.alipayCancelled

    /// Returns whether `code` stands for a payer who called it off, with `message` telling the two meanings of `-2`
    /// apart.
    public static func isCancellation(_ code: String?, message: String?) -> Bool {
        VendorCode.isCancellation(code, message: message)
    }
}
