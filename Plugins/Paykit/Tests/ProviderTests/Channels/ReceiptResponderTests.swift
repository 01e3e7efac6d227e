import PaymentCore
import PaymentCrypto
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitProvider

/// A payee's answers to any peer.
@Suite("A payee's answers")
struct PayeeDeskTests {
    private let owner: PubkyKey
    private let payer: PubkyKey
    private let stranger: PubkyKey
    private let receipts = Receipts(InMemoryRecords())

    init() throws {
        owner = try PubkySamples.pair(0x22).publicKey
        payer = try PubkySamples.pair(0x11).publicKey
        stranger = try PubkySamples.pair(0x33).publicKey
    }

    private func responder(_ shop: TestPayee = TestPayee()) -> ReceiptResponder {
        ReceiptResponder(owner, shop, receipts) { offer, _ in offer.endpoint.methodID == "lightning" }
    }

    private func record(_ change: (inout PaykitReceiptRecord) -> Void = { _ in }) -> PaykitReceiptRecord {
        var record = PaykitReceiptRecord(
            id: "rcpt_1", payer: payer, payee: owner, methodID: "lightning", amount: "1000", currency: "SAT",
            createdAt: 1_767_225_600, metadata: ["note": "coffee"])
        change(&record)
        return record
    }

    private func code(_ answers: [ChannelMessage]) -> String? {
        guard case .error(let code, _)? = answers.first, answers.count == 1 else { return nil }
        return code
    }

    @Test("A receipt says how to pay, and keeps what the payer wrote but for what is ours to say")
    func receipt() async throws {
        let asked = record {
            $0.metadata = ["note": "coffee", "invoice": "lnbc-of-the-payer", "proof": 1, "payment_hash": "00"]
        }
        let shop = TestPayee()
        let answers = await responder(shop).answers(to: .requestReceipt(asked), from: payer, .native)
        guard case .confirmReceipt(let receipt)? = answers.first, answers.count == 1 else {
            Issue.record("\(answers)")
            return
        }
        #expect(receipt.metadata["invoice"]?.string == TestPayee.invoice(1, over: "1000"))
        #expect(receipt.metadata["payment_hash"]?.string == shop.paymentHash)
        #expect(receipt.metadata["note"]?.string == "coffee" && receipt.metadata["shop"]?.string == "The corner")
        #expect(receipt.metadata["proof"] == nil)
        #expect(receipt.amount == "1000" && receipt.payer == payer && receipt.payee == owner)
        #expect(try await receipts.receipts(before: nil, limit: 9).map(\.stage) == [.confirmed])
    }

    @Test("Asked again, late or at the same time, the same payment has the same invoice")
    func again() async throws {
        let shop = TestPayee()
        let responder = responder(shop)
        let asked = ChannelMessage.requestReceipt(record())
        let all = await withTaskGroup(of: [ChannelMessage].self) { group in
            for _ in 0..<20 { group.addTask { await responder.answers(to: asked, from: payer, .native) } }
            return await group.reduce(into: [[ChannelMessage]]()) { $0.append($1) }
        }
        #expect(Set(all).count == 1)
        #expect(try await receipts.receipts(before: nil, limit: 9).count == 1)
    }

    @Test("A name that was used for another payment is refused, and another peer's same name is a separate one")
    func names() async throws {
        let responder = responder()
        _ = await responder.answers(to: .requestReceipt(record()), from: payer, .native)
        let other = record { $0.amount = "1001" }
        #expect(code(await responder.answers(to: .requestReceipt(other), from: payer, .native)) == "RECEIPT_ID_USED")
        let theirs = record { $0.payer = stranger }
        let answers = await responder.answers(to: .requestReceipt(theirs), from: stranger, .native)
        guard case .confirmReceipt(let receipt)? = answers.first else {
            Issue.record("\(answers)")
            return
        }
        #expect(receipt.metadata["invoice"]?.string == TestPayee.invoice(2, over: "1000"))
    }

    @Test("A peer that asks for others, from others, or nonsense gets an error, and no invoice is made")
    func refusals() async throws {
        let shop = TestPayee()
        let long = String(repeating: "x", count: 20_000)
        for (expected, change) in [
            ("WRONG_PAYEE", { $0.payee = stranger }), ("WRONG_PAYER", { $0.payer = stranger }),
            ("WRONG_PAYER", { $0.payer = owner }), ("INVALID_REQUEST", { $0.amount = "-5" }),
            ("INVALID_REQUEST", { $0.amount = "0" }), ("INVALID_REQUEST", { $0.amount = "1e3" }),
            ("INVALID_REQUEST", { $0.amount = "" }), ("INVALID_REQUEST", { $0.amount = "0.00" }),
            ("INVALID_REQUEST", { $0.id = "" }), ("INVALID_REQUEST", { $0.id = "a b" }),
            ("INVALID_REQUEST", { $0.id = long }), ("INVALID_REQUEST", { $0.methodID = "noise" }),
            ("INVALID_REQUEST", { $0.metadata = [1] }), ("INVALID_REQUEST", { $0.metadata["n"] = .string(long) }),
            ("INVALID_REQUEST", { $0.createdAt = -1 }), ("INVALID_REQUEST", { $0.currency = "S\nT" }),
        ] as [(String, (inout PaykitReceiptRecord) -> Void)] {
            let answers = await responder(shop).answers(to: .requestReceipt(record(change)), from: payer, .native)
            #expect(code(answers) == expected)
        }
        #expect(shop.inquiries.isEmpty)
        let refusing = responder(TestPayee(refusal: PaykitPayeeError("CLOSED", "Come back tomorrow")))
        #expect(code(await refusing.answers(to: .requestReceipt(record()), from: payer, .native)) == "CLOSED")
        #expect(try await receipts.receipts(before: nil, limit: 9).isEmpty)
    }

    @Test("A flat dialect has no room for an endpoint: it comes before the receipt")
    func flat() async throws {
        let answers = await responder().answers(to: .requestReceipt(record()), from: payer, .flat)
        let endpoint = PaykitEndpoint(methodID: "lightning", endpoint: TestPayee.invoice(1, over: "1000"))
        #expect(answers.first == .offer([.init(endpoint)]) && answers.count == 2)
    }

    @Test("What is paid is what the proof proves, and only once a receipt was given")
    func confirmation() async throws {
        let shop = TestPayee()
        let responder = responder(shop)
        func shown(_ proof: PaykitProof?, _ change: (inout PaykitReceiptRecord) -> Void = { _ in }) async
            -> [ChannelMessage]
        {
            let receipt = record {
                $0.metadata["proof"] = proof?.json
                change(&$0)
            }
            return await responder.answers(to: .confirmReceipt(receipt), from: payer, .native)
        }
        #expect(code(await shown(shop.proof)) == "UNKNOWN_RECEIPT")
        _ = await responder.answers(to: .requestReceipt(record()), from: payer, .native)
        #expect(code(await shown(shop.proof) { $0.amount = "999" }) == "UNKNOWN_RECEIPT")
        #expect(code(await shown(shop.proof) { $0.payer = stranger }) == "WRONG_PAYER")
        let other = [UInt8](repeating: 1, count: 32)
        let foreign = PaykitProof.preimage(Hex.encode(other), paymentHash: Hex.encode(Digest.sha256.hash(other)))
        #expect(code(await shown(foreign)) == "NOT_PAID")
        #expect(code(await shown(.preimage(Hex.encode(other), paymentHash: shop.paymentHash))) == "INVALID_PROOF")
        #expect(code(await shown(.transaction(shop.paymentHash))) == "NOT_PAID")
        #expect(code(await shown(.transaction("x"))) == "INVALID_PROOF")
        #expect(code(await shown(.other(method: "cash", data: 1))) == "NOT_PAID")
        #expect(await shown(nil) == [.acknowledgement])
        #expect(try await receipts.receipts(before: nil, limit: 1).first?.stage == .confirmed)
        #expect(await shown(shop.proof) == [.acknowledgement])
        #expect(try await receipts.receipts(before: nil, limit: 1).first?.stage == .paid)
        // Repeated and late: it is paid already.
        #expect(await shown(shop.proof) == [.acknowledgement])
        // A repeated request gets the same receipt.
        guard case .confirmReceipt? = await responder.answers(to: .requestReceipt(record()), from: payer, .native).first
        else {
            Issue.record("another answer")
            return
        }
    }

    @Test(
        "A preimage of an invoice without the receipt's amount proves nothing: the wallet is asked what arrived",
        arguments: [true, false])
    func openInvoice(hasArrived: Bool) async throws {
        let shop = TestPayee(arrived: hasArrived, isOpen: true)
        let responder = responder(shop)
        _ = await responder.answers(to: .requestReceipt(record()), from: payer, .native)
        let shown = record { $0.metadata["proof"] = shop.proof.json }
        let answers = await responder.answers(to: .confirmReceipt(shown), from: payer, .native)
        #expect(hasArrived ? answers == [.acknowledgement] : code(answers) == "NOT_PAID")
        let stage = try await receipts.receipts(before: nil, limit: 1).first?.stage
        #expect(stage == (hasArrived ? .paid : .confirmed))
    }

    @Test("What only the wallet can know is the wallet's to say")
    func arrival() async throws {
        let responder = responder(TestPayee(arrived: true))
        let asked = record { $0.methodID = "onchain" }
        _ = await responder.answers(to: .requestReceipt(asked), from: payer, .native)
        let shown = record {
            $0.methodID = "onchain"
            $0.metadata["proof"] = PaykitProof.transaction(String(repeating: "ab", count: 32)).json
        }
        #expect(await responder.answers(to: .confirmReceipt(shown), from: payer, .native) == [.acknowledgement])
        #expect(try await receipts.receipts(before: nil, limit: 1).first?.stage == .paid)
    }

    @Test("Other messages have the answers that others give")
    func others() async throws {
        let responder = responder()
        let endpoint = PaykitEndpoint(methodID: "lightning", endpoint: "lnbc1")
        let cash = PaykitEndpoint(methodID: "cash", endpoint: "at the till")
        for (message, answers) in [
            (.ping, [.pong]), (.pong, []), (.acknowledgement, []), (.error(code: "E", message: ""), []),
            (.accept(["lightning"]), [.acknowledgement]), (.decline(reason: "no"), [.acknowledgement]),
            (.offer([.init(endpoint)]), [.acknowledgement]),
            (.offer([.init(endpoint, expiresAt: 9)]), [.accept(["lightning"])]),
            (.offer([.init(cash), .init(endpoint)]), [.accept(["lightning"])]),
            (.offer([.init(cash)]), [.decline(reason: "Nothing of this is kept")]),
        ] as [(ChannelMessage, [ChannelMessage])] {
            #expect(await responder.answers(to: message, from: payer, .native) == answers)
        }
    }

    @Test("A store that fails gives no receipt, and no peer learns why")
    func brokenStore() async throws {
        let responder = ReceiptResponder(owner, TestPayee(), Receipts(BrokenRecords()))
        #expect(code(await responder.answers(to: .requestReceipt(record()), from: payer, .native)) == "UNAVAILABLE")
        #expect(code(await responder.answers(to: .confirmReceipt(record()), from: payer, .native)) == "UNAVAILABLE")
    }
}

/// A store on a disk that is gone.
struct BrokenRecords: ForwardingRecords {
    struct Gone: Error {}

    let base: any RecordStore = InMemoryRecords()

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        throw Gone()
    }
    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { throw Gone() }
    func records(_ query: RecordQuery) async throws -> [StoredRecord] { throw Gone() }
}

@Suite("Proofs of payments")
struct PaykitProofTests {
    @Test("Proofs are read as they are written, and nothing else is one")
    func forms() throws {
        let preimage = Hex.encode([UInt8](repeating: 7, count: 32))
        for proof in [
            .preimage(preimage, paymentHash: preimage), .transaction(preimage), .other(method: "cash", data: ["a": 1]),
        ] as [PaykitProof] {
            #expect(PaykitProof(proof.json) == proof)
        }
        for text in ["{}", "1", #"{"proof_type":"bitcoin_txid"}"#, #"{"proof_type":"word","txid":"00"}"#] {
            #expect(PaykitProof(try JSONValue(parsing: text)) == nil)
        }
    }

    @Test("A preimage proves the payment of the invoice with its hash, and of no other")
    func preimages() {
        let secret = [UInt8](repeating: 7, count: 32)
        let hash = Hex.encode(Digest.sha256.hash(secret))
        let proof = PaykitProof.preimage(Hex.encode(secret), paymentHash: hash)
        #expect(proof.isSound && proof.proves(payingHash: hash) && proof.proves(payingHash: hash.uppercased()))
        #expect(!proof.proves(payingHash: Hex.encode(secret)) && !proof.proves(payingHash: ""))
        let wrong = PaykitProof.preimage(Hex.encode(secret), paymentHash: Hex.encode(secret))
        #expect(!wrong.isSound && !wrong.proves(payingHash: Hex.encode(secret)))
        let short = PaykitProof.preimage("07", paymentHash: Hex.encode(Digest.sha256.hash([7])))
        #expect(!short.isSound && !short.proves(payingHash: Hex.encode(Digest.sha256.hash([7]))))
        #expect(!PaykitProof.transaction("abc").isSound && PaykitProof.transaction(hash).isSound)
        #expect(!PaykitProof.transaction(hash).proves(payingHash: hash))
    }
}

@Suite("Amounts of invoices")
struct InvoiceAmountTests {
    @Test(
        "An invoice for another amount is noticed, in whatever unit",
        arguments: [
            ("lnbc21u1pxyz", "2100", false), ("LNBC21U1PXYZ", "2100", false), ("lnbcrt21u1p", "2100", false),
            ("lnbc2100n1p", "210", false), ("lnbc1m1p", "100000", false), ("lnbc11p", "100000000", false),
            ("lnbc10p1p", "0.001", false), ("lnbc21u1p", "2100.000", false), ("lnbc21u1p", "21000", true),
            ("lnbc21u1p", "2100.001", true), ("lntbs21u1p", "1", true), ("lnbc1p1p", "1", true),
            ("lnbc99999999999999999991p", "1", true), ("lnbc9999999999999999m1p", "1", true),
            ("lnbc1pxyz", "5", false), ("user@example.com", "5", false), ("lnbc21q1p", "5", false),
        ])
    func amounts(_ invoice: String, _ amount: String, _ differs: Bool) {
        let endpoint = PaykitEndpoint(methodID: "lightning", endpoint: invoice)
        #expect(InvoiceAmount.differs(endpoint, from: amount, "SAT") == differs)
        let hasAmount = !["lnbc1pxyz", "user@example.com", "lnbc21q1p"].contains(invoice)
        #expect(InvoiceAmount.isExactly(endpoint, amount, "SAT") == (hasAmount && !differs))
        #expect(!InvoiceAmount.isExactly(endpoint, nil, "SAT") && !InvoiceAmount.isExactly(endpoint, amount, "EUR"))
        #expect(!InvoiceAmount.differs(endpoint, from: nil, "SAT"))
        #expect(!InvoiceAmount.differs(endpoint, from: amount, "EUR"))
    }
}
