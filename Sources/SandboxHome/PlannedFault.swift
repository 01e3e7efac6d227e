import PaymentCore
import PaymentTesting

/// A fault that the next fitting request meets.
struct PlannedFault: Sendable {
    /// The faults that can be chosen on the page.
    enum Kind: String, Sendable, CaseIterable {
        case dropBefore = "drop-before"
        case dropAfter = "drop-after"
        case status500 = "status-500"
        case slow
        case garbage

        /// The name in a list to choose from.
        var title: String {
            switch self {
            case .dropBefore: "Closed before it acts"
            case .dropAfter: "Acts, then its answer is lost"
            case .status500: "Status 500"
            case .slow: "Three seconds late"
            case .garbage: "Answers garbage"
            }
        }

        /// The effect of the fault, for people.
        var summary: String {
            switch self {
            case .dropBefore: "The connection is closed before the service sees the request"
            case .dropAfter: "The service acts, then the connection is closed: its answer is lost"
            case .status500: "Status 500, and the service never sees the request"
            case .slow: "The answer comes three seconds late"
            case .garbage: "An answer that is no JSON, and the service never sees the request"
            }
        }

        /// The result for a careful payer.
        var ending: String {
            switch self {
            case .dropBefore, .status500, .garbage:
                "Asked of a step that cannot move money, it fails or is asked again. Of one that can, the payment is "
                    + "unknown until the service says that nothing was taken."
            case .dropAfter: "The payer asks the service what has become of it: paid once, never twice."
            case .slow: "Nothing, but patience."
            }
        }

        var fault: FaultInjector.Fault {
            switch self {
            case .dropBefore: .dropBefore
            case .dropAfter: .dropAfter
            case .status500: .status(500)
            case .slow: .stall(.seconds(3))
            case .garbage: .garbage
            }
        }
    }

    let kind: Kind
    /// The payment that the request must be about, or nil for any.
    var payment: String?
    /// A part of the request's path, or nil for any path.
    var path: String?
    /// The request's method, or nil for any.
    var method: String?

    func fits(_ request: HTTPRequest, about payment: String?) -> Bool {
        (self.payment == nil || self.payment == payment) && (method == nil || method == request.method.rawValue)
            && (path.map { request.url.path.contains($0) } ?? true)
    }

    var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "kind": .string(kind.rawValue), "payment": text(payment), "path": text(path), "method": text(method),
            "summary": .string(kind.summary),
        ]
    }
}
