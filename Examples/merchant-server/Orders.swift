import PaymentCore

/// The shop's own rows, one for each order. In a database each of these calls is one statement.
actor Orders {
    private struct Row {
        let price: Money
        var isFulfilled = false
        /// True if it is cancelled or refunded, or about to be.
        var isClosed = false
    }

    private var rows: [PaymentReference: Row] = [:]
    /// The numbers of the orders that were delivered, in their order.
    private(set) var deliveries: [String] = []

    func add(_ payment: PaymentReference, price: Money) {
        if rows[payment] == nil { rows[payment] = Row(price: price) }
    }

    /// Marks an order as delivered, and delivers it, unless that was done or the order is closed.
    func deliver(_ payment: PaymentReference, paid: Money?) {
        guard let row = rows[payment], !row.isFulfilled, !row.isClosed, paid == nil || paid == row.price else { return }
        rows[payment]?.isFulfilled = true
        deliveries.append(payment.id)
    }

    /// Marks an order as cancelled or refunded: before the service is asked to.
    func close(_ payment: PaymentReference) { rows[payment]?.isClosed = true }
}
