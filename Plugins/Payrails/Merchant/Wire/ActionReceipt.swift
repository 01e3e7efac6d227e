import PaymentCore
import PayrailsProvider

/// What can be asked of an execution, and what notifications tell of (Protocol 3). Open: workflows may have others.
public struct PayrailsAction: Sendable, Hashable, Codable, RawRepresentable {
    /// The service's word.
    public let rawValue: String

    /// Creates an action from the service's word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The payer pays.
    public static let authorize = PayrailsAction(rawValue: "authorize")
    /// The payer's approval is confirmed.
    public static let confirm = PayrailsAction(rawValue: "confirm")
    /// The merchant takes what was authorised.
    public static let capture = PayrailsAction(rawValue: "capture")
    /// The merchant calls the payment off.
    public static let cancel = PayrailsAction(rawValue: "cancel")
    /// The merchant gives money back.
    public static let refund = PayrailsAction(rawValue: "refund")
}

/// Why a merchant asks for something, in the service's words.
@nonexhaustive
public enum PayrailsReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is cheaper elsewhere.
    case betterPrice = "BetterPrice"
    /// The customer does not need it any more.
    case customerDontNeed = "CustomerDontNeed"
    /// It was damaged.
    case damagedProduct = "DamagedProduct"
    /// It was ordered twice.
    case duplicate = "Duplicate"
    /// It is a fraud.
    case fraudulentProduct = "FraudulentProduct"
    /// It came too late.
    case lateDelivery = "LateDelivery"
    /// There is none.
    case noReason = "NoReason"
    /// It is not what was described.
    case productMismatchDescription = "ProductMismatchDescription"
    /// It is the wrong thing.
    case wrongProduct = "WrongProduct"
    /// It is the wrong kind of it.
    case wrongProductSpecification = "WrongProductSpecification"
}

/// The service's word that it has taken on an action: how it ends shows later.
struct ActionReceipt: Sendable, Hashable, Codable {
    let name: String
    let actionID: String
    /// The last segment of the execution's address, where the answer has one.
    let execution: String?

    /// - Throws: ``CallError/unusableAnswer(_:)``.
    init(_ answer: JSONValue) throws(CallError) {
        guard let name = answer["name"]?.string, let id = WireText.id(answer["actionId"]?.string) else {
            throw .unusableAnswer("it lacks 'name' or 'actionId'")
        }
        self.name = name
        actionID = id
        let address = answer["links"]?["execution"]?.string
        execution = address.flatMap { try? HTTPURL($0) }?.path.split(separator: "/").last.map(String.init)
    }

    /// Whether the answer is about the execution called `id`. Where it names none, the address of the request has.
    func isAbout(_ id: String) -> Bool { execution.map { $0 == id } ?? true }
}
