import PaymentCore

/// One probe of one settler: it calls the settler and collects the defects.
struct SettlerTrial: StorageTrial {
    let wallet: SettlerSubject.Wallet
    let findings = Findings()

    init(_ wallet: SettlerSubject.Wallet) { self.wallet = wallet }

    // MARK: Probes

    func question() async throws {
        let settlement = try await settlement("a")
        for _ in 0..<2 {
            let state = try await wallet.settler.state(of: settlement)
            expect(state.hasSentNothing, "what was never requested is \(state)")
        }
        try await expectPayments(0, "a question")
    }

    func once() async throws {
        let settlement = try await settlement("a")
        let first = try await pay(settlement)
        expect(first.isSettled, "what can be paid is \(first)")
        try await expectKept(settlement, first, wallet.settler)
        try await expectPayments(1, "a repeated request")
        let other = try await pay(try await self.settlement("b"))
        expect(other.isSettled, "another payment is \(other)")
        try await expectPayments(2, "another payment")
    }

    func race() async throws {
        let settlement = try await settlement("a")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try? await wallet.settler.settle(settlement) } }
        }
        let state = try await pay(settlement)
        expect(state.isSettled, "what was requested eight times at once is \(state)")
        try await expectPayments(1, "eight requests at once")
    }

    func invoice() async throws {
        let settlement = try await settlement("a")
        guard settlement.endpoint.paymentHash != nil else {
            throw InapplicableError(reason: "its endpoints take every payment")
        }
        let first = try await pay(settlement)
        let again = Settlement(key: "b", endpoint: settlement.endpoint, amount: settlement.amount)
        try await expectKept(again, first, wallet.settler)
        try await expectPayments(1, "an invoice under two keys")
    }

    func refused() async throws {
        guard let refuse = wallet.refuse else { throw InapplicableError(reason: "its wallet never refuses") }
        let settlement = try await settlement("a")
        try await refuse(true)
        let refused = try await pay(settlement)
        expect(refused.hasSentNothing, "a refused payment is \(refused)")
        try await refuse(false)
        let kept = try await wallet.settler.settle(settlement)
        expect(kept.hasSentNothing, "a refused payment that is requested again is \(kept)")
        try await expectPayments(0, "a refused key")
        let other = try await pay(try await self.settlement("b"))
        expect(other.isSettled, "another payment after a refusal is \(other)")
        try await expectPayments(1, "another key")
    }

    func restart() async throws {
        guard let reopen = wallet.reopen else { throw InapplicableError(reason: "its wallet cannot be opened again") }
        let (paid, refused) = (try await settlement("a"), try await settlement("b"))
        let state = try await pay(paid)
        if let refuse = wallet.refuse {
            try await refuse(true)
            _ = try await pay(refused)
            try await refuse(false)
        }
        let later = try await reopen()
        try await expectKept(paid, state, later)
        if wallet.refuse != nil {
            let kept = try await later.settle(refused)
            expect(kept.hasSentNothing, "after a restart a refused payment is \(kept)")
        }
        try await expectPayments(1, "a restart")
    }

    // MARK: Steps

    private func settlement(_ key: String) async throws -> Settlement {
        let (endpoint, amount) = try await wallet.invoice()
        return Settlement(key: key, endpoint: endpoint, amount: amount)
    }

    /// Requests a payment, and returns its state when it is no longer in flight.
    private func pay(_ settlement: Settlement) async throws -> SettlementState {
        var state = try await wallet.settler.settle(settlement)
        for _ in 0..<1000 {
            guard case .inFlight = state else { break }
            try await wallet.proceed()
            state = try await wallet.settler.state(of: settlement)
        }
        return state
    }

    /// Expects a settler to state what it stated before, however it is asked.
    private func expectKept(
        _ settlement: Settlement, _ before: SettlementState, _ settler: any PaymentSettler
    ) async throws {
        let (requested, asked) = (try await settler.settle(settlement), try await settler.state(of: settlement))
        expect(requested == before, "requested again, \(before) becomes \(requested)")
        expect(asked == before, "asked again, \(before) becomes \(asked)")
    }

    private func expectPayments(_ count: Int, _ what: String) async throws {
        let payments = try await wallet.payments()
        expect(payments == count, "after \(what) \(payments) payments have left the wallet, not \(count)")
    }
}

extension SettlementState {
    fileprivate var isSettled: Bool { if case .settled = self { true } else { false } }
    fileprivate var hasSentNothing: Bool { if case .nothingSent = self { true } else { false } }
}
