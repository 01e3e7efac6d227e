import PaymentCore
import PaymentRouting

/// Notifications: those that are trusted, and their effects.
extension ProbeSuite {
    private var reader: (any NotificationReadingService)? { subject.service as? any NotificationReadingService }

    /// Returns the notifications of a payment that was paid and, where possible, partly refunded.
    private func notificationFixture(
        _ list: @escaping @Sendable (ConformanceSubject.NotificationFixture) async -> [IncomingNotification]?
    ) throws -> (notifications: [IncomingNotification]?, ledger: ProbeLedger, payment: PaymentReference?) {
        let probeCases = try probeCases()
        let probeCase: Trial.ProbeCase = probeCases.contains(.refund) ? .refund : probeCases[0]
        let box = Captured<(notifications: [IncomingNotification]?, payment: PaymentReference?)>()
        let result = try run(
            Trial(
                subject: subject, probeCase: probeCase,
                afterwards: { probeContext, _ in
                    guard let notificationFixture = probeContext.backend.notifications else {
                        throw SkipError(reason: "the backend sends no notifications")
                    }
                    box.set((await list(notificationFixture), probeContext.backend.sale?.payment))
                    return []
                }))
        return (box.value?.notifications, result.after, box.value?.payment)
    }

    func notifications() throws -> [String] {
        let (sent, ledger, payment) = try notificationFixture { await $0.sent() }
        guard let reader, let sent, !sent.isEmpty else {
            throw SkipError(reason: "the backend has sent no notifications")
        }
        var findings: [String] = []
        for notification in sent {
            let genuine: PaymentNotification
            do { genuine = try reader.verify(notification) } catch {
                findings.append("a genuine notification is refused: \(error)")
                continue
            }
            findings += untruths(genuine, ledger, payment)
            for (what, forged) in Forgery.all(of: notification) {
                findings += objections(to: forged, unlessReadAs: genuine).map { "\(what): \($0)" }
            }
        }
        return findings
    }

    func notificationSecrets() throws -> [String] {
        let (foreign, _, _) = try notificationFixture { await $0.foreign?() }
        guard let foreign, !foreign.isEmpty else {
            throw SkipError(reason: "the backend has no notifications that are signed with another secret")
        }
        return foreign.flatMap { objections(to: $0) }
    }

    func notificationAge() throws -> [String] {
        let (stale, _, _) = try notificationFixture { await $0.stale?() }
        guard let stale, !stale.isEmpty else {
            throw SkipError(reason: "the backend has no notifications that are too old: theirs may not age")
        }
        return stale.flatMap { objections(to: $0) }
    }

    /// Delivers notifications twice, and at any moment of what is in flight in the journal.
    func notificationRepetitions() throws -> [String] {
        let (sent, _, _) = try notificationFixture { await $0.sent() }
        guard let sent, !sent.isEmpty else { throw SkipError(reason: "the backend has sent no notifications") }
        let id = subject.service.descriptor.id
        return try forEachProbeCase { probeCase in
            guard probeCase != .cancellation else { return [] }
            var findings: [String] = []
            for index in 0..<100 {
                let result = try run(
                    Trial(
                        subject: subject, probeCase: probeCase, crash: index, goesOn: true,
                        afterwards: { probeContext, _ in
                            let router = try probeContext.router(of: probeContext.world.start())
                            var findings: [String] = []
                            for notification in await probeContext.backend.notifications?.sent() ?? [] {
                                do {
                                    let first = try await router.handle(notification, from: id)
                                    let second = try await router.handle(notification, from: id)
                                    if first != second { findings.append("a second time it is read otherwise") }
                                } catch {
                                    findings.append("a genuine notification that comes twice is refused: \(error)")
                                }
                            }
                            return findings
                        }))
                guard result.hasDied else { break }
                findings +=
                    (result.findings + result.repetitions + result.unsettled
                    + JournalRules.breaches(in: result.histories)).map { "crashed at operation \(index + 1): \($0)" }
            }
            return findings
        }
    }

    // MARK: Judging

    /// Returns the false statements in the reading of a genuine notification.
    private func untruths(_ told: PaymentNotification, _ ledger: ProbeLedger, _ payment: PaymentReference?) -> [String]
    {
        var findings: [String] = []
        if told.reference.provider != subject.service.descriptor.id {
            findings.append("a notification is read as one of another provider")
        }
        let isRefund = told.reference.isRefund
        if let payment, isRefund, told.reference.refundedPayment != payment {
            findings.append("a notification is read as one about a refund of another payment, or of none")
        }
        if !isRefund, let payment, told.reference != payment {
            findings.append("a notification is read as one about '\(told.reference.id)', which is another payment")
        }
        let done = isRefund ? ledger.given : ledger.captures.compactMap(\.self)
        let isDone = isRefund ? !ledger.given.isEmpty : !ledger.captures.isEmpty
        switch told.report {
        case .succeeded(let receipt):
            if !isDone { findings.append("a notification is read as a success that there was not") }
            if receipt.reference != told.reference { findings.append("the receipt is for another payment") }
            if let amount = receipt.amount, !done.isEmpty, !done.contains(amount.minorUnits) {
                findings.append("a notification is read with an amount that did not move")
            }
        default: break
        }
        return findings
    }

    /// Returns the objections to the reading of a notification that must not be trusted. One that was altered in a part
    /// that is not read may be read as the genuine one.
    private func objections(
        to notification: IncomingNotification, unlessReadAs genuine: PaymentNotification? = nil
    ) -> [String] {
        do {
            let read = try reader?.verify(notification)
            guard read != genuine else { return [] }
            return ["it is believed"]
        } catch let error as PaymentError {
            return error.code == .untrustedNotification ? [] : ["it is refused as '\(error.code.rawValue)'"]
        } catch {
            return ["an untyped error: \(type(of: error))"]
        }
    }
}
