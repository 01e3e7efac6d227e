import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@Suite("Paying: choice, consent and integrity")
struct PayTests {
    private let world = World()
    private static let receipt = PaymentReceipt(reference: ScriptedProvider.reference)

    @Test("A payment without anything unusual succeeds and is journaled")
    func plain() async throws {
        #expect(try await world.pay() == .succeeded(Self.receipt))
        let histories = try await world.histories
        #expect(histories.count == 1)
        #expect(histories.first?.outcome == .succeeded(Self.receipt))
        #expect((histories.first?.attempt.idempotencyKey.utf8.count ?? 99) <= 64)
    }

    @Test("After success, paying again returns the same outcome without a call")
    func twice() async throws {
        let router = try world.router
        let first = try await router.pay(ScriptedProvider.link, as: .careless)
        let second = try await router.pay(ScriptedProvider.link, as: .careless)
        #expect(first == second)
        #expect(world.provider.calls["quote"] == 1)
        #expect(world.provider.calls["pay"] == 1)
        #expect(world.provider.calls["status"] == 0)
    }

    @Test("A second payment while the first is in flight joins it")
    func joins() async throws {
        let pause = Pause()
        var world = World()
        world.provider.payBody = { attempt, _ in
            await pause.hold()
            return .succeeded(PaymentReceipt(reference: attempt.reference, transactionID: attempt.id.rawValue))
        }
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        async let second = router.pay(ScriptedProvider.link, as: .careless)
        async let third = router.pay(ScriptedProvider.link, as: .careless)
        await pause.end()
        let outcomes = try await [first, second, third]
        #expect(Set(outcomes).count == 1)
        #expect(world.provider.calls["pay"] == 1)
    }

    @Test("An unverified link needs consent, and nothing is asked before it is given")
    func consent() async throws {
        var world = World()
        world.provider.match = { _ in LinkMatch(.payment("p1"), trust: .unverified(reason: "it is odd")) }
        let router = try world.router
        await #expect {
            try await router.pay(ScriptedProvider.link, as: .careless)
        } throws: {
            ($0 as? PaymentError)?.code == .untrustedLink && "\($0)".contains("it is odd")
        }
        let route = try #require(router.route(ScriptedProvider.link).route)
        #expect(await failure { try await router.pay(route, as: .careless) }?.code == .untrustedLink)
        #expect(await failure { try await router.quote(route, as: .careless) }?.code == .untrustedLink)
        #expect(world.provider.calls["quote"] == 0)
        let outcome = try await router.pay(ScriptedProvider.link, as: .careless, acceptingUnverified: true)
        #expect(outcome == .succeeded(Self.receipt))
    }

    @Test("Plain http needs consent although the provider vouches for it")
    func plainHTTP() async throws {
        let router = try World().router
        #expect(
            await failure { try await router.pay("http://pay.acme.example/?id=p1", as: .careless) }?.code
                == .untrustedLink)
    }

    static let refusals: [(String, PaymentError.Code)] = [
        ("", .rejectedLink), ("https://user@pay.acme.example/?id=p1", .rejectedLink),
        ("https://elsewhere.example/?id=p1", .unroutable), ("hello", .unroutable),
        ("https://pay.acme.example/", .unroutable), ("shop://paid?id=p1", .notAPayment),
    ]

    @Test("Texts that ask for no payment are refused with their own code", arguments: refusals)
    func unpayable(text: String, code: PaymentError.Code) async throws {
        let router = try World().router
        await #expect { try await router.pay(text, as: .careless) } throws: { ($0 as? PaymentError)?.code == code }
    }

    @Test("A chooser sees what cannot be fulfilled, and cannot choose it")
    func unmetChoice() async throws {
        var world = World()
        world.provider.options = [.euros("page", needs: [.page]), .euros("plain")]
        let payer = Payer(chooser: { quote in quote.options.first { !$0.unmet.isEmpty }?.id })
        await #expect { try await world.pay(as: payer) } throws: {
            ($0 as? PaymentError)?.code == .unusableOption && "\($0)".contains("a page shown")
        }
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
        await #expect { try await world.pay(as: Payer(chooser: { _ in "invented" })) } throws: {
            ($0 as? PaymentError)?.code == .unusableOption
        }
    }

    @Test("An option of a shown quote that is unmet or unknown cannot be paid", arguments: ["page", "nothing"])
    func unmetOption(id: String) async throws {
        var world = World()
        world.provider.options = [.euros("page", needs: [.page]), .euros("plain")]
        let router = try world.router
        guard case .matched(let route) = router.route(ScriptedProvider.link) else { throw CancellationError() }
        let quote = try await router.quote(route, as: Payer())
        #expect(quote.options.map(\.unmet) == [[.page], []])
        #expect(await failure { try await router.pay(quote, option: id, as: .careless) }?.code == .unusableOption)
        #expect(try await router.pay(quote, option: "plain", as: .careless) == .succeeded(Self.receipt))
    }

    @Test("When no option can be fulfilled the payment is declined, with what is missing")
    func nothingUsable() async throws {
        var world = World()
        world.provider.options = [.euros("page", needs: [.page]), .euros("sign", needs: [.signing(method: "m_sign")])]
        guard case .declined(let reason) = try await world.pay() else { throw CancellationError() }
        #expect(reason.code == .noUsableOption)
        #expect(reason.message.contains("m_sign") && reason.message.contains("page"))
        world.provider.options = []
        guard case .declined(let none) = try await world.pay() else { throw CancellationError() }
        #expect(none.code == .noUsableOption)
    }

    @Test("A chooser that chooses nothing cancels")
    func noChoice() async throws {
        #expect(try await world.pay(as: Payer(chooser: { _ in nil })) == .cancelled)
        #expect(world.provider.calls["pay"] == 0)
    }

    @Test("A chooser that fails is an error that names only the failure's type")
    func failingChooser() async throws {
        struct Secret: Error, CustomStringConvertible { var description: String { "card 4111" } }
        await #expect { try await World().pay(as: Payer(chooser: { _ in throw Secret() })) } throws: {
            ($0 as? PaymentError)?.code == .payer && !"\($0)".contains("4111")
        }
    }

    @Test("What has expired is not paid", arguments: [-1.0, 0, 1])
    func expiry(seconds: Double) async throws {
        for isOption in [true, false] {
            var world = World()
            world.provider.statusBody = { _, _ in .expired }
            let date = world.clock.now.addingTimeInterval(seconds)
            if isOption {
                world.provider.options = [.euros("card", expiresAt: date)]
            } else {
                world.provider.expiresAt = date
            }
            if isOption, seconds <= 0 {
                // Only the price has expired: the payment stays open.
                #expect(await failure { try await world.pay() }?.code == .unusableOption)
            } else {
                #expect((try await world.pay() == .expired) == (seconds <= 0))
            }
            #expect(world.provider.calls["pay"] == (seconds <= 0 ? 0 : 1))
        }
    }

    @Test("Our own clock says nothing final of a payment", arguments: [true, false])
    func clockAhead(isPaid: Bool) async throws {
        var world = World()
        world.provider.expiresAt = world.clock.now.addingTimeInterval(-1)
        world.provider.statusBody = { payment, _ in
            isPaid ? .succeeded(PaymentReceipt(reference: payment)) : .pending(retryAfter: nil)
        }
        if isPaid {
            // Another device did.
            #expect(try await world.pay() == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        } else {
            let error = await #expect(throws: PaymentError.self) { try await world.pay() }
            #expect(error?.message.contains("check the clock") == true)
        }
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
    }

    @Test(
        "After the wallet has sent money, no refusal is final", arguments: [ServiceReport.expired, .cancelled])
    func walletTransfer(_ refusal: ServiceReport) async throws {
        var world = World()
        let sent = Tally()
        world.provider.statusBody = { _, _ in refusal }
        world.provider.payBody = { _, context in
            _ = try await context.step("send", .walletTransfer) {
                sent.count("send")
                return "0xabc"
            }
            return refusal
        }
        for _ in 0..<2 {
            let unknown = try #require(try await world.pay().unknownOutcome, "a refusal was believed")
            #expect(unknown.message.contains("0xabc") && unknown.message.contains("do not pay again"))
            let history = try #require(try await world.histories.last)
            #expect(!history.isFinished && history.walletTransfers == ["0xabc"])
            // Nor is it if only the status is queried.
            let status = try #require(
                try await world.router.status(of: ScriptedProvider.reference).unknownOutcome,
                "a refusal was believed as the status")
            #expect(status.message.contains("0xabc"))
        }
        #expect(sent["send"] == 1)
        #expect(try await world.histories.count == 1)
        // The service's status that it was paid ends it.
        world.provider.payBody = { attempt, context in
            _ = try await context.step("send", .walletTransfer) { "0xdef" }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        #expect(try await world.pay() == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
    }

    @Test("A wallet that says that it sent nothing is believed; one that dies is not asked again")
    func interruptedWalletTransfer() async throws {
        for error in [PaymentError(.payer, "declined in the wallet"), PaymentError(.payer, "?", phase: .maybeSent)] {
            var world = World()
            let sent = Tally()
            world.provider.statusBody = { _, _ in .expired }
            world.provider.payBody = { _, context in
                _ = try await context.step("send", .walletTransfer) { () -> String in
                    sent.count("send")
                    throw error
                }
                return .expired
            }
            for _ in 0..<2 { _ = try? await world.pay() }
            #expect(sent["send"] == (error.phase == .maybeSent ? 1 : 2))
            let open = try await world.histories.filter { !$0.isFinished }
            #expect(open.map(\.walletTransfers) == (error.phase == .maybeSent ? [[nil]] : []))
        }
    }

    @Test("A quote that says the payment is over is the outcome")
    func alreadyOver() async throws {
        var world = World()
        world.provider.quotedOutcome = .expired
        #expect(try await world.pay() == .expired)
        #expect(world.provider.calls["pay"] == 0)
    }

    static let unsound: [PaymentReceipt] = [
        PaymentReceipt(reference: PaymentReference(provider: "acme", id: "p2")),
        PaymentReceipt(reference: PaymentReference(provider: "other", id: "p1")),
        PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(1000, .usd)),
        PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(999)),
        PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(1001)),
    ]

    @Test("Only where the option's amount is an estimate may the receipt state another one")
    func estimate() async throws {
        var world = World()
        world.provider.options = [
            PaymentMethodOption(id: "coin", title: "Coin", amount: .cents(1000), isEstimate: true)
        ]
        let receipt = PaymentReceipt(reference: ScriptedProvider.reference, amount: .cents(998))
        world.provider.payBody = { _, _ in .succeeded(receipt) }
        #expect(try await world.pay() == .succeeded(receipt))
        let option = try #require(try await world.histories.first?.attempt.option)
        #expect(try JSONValue.encode(option).decode(PaymentMethodOption.self).isEstimate)
    }

    @Test("A receipt for another payment, currency or amount is never reported as success", arguments: unsound)
    func unsoundReceipt(receipt: PaymentReceipt) async throws {
        for usesMutation in [true, false] {
            var world = World()
            world.provider.payBody = { _, context in
                if usesMutation { _ = try await context.step("capture", .mutation(replay: .never)) { true } }
                return .succeeded(receipt)
            }
            world.provider.statusBody = { _, _ in .succeeded(receipt) }
            let outcome = try? await world.pay()
            if case .succeeded? = outcome { Issue.record("reported as success") }
            for history in try await world.histories {
                if case .succeeded? = history.outcome { Issue.record("journaled as success") }
            }
            // Money may have moved: no new attempt may begin. Only a payment in another currency, while this attempt
            // captured nothing, was made by another payer, and a repeated call reports it.
            let isElsewhere = !usesMutation && receipt.amount?.currency == .usd
            _ = try? await world.pay()
            #expect(try await world.histories.count == (isElsewhere ? 2 : 1))
            if isElsewhere { #expect(outcome?.description.contains("paid already") == true) }
        }
    }

    @Test("A receipt that counts with other decimals than the option is not over the same amount", arguments: [2, 18])
    func otherDecimals(exponent: UInt8) async throws {
        let token = try Currency(unit: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
        var world = World()
        world.provider.options = [
            PaymentMethodOption(
                id: "token", title: "Token", amount: try Money(minorUnits: 1000, currency: token, exponent: 6))
        ]
        let paid = try Money(minorUnits: 1000, currency: token, exponent: exponent)
        world.provider.payBody = { attempt, _ in
            .succeeded(PaymentReceipt(reference: attempt.reference, amount: paid))
        }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        #expect(try await world.pay().unknownOutcome != nil, "ten thousand times more, or less, is not what was agreed")
        #expect(try await world.histories.map(\.isFinished) == [false])
    }

    @Test("The status and the quote of a payment cannot speak of another")
    func unsoundAnswers() async throws {
        let other = ServiceReport.succeeded(Self.unsound[0])
        var world = World()
        world.provider.statusBody = { _, _ in other }
        world.provider.quotedOutcome = other
        let router = try world.router
        #expect(await failure { try await router.status(of: ScriptedProvider.reference) }?.code == .integrity)
        #expect(await failure { try await router.pay(ScriptedProvider.link, as: .careless) }?.code == .integrity)
    }

    @Test("A quote for another payment than the link's is never shown, nor paid")
    func quoteOfAnother() async throws {
        var world = World()
        world.provider.quotedReference = PaymentReference(provider: "acme", id: "p2")
        let router = try world.router
        let payer = Payer { quote in
            Issue.record("the payer was asked about another payment")
            return quote.options.first?.id
        }
        let error = await #expect(throws: PaymentError.self) { try await router.pay(ScriptedProvider.link, as: payer) }
        #expect(error?.code == .integrity && error?.phase == .beforeSend)
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.journal.unfinished().isEmpty)
    }

    @Test("A foreign error becomes a provider fault that names only its type")
    func foreignError() async throws {
        struct Leak: Error, CustomStringConvertible { var description: String { "key sk_live" } }
        var world = World()
        world.provider.payBody = { _, _ in throw Leak() }
        await #expect { try await world.pay() } throws: {
            let error = $0 as? PaymentError
            return error?.code == .providerFault && error?.phase == .beforeSend && "\($0)".contains("Leak")
                && !"\($0)".contains("sk_live")
        }
        #expect(try await world.histories.first?.isFinished == true)
    }

    @Test("A payment that continues elsewhere is resumed, not started over")
    func pendingGoesOn() async throws {
        var world = World()
        world.provider.payBody = { _, _ in .pending(retryAfter: .seconds(1)) }
        #expect(try await world.pay() == .pending(retryAfter: .seconds(1)))
        #expect(try await world.pay() == .pending(retryAfter: .seconds(1)))
        #expect(try await world.histories.count == 1)
        #expect(world.provider.calls["pay"] == 2)
        #expect(world.provider.calls["quote"] == 1)
    }

    @Test("A return URL completes only an attempt that was opened here")
    func callback() async throws {
        var world = World()
        world.provider.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        for stray in ["shop://paid?id=p1", "shop://paid?id=p2", "shop://paid", "shop://other?id=p1", "nonsense", ""] {
            #expect(try await router.handle(stray) == nil)
        }
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        #expect(try await router.handle("shop://paid?id=p2") == nil)
        #expect(try await router.handle("https://pay.acme.example/?id=p1") == nil, "a payment link is no callback")
        #expect(world.provider.calls["complete"] == 0)
        let completed = PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "completed")
        #expect(try await router.handle("SHOP://PAID?id=p1&x=2") == .succeeded(completed))
        #expect(try await router.handle("shop://paid?id=p1") == nil, "it is over")
        #expect(world.provider.calls["complete"] == 1)
        #expect(try await router.pay(ScriptedProvider.link, as: .careless) == .succeeded(completed))
    }

    @Test("A return URL that names no payment concerns every open one, latest first")
    func namelessCallback() async throws {
        var world = World()
        world.provider.match = { link in
            guard link.scheme == "shop" else { return ScriptedProvider.match(link) }
            return LinkMatch(nil, role: .callback)
        }
        world.provider.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        #expect(try await router.handle("shop://paid?ret=0") == nil, "nothing is open")
        _ = try await router.pay("https://pay.acme.example/?id=p1", as: .careless)
        _ = try await router.pay("https://pay.acme.example/?id=p2", as: .careless)
        func completed(_ id: String) -> ServiceReport {
            let reference = PaymentReference(provider: "acme", id: id)
            return .succeeded(PaymentReceipt(reference: reference, transactionID: "completed"))
        }
        #expect(try await router.handle("shop://paid?ret=0") == completed("p2"))
        #expect(try await router.handle("shop://paid?ret=0") == completed("p1"))
        #expect(try await router.handle("shop://paid?ret=0") == nil)
    }

    @Test("A provider finds the link while it is known, and the journal never does")
    func link() async throws {
        let seen = Collected<String?>()
        var provider = world.provider
        provider.payBody = { attempt, context in
            seen.add(context.link?.text)
            return try await context.step("pay", .mutation(replay: .sameKey)) { .pending(retryAfter: nil) }
        }
        let link = ScriptedProvider.link + "&token=tok_secret"
        var again = world
        again.provider = provider
        let router = try again.router
        let route = try #require(router.route(link).route)
        let quote = try await router.quote(route, as: Payer())
        _ = try await router.pay(quote, option: "card", as: .careless)
        _ = try await router.pay(link, as: .careless)
        let attempt = try #require(try await again.histories.first?.attempt)
        _ = try await router.resume(attempt.id, as: Payer())
        #expect(seen.all == [link, link, nil])
        #expect(!"\(try await again.histories)".contains("tok_secret"))
        #expect(!String(reflecting: quote).contains("tok_secret"))
    }
}
