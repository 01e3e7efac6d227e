/// How far a payer's dispute of a payment (a chargeback) is, in the words of Citcon's notifications (Protocol 5.4).
@nonexhaustive
public enum CitconDispute: Sendable, Hashable, RawRepresentable {
    /// The payer disputes the payment.
    case claimed
    /// The merchant is asked about it, and has to answer in time.
    case asked
    /// The merchant has answered.
    case answered
    /// The payer has the money back.
    case lost
    /// The merchant keeps the money.
    case won
    /// Nothing more is done about it. It does not say for whom it ended.
    case closed
    /// Another word.
    case unknown(String)

    /// Creates a stage from Citcon's word; the case of its letters does not matter.
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

    /// Citcon's word, or the word as it came.
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
