import PaykitProvider
import PaymentCore

/// The conduct of apps with private links: what an app does at a look, by its plan.
extension PubkySandbox {
    /// The amount that apps ask for by themselves, in satoshi.
    static let askedSatoshi: UInt64 = 2100

    /// Has an app look once at a user's messages, and react.
    ///
    /// - Throws: `PaykitNetworkError`; failures are retried at the next look.
    func look(as key: PubkyKey, at other: PubkyKey, _ otherApp: PaykitReceiverPath) async throws {
        let account = try linkAccount(of: key)
        guard account.plan.fault != .silent else { return }
        let flow = try flow(of: account)
        let party = try flow.party(other, otherApp)
        if account.plan.fault == .otherKey, account.keyNumber == 0, account.begun[party] != nil {
            return try await changeKey(of: account)
        }
        let status = try await flow.poll(other, otherApp, account.session)
        for request in try await flow.requests(with: other, otherApp) {
            if request.isOwn {
                try await confirm(request, of: party, account, flow)
            } else {
                try await answer(request, of: party, account, flow)
            }
        }
        let before = Set(paths(of: key))
        let hasBegun = status == .linked ? try await begin(party, account) : false
        // The state may have been lost meanwhile, as its plan says.
        guard linkAccounts[key]?.hasFailed == account.hasFailed else { return }
        let result = try await flow.poll(other, otherApp, account.session)
        linkAccounts[key]?.statuses[party] = result
        if hasBegun { fail(account, Set(paths(of: key)).subtracting(before)) }
    }

    // MARK: What it asks for

    /// Asks, or offers, once on each link.
    ///
    /// - Returns: true if it has.
    private func begin(_ party: PrivateLinkParty, _ account: LinkAccount) async throws -> Bool {
        let (key, plan) = (account.user.key, account.plan)
        guard account.begun[party] == nil else { return false }
        if plan.fault == .losesState, !account.hasFailed {
            linkAccounts[key]?.states = InMemorySealedStates()
            linkAccounts[key]?.hasFailed = true
            return false
        }
        let endpoint = endpoint(plan.asks?.way ?? plan.offers ?? .none, Self.askedSatoshi, of: key)
        linkAccounts[key]?.begun[party] = .some(endpoint)
        if let request = plan.asks {
            let id = try await ask(Self.askedSatoshi, request, at: endpoint, party)
            guard plan.cancels == .atOnce else { return true }
            try await flow(of: account).cancel(id, reason: "it is not needed any more", party)
        } else if let endpoint {
            try await flow(of: account).offer([endpoint], party)
        }
        return true
    }

    /// Issues receipts for payments that have arrived, and sends what the next payment needs.
    private func confirm(
        _ request: PrivateLinkRequest, of party: PrivateLinkParty, _ account: LinkAccount, _ flow: PrivateLinkFlow
    ) async throws {
        let (key, plan, amount) = (account.user.key, account.plan, request.terms.amount.bitcoin)
        if request.state.phase == .active, let last = account.begun[party] ?? nil,
            invoices.values.contains(where: { $0.text == last.endpoint && $0.end <= now / 1_000_000 })
        {
            try await offerNext(of: request, party, flow)
        }
        for message in request.state.proofs {
            let isNew = request.issued[PrivateLinkRequest.key(request.id, message.period)]?.isAnnounced != true
            guard isNew, plan.receipts != .none, let proof = PaykitProof(message), hasReceived(proof, amount, key)
            else { continue }
            let before = Set(paths(of: key))
            try await flow.issueReceipt(for: request.id, period: message.period, party, account.session)
            for path in Set(paths(of: key)).subtracting(before) {
                switch plan.receipts {
                case .missing: unpublish(path, of: key)
                case .unreadable: publish(Self.damaged, at: path, of: key)
                case .issued, .none: break
                }
            }
            if plan.cancels == .afterPayment {
                try await flow.cancel(request.id, reason: "thank you, it is enough", party)
            } else if request.terms.recurrence != nil {
                // The next period has its own invoice.
                try await offerNext(of: request, party, flow)
            } else if plan.reusesInvoice, let request = plan.asks, let used = account.begun[party] ?? nil {
                linkAccounts[key]?.begun[party] = .some(nil)
                _ = try await ask(Self.askedSatoshi, request, at: used, party)
            }
        }
    }

    private func offerNext(
        of request: PrivateLinkRequest, _ party: PrivateLinkParty, _ flow: PrivateLinkFlow
    ) async throws {
        guard let amount = request.terms.amount.bitcoin,
            let next = endpoint(.invoice, UInt64(clamping: amount.minorUnits), of: party.user)
        else { return }
        linkAccounts[party.user]?.begun[party] = .some(next)
        try await flow.offer([next], party)
    }

    // MARK: What it is asked for

    private func answer(
        _ request: PrivateLinkRequest, of party: PrivateLinkParty, _ account: LinkAccount, _ flow: PrivateLinkFlow
    ) async throws {
        let isNew = request.state.phase == .proposed
        switch account.plan.answers {
        case .ignores: break
        case .rejects where isNew: try await flow.reject(request.id, reason: "this is not mine", party)
        case .accepts where isNew: try await flow.accept(request.id, party)
        case .pays where isNew || [.accepted, .active].contains(request.state.phase):
            do throws(PaykitNetworkError) {
                let period =
                    request.terms.recurrence == nil ? nil : BillingPeriod(try request.duePeriod(at: clock.now))
                try await pay(request.id, period, of: party, flow)
            } catch {
                // The endpoint may arrive later, and what cannot be paid is not.
                let reasons: [PaykitNetworkError.Code] = [
                    .methodNotSupported, .paymentRejected, .invoiceExpired, .validationFailed,
                ]
                guard reasons.contains(error.code) else { throw error }
            }
        default: break
        }
    }

    private func pay(
        _ id: String, _ period: BillingPeriod?, of party: PrivateLinkParty, _ flow: PrivateLinkFlow
    ) async throws(PaykitNetworkError) {
        guard let settler = try? settler else { return }
        _ = try await flow.pay(id, period: period, party, with: settler, check: Self.check)
    }

    // MARK: What goes wrong

    private static let damaged = Array("damaged".utf8)

    /// Has a plan's fault happen once, after the app has asked.
    ///
    /// - Parameter files: the files that the look has written.
    private func fail(_ account: LinkAccount, _ files: Set<String>) {
        let key = account.user.key
        guard !account.hasFailed else { return }
        switch account.plan.fault {
        case .losesFiles: for path in files { unpublish(path, of: key) }
        case .spoilsFiles: for path in files { publish(Self.damaged, at: path, of: key) }
        default: return
        }
        linkAccounts[key]?.hasFailed = true
    }

    /// Has an app show another key, as a newly installed one does.
    private func changeKey(of account: LinkAccount) async throws {
        let key = account.user.key
        linkAccounts[key]?.keyNumber += 1
        linkAccounts[key]?.states = InMemorySealedStates()
        linkAccounts[key]?.begun = [:]
        try await flow(of: linkAccount(of: key)).publishMarker(account.session)
    }

    // MARK: When it looks

    /// Has an app look at its links before its description is read: each poll of a link with it begins so.
    func lookAtLinks(reading path: String, of owner: PubkyKey) async {
        guard let account = linkAccounts[owner], account.summary != nil, !account.isLooking,
            path == ReceiverMarker.path(of: account.app)
        else { return }
        linkAccounts[owner]?.isLooking = true
        for (user, app) in linkUsers { try? await look(as: owner, at: user, app) }
        linkAccounts[owner]?.isLooking = false
    }

    /// The users of other programs who publish that their apps accept links, with the apps.
    private var linkUsers: [(PubkyKey, PaykitReceiverPath)] {
        let (root, end) = (ReceiverDirectory.root, "/receiver.json")
        return tenants.keys.filter { linkAccounts[$0] == nil }.sorted { $0.text < $1.text }.flatMap { key in
            paths(of: key).filter { $0.hasPrefix(root) && $0.hasSuffix(end) }.compactMap { path in
                PaykitReceiverPath(String(path.dropFirst(root.count).dropLast(end.count))).map { (key, $0) }
            }
        }
    }
}
