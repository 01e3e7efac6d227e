/// The stage of a payer's dispute of a payment (a chargeback), in the terms of Citcon's notifications (Protocol 5.4).
@nonexhaustive
public enum CitconDispute: Sendable, Hashable, RawRepresentable {
    /// The payer disputes the payment.
    case claimed
    /// The merchant has been asked about it, and has to answer in time.
    case asked
    /// The merchant has answered.
    case answered
    /// The payer won the dispute and is repaid.
    case lost
    /// The merchant won the dispute and keeps the money.
    case won
    /// The case is closed. This stage does not state the result.
    case closed
    /// Another raw value.
    case unknown(String)

    /// Creates a stage from Citcon's raw value; the case of its letters does not matter.
    public init(rawValue: String) {
        switch rawValue.lowercased() {
        case "notification of claim": self = .claimed
        case "request for information": self = .asked
        case "information supplied": self = .answered
        case "lost": self = .lost
        case "won": self = .won
        case "case closed": self = .closed
        default: self = .unknown(rawValue)
        }
    }

    /// Citcon's raw value of the stage, or the unknown raw value unchanged.
    public var rawValue: String {
        switch self {
        case .claimed: "Notification of Claim"
        case .asked: "Request For Information"
        case .answered: "Information Supplied"
        case .lost: "Lost"
        case .won: "Won"
        case .closed: "Case Closed"
        case .unknown(let word): word
        }
    }
}
