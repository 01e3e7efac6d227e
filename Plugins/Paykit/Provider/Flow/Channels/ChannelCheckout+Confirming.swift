/// Notifications of payments to payees. A payment is complete whatever they answer.
extension ChannelCheckout {
    package func confirm(_ receipt: ChannelReceipt) async throws(PaykitNetworkError) {
        guard let record = receipt.record else {
            throw PaykitNetworkError(.validationFailed, "the receipt names no users")
        }
        let channel = try await channel(to: record.payee)
        defer { channel.close() }
        try await confirm(receipt, over: channel)
    }

    /// Notifies payees again of payments that they have not confirmed, the latest first. `payee` is the payee to
    /// notify; nil for all. Returns the number of payments confirmed now. Throws ``PaykitNetworkError``, `storage`. An
    /// unreachable payee is no error.
    @discardableResult
    package func confirmAll(to payee: String? = nil, atMost limit: Int) async throws(PaykitNetworkError) -> Int {
        var (asked, confirmed) = (0, 0)
        var last: ChannelReceipt.ID?
        while true {
            let earlier = last
            let page = try await receipts.mappingErrors { try await $0.receipts(before: earlier, limit: 100) }
            for receipt in page
            where receipt.stage == .paid && receipt.id.payer == dialer.owner.text
                && payee ?? receipt.id.payee == receipt.id.payee
            {
                guard asked < limit else { return confirmed }
                guard try await !receipts.mappingErrors({ try await $0.isNoted(Self.word(of: receipt)) }) else {
                    continue
                }
                asked += 1
                if await isConfirmed(receipt, over: nil) { confirmed += 1 }
            }
            guard page.count == 100, let end = page.last else { return confirmed }
            last = end.id
        }
    }

    private static func word(of receipt: ChannelReceipt) -> ChannelArrival {
        ChannelArrival(kind: "confirmation", sender: receipt.id.payee, name: "\(receipt.id.payer)/\(receipt.id.name)")
    }

    /// Returns true if the payee confirms. The payment is complete in any case.
    func isConfirmed(_ receipt: ChannelReceipt, over channel: PrivateChannel?) async -> Bool {
        if let channel, (try? await confirm(receipt, over: channel)) != nil { return true }
        return (try? await confirm(receipt)) != nil
    }

    private func confirm(_ receipt: ChannelReceipt, over channel: PrivateChannel) async throws(PaykitNetworkError) {
        guard var record = receipt.record, let proof = receipt.proof, receipt.stage == .paid else {
            throw PaykitNetworkError(.validationFailed, "only what is paid can be confirmed")
        }
        record.metadata["proof"] = proof
        try await channel.send(.confirmReceipt(record))
        for _ in 0..<Self.mostMessages {
            switch try await next(from: channel) {
            case .acknowledgement:
                // An unrecorded confirmation only causes another notification, which is harmless.
                _ = try? await receipts.note(Self.word(of: receipt))
                return
            case .ping: try await channel.send(.pong)
            // A repetition of the payee's earlier answer.
            case .confirmReceipt(let again) where again.id == record.id: continue
            case .offer, .pong: continue
            case .error(let code, let message): throw Self.refusal(code, message, record.methodID)
            default: throw Self.unexpected(channel.peer)
            }
        }
        throw Self.unexpected(channel.peer)
    }
}
