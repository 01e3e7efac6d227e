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

/// Probes of payers' returns.
extension ProbeSuite {
    func returns() throws -> [String] {
        let messages = try inBackend { await $0.payment.messages() }
        guard !messages.returns.isEmpty else {
            throw SkipError(reason: "the payment names no URLs by which payers come back")
        }
        var findings = strangers(messages)
        var isRecognised = false
        for index in 0..<80 {
            // A payment that its process left at some moment, and a return that is handled then.
            let result = try run(
                Trial(
                    subject: subject, crash: index, goesOn: true,
                    afterwards: { probeContext, _ in
                        var findings: [String] = []
                        let messages = await probeContext.backend.payment.messages()
                        let router = try probeContext.router(of: probeContext.world.start())
                        for (url, what) in messages.foreignReturns.map({ ($0, "another payment's return") })
                            + (messages.returns + messages.returns).map({ ($0, "a return") })
                        {
                            findings += try await handle(url, router, probeContext).map { "\(what): \($0)" }
                        }
                        return findings
                    }))
            isRecognised = isRecognised || result.observation.hasCompleted
            guard result.hasDied else { break }
            findings +=
                (result.findings + result.repetitions + result.unsettled
                + JournalRules.breaches(in: result.histories)).map { "crashed at operation \(index + 1): \($0)" }
        }
        if !isRecognised { findings.append("none of the payment's own URLs was ever taken for its payer's return") }
        return findings
    }

    /// Handles a URL, and compares the reported outcome and the journal with the service's records.
    private func handle(_ url: String, _ router: PaymentRouter, _ probeContext: Trial.ProbeContext) async throws
        -> [String]
    {
        let before = await probeContext.ledger
        let ending: Trial.Ending
        do throws(PaymentError) {
            guard let outcome = try await router.handle(url, as: probeContext.backend.payer) else { return [] }
            ending = .success(outcome)
        } catch { ending = .failure(error) }
        let after = await probeContext.ledger
        var findings: [String] = []
        switch ending {
        case .success(.succeeded) where after.captures.isEmpty:
            findings.append("the payment is called paid, but no money was taken")
        case .success(let outcome) where outcome.isFinal:
            if case .succeeded = outcome { break }
            if !after.captures.isEmpty { findings.append("the payment is called \(outcome), but money was taken") }
        case .failure(let error) where error.code == .providerFault:
            findings.append("an untyped error: \(error.message)")
        default: break
        }
        for history in probeContext.world.disk.histories {
            if case .succeeded? = history.outcome, after.captures.isEmpty {
                findings.append("the payment is written as paid, but no money was taken")
            }
        }
        if after.captures.count > max(1, before.captures.count) { findings.append("money was taken again") }
        return findings
    }

    /// Returns URLs that only look like returns, and belong to other owners.
    private func strangers(_ messages: VendorMessages) -> [String] {
        messages.returns.flatMap { url in
            HostileLinks.impostors(of: url) + ["evil-\(url)", "https://evil.example/?url=\(PercentCoding.encode(url))"]
        }.compactMap { text in
            guard route(text)?.match.role == .callback else { return nil }
            return "a foreign URL is taken for a return: \(text.prefix { $0 != "?" })"
        }
    }
}
