/// The state of a transaction. Both spellings in use are the same state; an unknown raw value is kept unchanged.
@nonexhaustive
public enum CitconStatus: Sendable, Hashable, RawRepresentable {
    /// Created; not paid.
    case initiated
    /// In progress; the guide says that this typically ends in a failure.
    case pending
    /// The money is reserved. The payer's part is complete; the merchant still has to capture it.
    case authorized
    /// Paid.
    case succeeded
    /// Not paid.
    case failed
    /// Cancelled.
    case canceled
    /// Expired.
    case expired
    /// Another raw value.
    case unknown(String)

    /// Creates a state from a raw value: blanks around it and the case of its letters do not matter (Protocol 6.3).
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

    /// The guide's raw value of the state, or the unknown raw value unchanged.
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

    /// True if the payer has paid, as the guide's `${success_status}`: captured, or reserved for the merchant.
    public var isPaid: Bool { self == .succeeded || self == .authorized }

    /// True if the payer can do nothing more about it.
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
