import CitconProvider

/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
public enum CPayCode {
    /// Success.
    public static let success = VendorCode.success
    /// The common error: a bad request, or a payment that could not be made.
    public static let failure = VendorCode.failure
    /// Cancelled. The vendor's SDK also uses it for an answer that it cannot read; see ``CPayMessage``.
    public static let cancelled = VendorCode.cancelled
    /// Cancelled in Alipay.
    public static let alipayCancelled = VendorCode.alipayCancelled

    /// Returns true if `code` means that the payer cancelled, with `message` distinguishing the two meanings of `-2`.
    public static func isCancellation(_ code: String?, message: String?) -> Bool {
        VendorCode.isCancellation(code, message: message)
    }
}
