import CitconProvider
import PaymentCore

/// A capture, a refund or a payer's dispute of a transaction. Not in the vendor's SDK; numbers that the service leaves
/// out are 0.
public final class CPayMovement: CPayConfidential, Sendable {
    /// The service's id of the movement.
    public let id: String?
    /// The kind: `capture` or `refund`.
    public let object: String?
    /// The merchant's reference of the movement.
    public let reference: String?
    /// The amount, in minor units.
    public let amount: Int
    /// The ISO 4217 code.
    public let currency: String?
    /// The raw status, as the service wrote it.
    public let status: String?
    /// The time of its creation: seconds since 1970, milliseconds from older versions of the service.
    public let timeCreated: Int
    /// The time of its completion.
    public let timeCompleted: Int

    init(_ fields: TransactionFields) {
        id = fields.id
        object = fields.object
        reference = fields.reference
        amount = fields.amount ?? fields.amountRefunded ?? 0
        currency = fields.currency
        status = fields.status
        timeCreated = fields.timeCreated ?? 0
        timeCompleted = fields.timeCompleted ?? 0
    }
}

/// The amount of a transaction in another currency. Not in the vendor's SDK, which reads and drops it.
public final class CPayExchange: CPayConfidential, Sendable {
    /// The amount in minor units of ``currency``.
    public let amount: Int
    /// The ISO 4217 code.
    public let currency: String?
    /// The amount of ``currency`` for one unit of the transaction's currency; for display, as it is not exact. 0 when
    /// the service does not state it.
    public let rate: Double

    init(_ fields: TransactionFields.Exchange) {
        amount = fields.amount ?? 0
        currency = fields.currency
        rate = fields.rate?.double ?? 0
    }
}
