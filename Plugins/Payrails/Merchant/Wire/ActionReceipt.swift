import PaymentCore
import PayrailsProvider

/// An action on an execution, as requests and notifications name it (Protocol 3). Open: workflows may have others.
public struct PayrailsAction: Sendable, Hashable, Codable, RawRepresentable {
    /// The service's name of the action.
    public let rawValue: String

    /// Creates an action from the service's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The payer pays.
    public static let authorize = PayrailsAction(rawValue: "authorize")
    /// The payer's approval is confirmed.
    public static let confirm = PayrailsAction(rawValue: "confirm")
    /// The merchant captures authorised money.
    public static let capture = PayrailsAction(rawValue: "capture")
    /// The merchant cancels the payment.
    public static let cancel = PayrailsAction(rawValue: "cancel")
    /// The merchant refunds the payment.
    public static let refund = PayrailsAction(rawValue: "refund")
}

/// The service's confirmation that it has accepted an action: the result shows later.
struct ActionReceipt: Sendable, Hashable, Codable {
    let name: String
    let actionID: String
    /// The last segment of the execution's address, if the answer has one.
    let execution: String?
    /// The time of the request by the service's clock, as it wrote it.
    let executedAt: String?

    /// Creates a receipt from the service's answer.
    ///
    /// - Throws: ``CallError/unusableAnswer(_:)``.
    init(_ answer: JSONValue) throws(CallError) {
        guard let name = answer["name"]?.string, let id = WireText.id(answer["actionId"]?.string) else {
            throw .unusableAnswer("it lacks 'name' or 'actionId'")
        }
        self.name = name
        actionID = id
        executedAt = answer["executedAt"]?.string
        let address = answer["links"]?["execution"]?.string
        execution = address.flatMap { try? HTTPURL($0) }?.path.split(separator: "/").last.map(String.init)
    }

    /// The earliest time of a status of the action; nil if the answer states no time. Clocks of the service's parts
    /// differ by some seconds.
    var earliestStatus: VendorTime? {
        guard let time = executedAt.flatMap(VendorTime.init), time.isSet else { return nil }
        return time.earlier(bySeconds: 5)
    }

    /// Returns true if the answer is about the execution `id`. An answer that names none is about that of the request.
    func isAbout(_ id: String) -> Bool { execution.map { $0 == id } ?? true }
}
