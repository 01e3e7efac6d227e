import PaymentCore
import ServiceSupport

/// The reference that identifies a refund (Protocol 3.4).
enum RefundMark {
    /// The member of `meta` with the refund's id as ``of(_:)`` spells it; notifications repeat it.
    static let member = "refundReference"
    /// The member of `meta` with the refund's amount: notifications state otherwise only the payment's total.
    static let amount = "refundAmount"

    private static let longest = 120

    /// Returns the name of a refund at the service. A refund after one that failed has another name, since the service
    /// answers a repeated key as before.
    static func of(_ request: RefundRequest) -> String {
        ServiceName.make(request.id, turn: request.earlierFailures, limit: longest, isSound: isSound)
    }

    /// Returns the id of the refund with this name; nil where the name is not one of this library's, or a digest.
    static func id(in name: String) -> String? { isSound(name) ? ServiceName.read(name) : nil }

    private static func isSound(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
