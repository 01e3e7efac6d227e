import BitcoinProvider
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Testing

/// Payments to users of the network, and to single invoices.
@Suite("Paykit's provider")
struct ProviderTests: NetworkSuite {
    let network = TestNetwork()
    let journal = InMemoryJournal()
    let router: PaymentRouter
    let payer: Payer

    init() throws {
        router = try network.router(
            with: [BitcoinProvider(reader: StandardsReader())], callbacks: ["shop://pubky-callback"], journal: journal)
        payer = Payer(policy: .firstWhateverItCosts, settler: try network.settler)
    }

    private func payer(saying satoshi: UInt128) -> Payer {
        var payer = payer
        payer.amountChooser = { _ in try Money(minorUnits: satoshi, currency: .satoshi) }
        return payer
    }

    func receipt(_ outcome: PaymentOutcome) throws -> PaymentReceipt { try #require(outcome.receipt, "\(outcome)") }

    private func match(_ text: String) -> LinkMatch? {
        if case .matched(let route) = router.route(text) { route.match } else { nil }
    }

    // MARK: Links

    private static let key = "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"

    @Test(
        "Every form of a key names the same payee, and so does a bare one (Protocol 1.4)",
        arguments: ["pubky://KEY", "pubky://KEY/pub/x", "pubkyKEY", "pk:KEY", "paykit:KEY", "pip:KEY", "KEY", "KEY\n"])
    func keys(_ form: String) {
        let match = match(form.replacing("KEY", with: Self.key))
        #expect(match?.subject == .payee(Self.key) && match?.trust == .verified)
    }

    @Test(
        "A look-alike of a key cannot be paid",
        arguments: [
            // A letter that z-base-32 does not have, one too few or too many, capitals, bytes of no valid key.
            "lKEY", "pubky://l", "pk:KEYy", "KEYy", "pubky", "pk:c1bkg8tfsyy8wcedtmw4fwhdmm7bbzhgg3z58tf43m5ow8w9mbus",
            "c1bkg8tfsyy8wcedtmw4fwhdmm7bbzhgg3z58tf43m5ow8w9mbus",
            "8PINXXGQS41N4AIDIDENW5APQP1URFMZDZTR8JT4ABRKDN435EWO",
            // Spare bits: a prefixed text is as good as any key, and a bare one is too weak a sign.
            "ybndrfg8ejkmcpqxot1uwisza345h769ybndrfg8ejkmcpqxot1u", "KEY/pub/x", "KEY?amount=1",
        ])
    func noKeys(_ form: String) async {
        let text = form.replacing("KEY", with: Self.key)
        #expect(match(text) == nil)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(text, as: payer) }
        #expect(error?.phase == .beforeSend)
    }

    @Test("A bare key is paid like any link to the same person, and is the same payee")
    func bareKey() async throws {
        let user = await sandbox.createUser(.ready)
        let receipt = try receipt(try await router.pay(user.key.text, as: payer))
        #expect(receipt.amount?.minorUnits == 2100)
        #expect(try await router.quote(user.key.text, as: payer).payee.id == user.key.text)
        #expect(await captures(of: user.key) == 1)
    }

    @Test("A bare text that is a key by one standard and something else by another has no provider, and is not read")
    func unclearKey() throws {
        struct Both: InstructionReader {
            func read(_ link: PaymentLink) -> InstructionReading {
                guard case .instruction(let key) = StandardsReader().read(link) else { return .none }
                return .ambiguous([key, PaymentInstruction(standard: "other", fields: [:])])
            }
        }
        let registry = try ProviderRegistry([
            PaykitProvider(network: try .sandbox(HTTPURL(TestNetwork.url)), reader: StandardsReader())
        ])
        for readers in [[Both()], []] as [[any InstructionReader]] {
            if case .matched = registry.route(Self.key, readers: readers) { Issue.record("\(readers)") }
            guard case .matched = registry.route("pk:\(Self.key)", readers: readers) else {
                Issue.record("\(readers)")
                continue
            }
        }
        // A key manager's answer is of the same standard, but not Paykit's to pay.
        let answer = "bitkit://paykit-setup?pubky=\(Self.key)&request_id=\(String(repeating: "ab", count: 32))"
        if case .matched = router.route(answer + "&mode=secure_handoff") { Issue.record("an answer is claimed") }
    }

    @Test("What asks for no payment is recognised and not paid (Protocol 1.5 and 1.6)")
    func otherRoles() async {
        let secret = "kqnceEMgrNQM_xi06oQXjA3cJHX_RQmw1BY6JE1bse8"
        let link = "pubkyauth://signin?caps=/pub/pubky.app/:rw&secret=\(secret)&relay=https://httprelay.pubky.app/link"
        for (text, role) in [
            (link, LinkMatch.Role.authorization), ("pubkyring://auth?callback=shop://x", .authorization),
            ("shop://pubky-callback?session=secret", .callback),
        ] {
            let match = match(text)
            #expect(match?.role == role && match?.holdsSecret == true, "\(text)")
            let error = await #expect(throws: PaymentError.self) { try await router.pay(text, as: payer) }
            #expect(error?.code == .notAPayment)
        }
    }

    @Test("Links of other generations, and unsound endpoints, are named and not paid")
    func strangers() async {
        let key = Self.key
        for text in [
            "pubky://\(key)/public/slashpay.json", "slashpay:\(key)", "slash://\(key)/x",
            "paykit:invoice?method=lightning&data=lnbc1nonsense",
            "paykit:invoice?method=onchain&data=lnbc1nonsense", "paykit:invoice?method=paypal&data=mina",
        ] {
            // A text that a payment standard knows to be unsound is not claimed at all.
            if case .verified? = match(text)?.trust { Issue.record("\(text) is trusted") }
            let error = await #expect(throws: PaymentError.self) {
                try await router.pay(text, as: payer, acceptingUnverified: true)
            }
            #expect(error?.code == (match(text) == nil ? .unroutable : .notAPayment), "\(text)")
        }
        let error = await #expect(throws: PaymentError.self) {
            try await router.pay("paykit:request?request_id=7&from=pubky://\(key)", as: payer)
        }
        #expect(error?.code == .unsupported)
    }

    // MARK: Paying

    @Test("A payee who publishes an invoice is paid by it, with a proof, and shown with their own name")
    func pays() async throws {
        let user = await sandbox.createUser(.ready, name: "Mina Kaya")
        let quote = try await router.quote(user.link, as: payer)
        #expect(quote.payee.name.contains("\u{201C}Mina Kaya\u{201D}"))
        #expect(quote.payee.name.contains(user.key.text.prefix(8)))
        #expect(quote.payee.iconURL == "https://paykit-sandbox.example/picture.png")
        #expect(quote.payee.id == user.key.text, "limits of what a peer gets go by the key")
        #expect(quote.options.map(\.id) == ["lightning"] && quote.options.first?.amount.minorUnits == 2100)
        let receipt = try receipt(try await router.pay(quote, option: "lightning", as: payer))
        #expect(receipt.transactionID?.count == 64 && receipt.amount?.minorUnits == 2100)
        #expect(await captures(of: user.key) == 1)
    }

    @Test("A payee with both kinds of endpoints is paid, by the amount that the payer states")
    func openAmounts() async throws {
        let user = await sandbox.createUser(.chainOnly)
        let error = await #expect(throws: PaymentError.self) { try await router.pay(user.link, as: payer) }
        #expect(error?.code == .noChooser)
        let first = try receipt(try await router.pay(user.link, as: payer(saying: 5000)))
        let second = try receipt(try await router.pay(user.link, as: payer(saying: 5000)))
        #expect(first.reference != second.reference && first.transactionID != second.transactionID)
        #expect(await captures(of: user.key) == 2)
        // From a payee who publishes both, only endpoints that accept exactly that amount are offered.
        let both = await sandbox.createUser(.ready)
        #expect(try await router.quote(both.link, as: payer(saying: 5000)).options.map(\.id) == ["onchain"])
        let options = try await router.quote(both.link, as: payer(saying: 2100)).options
        #expect(options.map(\.id) == ["lightning", "onchain"])
        #expect(Set(options.map(\.amount)).count == 1)
    }

    @Test(
        "Every kind of user is paid, or refused for a reason, and nothing moves but that",
        arguments: PubkySandbox.Scenario.allCases.filter { $0 != .slow })
    func scenarios(scenario: PubkySandbox.Scenario) async throws {
        let user = await sandbox.createUser(scenario)
        let isPayable = scenario.expectedOutcome == .payable && scenario != .lightningAddress
        do throws(PaymentError) {
            let outcome = try await router.pay(user.link, as: payer(saying: 2100))
            #expect(outcome.receipt != nil ? isPayable : scenario == .lightningAddress, "\(outcome)")
        } catch {
            #expect(!isPayable && error.phase != .maybeSent, "\(error)")
        }
        #expect(await captures(of: user.key) == (isPayable ? 1 : 0))
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A name is shown without what could pass for something else, and a picture only if it is fetched encrypted")
    func oddProfile() async throws {
        let user = await sandbox.createUser(.oddProfile)
        let payee = try await router.quote(user.link, as: payer).payee
        #expect(payee.iconURL == nil && payee.name.count < 80)
        #expect(!payee.name.unicodeScalars.contains("\u{202E}"))
    }

    // MARK: Bare texts

    @Test("Bare texts are paid: an invoice, a link with an amount once, an address whenever it is paid")
    func bareTexts() async throws {
        let user = await sandbox.createUser(.ready)
        let invoice = await sandbox.createInvoice(900, for: user.key)
        let address = String(
            decoding: try #require(await sandbox.file(at: "/pub/paykit.app/v0/onchain", of: user.key)), as: UTF8.self)
        let first = try receipt(try await router.pay(invoice, as: payer))
        #expect(try receipt(try await router.pay("lightning:\(invoice.uppercased())", as: payer)) == first)
        #expect(await captures(of: user.key) == 1)
        let link = "bitcoin:\(address)?amount=0.00002&label=Mina"
        for _ in 0..<2 { _ = try receipt(try await router.pay(link, as: payer)) }
        #expect(await captures(of: user.key) == 2)
        // Another label marks another purpose.
        _ = try receipt(try await router.pay("bitcoin:\(address)?amount=0.00002&label=Tea", as: payer))
        for _ in 0..<2 { _ = try receipt(try await router.pay("bitcoin:\(address)", as: payer(saying: 300))) }
        #expect(await captures(of: user.key) == 5)
    }

    @Test("Money of the real chain is not for the sandbox, and an address that may be another coin's is not paid")
    func realMoney() async throws {
        let outcome = try await router.pay(
            "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.1", as: payer)
        let reason = try #require(outcome.declineReason, "\(outcome)")
        #expect(reason.code == .noUsableOption && reason.message.contains("mainnet"))
        let error = await #expect(throws: PaymentError.self) {
            try await router.pay("1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", as: payer)
        }
        #expect(error?.code == .unroutable)
    }
}
