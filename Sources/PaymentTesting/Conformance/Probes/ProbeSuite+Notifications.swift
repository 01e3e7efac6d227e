import PaymentCore
import PaymentRouting

/// Notifications: those that are trusted, and their effects.
extension ProbeSuite {
    /// The messages about a payment that was paid and, where possible, partly refunded.
    private struct Post {
        let reader: any NotificationReadingService
        let messages: VendorMessages
        let payment: PaymentReference
        let ledger: ProbeLedger
    }

    private func post() throws -> Post {
        let probeCases = try probeCases()
        let probeCase: Trial.ProbeCase = probeCases.contains(.refund) ? .refund : probeCases[0]
        let box = Captured<(backend: ProbeSubject.Backend, messages: VendorMessages)>()
        let result = try run(
            Trial(
                subject: subject, probeCase: probeCase,
                afterwards: { probeContext, _ in
                    box.set((probeContext.backend, await probeContext.backend.payment.messages()))
                    return []
                }))
        guard let (backend, messages) = box.value, let reader = backend.service as? any NotificationReadingService
        else {
            throw SkipError(reason: "the vendor sends no notifications")
        }
        return Post(reader: reader, messages: messages, payment: backend.payment.reference, ledger: result.after)
    }

    func notifications() throws -> [String] {
        let post = try post()
        guard !post.messages.notifications.isEmpty else {
            throw SkipError(reason: "the vendor has sent no notifications")
        }
        var findings: [String] = []
        for notification in post.messages.notifications {
            let genuine: PaymentNotification
            do { genuine = try post.reader.verify(notification) } catch {
                findings.append("a genuine notification is refused: \(error)")
                continue
            }
            findings += untruths(genuine, post)
            for (what, forged) in Forgery.all(of: notification) {
                findings += objections(to: forged, of: post.reader, unlessReadAs: genuine).map { "\(what): \($0)" }
            }
        }
        return findings
    }

    func notificationSecrets() throws -> [String] {
        let post = try post()
        guard let foreign = post.messages.foreignNotifications, !foreign.isEmpty else {
            throw SkipError(reason: "the vendor has no notifications that are signed with another secret")
        }
        return foreign.flatMap { objections(to: $0, of: post.reader) }
    }

    func notificationAge() throws -> [String] {
        let post = try post()
        guard let stale = post.messages.staleNotifications, !stale.isEmpty else {
            throw SkipError(reason: "the vendor has no notifications that are too old: theirs may not age")
        }
        return stale.flatMap { objections(to: $0, of: post.reader) }
    }

    /// Delivers notifications twice, and at any moment of what is in flight in the journal.
    func notificationRepetitions() throws -> [String] {
        guard try !post().messages.notifications.isEmpty else {
            throw SkipError(reason: "the vendor has sent no notifications")
        }
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
                            for notification in await probeContext.backend.payment.messages().notifications {
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
    private func untruths(_ told: PaymentNotification, _ post: Post) -> [String] {
        let (ledger, payment) = (post.ledger, post.payment)
        var findings: [String] = []
        if told.reference.provider != subject.service.descriptor.id {
            findings.append("a notification is read as one of another provider")
        }
        let isRefund = told.reference.isRefund
        if isRefund, told.reference.refundedPayment != payment {
            findings.append("a notification is read as one about a refund of another payment, or of none")
        }
        if !isRefund, told.reference != payment {
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
        to notification: IncomingNotification, of reader: any NotificationReadingService,
        unlessReadAs genuine: PaymentNotification? = nil
    ) -> [String] {
        do {
            let read = try reader.verify(notification)
            guard read != genuine else { return [] }
            return ["it is believed"]
        } catch let error as PaymentError {
            return error.code == .untrustedNotification ? [] : ["it is refused as '\(error.code.rawValue)'"]
        } catch {
            return ["an untyped error: \(type(of: error))"]
        }
    }
}
