/// The state of a transaction. Both spellings in use are read as one; a word that is not known is kept as it came.
public enum CPayStatus: Sendable, Hashable, RawRepresentable {
    /// Created; nobody has paid.
    case initiated
    /// Under way; the guide says that this typically ends in a failure.
    case pending
    /// The money is reserved. The payer has done their part; the merchant still has to capture it.
    case authorized
    /// Paid.
    case succeeded
    /// Not paid.
    case failed
    /// Called off.
    case canceled
    /// Its time is over.
    case expired
    /// Another word.
    case unknown(String)

    /// Reads a state: blanks around it and the case of its letters do not matter.
    public init(rawValue: String) {
        let bytes = rawValue.utf8.map(\.lowercased)
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        switch String(decoding: bytes[start..<end], as: UTF8.self) {
        case "initiated": self = .initiated
        case "pending": self = .pending
        case "authorized": self = .authorized
        case "succeeded", "success", "captured": self = .succeeded
        case "failed", "fail": self = .failed
        case "canceled", "cancelled", "voided": self = .canceled
        case "expired": self = .expired
        default: self = .unknown(rawValue)
        }
    }

    /// The guide's word for the state, or the word as it came.
    public var rawValue: String {
        switch self {
        case .initiated: "initiated"
        case .pending: "pending"
        case .authorized: "authorized"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .canceled: "canceled"
        case .expired: "expired"
        case .unknown(let word): word
        }
    }

    /// Whether the payer has paid, as the guide's `${success_status}`: taken, or reserved for the merchant.
    public var isPaid: Bool { self == .succeeded || self == .authorized }

    /// Whether the payer can do nothing more about it.
    public var isSettled: Bool {
        switch self {
        case .succeeded, .authorized, .failed, .canceled, .expired: true
        case .initiated, .pending, .unknown: false
        }
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
public enum CPayCode {
    /// Success.
    public static let success = "0"
    /// The common error: a bad request, a payment that could not be made.
    public static let failure = "-1"
    /// Called off. The vendor's SDK also uses it for an answer that it cannot read; see ``CPayMessage``.
    public static let cancelled = "-2"
    /// Called off in Alipay.
    public static let alipayCancelled = "6001"

    /// Whether `code` stands for a payer who called it off, with `message` telling the two meanings of `-2` apart.
    public static func isCancellation(_ code: String?, message: String?) -> Bool {
        if code == alipayCancelled { return true }
        return code == cancelled && message?.hasPrefix(CPayMessage.undecodable) != true
    }
}

/// The vendor SDK's own texts, spelt as it spells them: applications compare them.
public enum CPayMessage {
    /// No method was given.
    public static let noMethod = ".payment.method can not be empty"
    /// No charge token was given.
    public static let noChargeToken = ".chargeToken can not be empty or nil"
    /// Alipay cannot lead back.
    public static let noScheme = ".scheme Can not be empty for Alipay"
    /// WeChat cannot lead back.
    public static let noUniversalLink = ".universalLink Can not be empty for WechatPay"
    /// UnionPay's mode is missing.
    public static let noUnionPayMode = ".unionPayMode or .controller Can not be empty for UPOP"
    /// A member of the order is missing: its name comes before this, what it is for after it. The vendor's SDK has such
    /// texts only for the members above.
    public static let neededFor = " Can not be empty for "
    /// A member of the order, named before this, cannot become part of a request's path. Not one of the vendor's texts.
    public static let notForPaths = " has characters that can not be part of an address"
    /// The service names a gateway that nobody here handles; the gateway's name follows.
    public static let unsupportedGateway = "Unsupport Payment: "
    /// The launch payload comes in a form that the gateway's handler cannot use.
    public static let unsupportedFormat = "Unsupport payment format"
    /// The gateway's handler does not know the method.
    public static let unsupportedMethod = "Unsupport payment method"
    /// The launch payload cannot be used.
    public static let invalidContent = "Resp data with invalid content"
    /// The page to open has no usable address.
    public static let invalidRedirect = "Resp data with invalid redirect url"
    /// The answer cannot be read; what was expected follows.
    public static let undecodable = "Unexcept Error for Response Data: "
    /// The inquiry after the payer's return failed.
    public static let checkFailed = "Check result failed"
    /// What this library, not the vendor's SDK, ends a text with when money may have moved and nobody knows.
    public static let doNotPayAgain =
        "Money may have moved: do not pay again before an inquiry says how it ended"
    /// Nobody said what went wrong.
    public static let unknown = "Unknown Error"
}
