import BitcoinSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import BitcoinWallets

/// The proof in each wallet's answers, one by one, as they were observed or are documented.
@Suite("Answers of wallets")
struct WalletAnswerTests {
    private enum Proof { case nothingSent, dealtWith, nothing }

    private static func proof(_ answer: WalletAnswer) -> Proof {
        switch answer {
        case .sentNothing: .nothingSent
        case .dealtWith: .dealtWith
        case .nothing: .nothing
        }
    }

    private static func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(body.utf8))
    }

    private static func expect(
        _ rows: [(Int, String, Proof)], _ read: (HTTPResponse) -> WalletAnswer,
        _ location: SourceLocation = #_sourceLocation
    ) {
        for (status, body, proof) in rows {
            #expect(Self.proof(read(response(status, body))) == proof, "\(status) \(body)", sourceLocation: location)
        }
    }

    @Test("LNbits")
    func lnbits() {
        Self.expect(
            [
                (403, #"{"detail":"Invoice (or Admin) key required."}"#, .nothingSent),
                (404, #"{"detail":"Wallet not found."}"#, .nothingSent),
                (401, #"{"detail":"No Api Key provided."}"#, .nothingSent),
                (400, #"{"detail":"Missing BOLT11 invoice"}"#, .nothingSent),
                // Its handler of every ValueError, also of one behind its node's payment.
                (400, #"{"detail":"invalid literal for int() with base 10: '1500.0'"}"#, .nothing),
                (400, #"{"detail":[{"loc":["body"],"msg":"bad"}]}"#, .nothing),
                (400, #"{"detail":"Insufficient balance."}"#, .nothing),
                (401, #"{"detail":"Something new"}"#, .nothing), (403, #"{"detail":"Something new"}"#, .nothing),
                (404, #"{"detail":"Not Found"}"#, .nothing), (429, #"{"error":"slow down"}"#, .nothing),
                (429, #"{"error":"Rate limit exceeded: 200 per 1 minute"}"#, .nothingSent),
                (520, #"{"detail":"Bolt11 decoding failed.","status":"failed"}"#, .nothingSent),
                (520, #"{"detail":"Amountless invoices not supported.","status":"failed"}"#, .nothingSent),
                (520, #"{"detail":"Invoice amount 99000000 sats is too high.","status":"failed"}"#, .nothingSent),
                (520, #"{"detail":"Insufficient balance.","status":"failed"}"#, .nothingSent),
                (520, #"{"detail":"You must reserve at least (10  sat) to cover","status":"failed"}"#, .nothingSent),
                (520, #"{"detail":"Payment failed: FAILURE_REASON_NO_ROUTE","status":"failed"}"#, .dealtWith),
                (520, #"{"detail":"Payment is still pending.","status":"pending"}"#, .dealtWith),
                (520, #"{"detail":"Payment already paid.","status":"success"}"#, .dealtWith),
                // The trap: it says failed, and the money may have gone.
                (520, #"{"detail":"Internal invoice already paid.","status":"failed"}"#, .dealtWith),
                (520, #"{"detail":"Payment is failed node, retrying is not possible.","status":"failed"}"#, .dealtWith),
                (520, #"{"detail":"Failed payment was already paid on the fundingsource."}"#, .dealtWith),
                (520, #"{"detail":"Something new","status":"failed"}"#, .nothing),
                (201, #"{"payment_hash":"00","status":"pending"}"#, .dealtWith),
                (201, #"{"payment_hash":"00","status":"failed"}"#, .dealtWith),
                (201, "{}", .nothing),
                (500, #"{"detail":"Unexpected error! ID: 7"}"#, .nothing),
                (502, "<html>", .nothing), (504, #"{"detail":"a proxy's"}"#, .nothing), (404, "<html>", .nothing),
                (403, #"{"message":"a proxy's"}"#, .nothing), (400, "null", .nothing),
            ], LNbitsWallet.reading)
    }

    @Test("LND")
    func lnd() {
        func error(_ code: Int, _ message: String) -> String {
            #"{"error":{"code":\#(code),"message":"\#(message)","details":[]}}"#
        }
        let inFlight = #"{"result":{"status":"IN_FLIGHT"}}"#
        Self.expect(
            [
                (409, error(6, "invoice is already paid"), .dealtWith),
                (409, error(6, "payment is in transition"), .dealtWith),
                (409, error(6, "payment already exists"), .dealtWith),
                (409, error(6, "something new"), .nothing), (500, error(5, "invoice is already paid"), .nothing),
                (500, error(2, "invoice expired. Valid until 2026-01-01"), .nothingSent),
                (500, error(2, "amount must be specified when paying a zero amount invoice"), .nothingSent),
                (500, error(2, "self-payments not allowed"), .nothingSent),
                (400, error(3, "bad"), .nothingSent),
                (500, #"{"code":2,"message":"wallet locked, unlock it"}"#, .nothingSent),
                (401, #"{"code":16,"message":"permission denied"}"#, .nothingSent),
                (500, error(2, "router shutting down"), .nothing),
                (200, #"{"result":{"status":"FAILED"}}"#, .dealtWith),
                (200, #"{"result":{"status":"SUCCEEDED"}}"#, .dealtWith),
                (500, #"{"result":{"status":"FAILED"}}"#, .nothing),
                (200, inFlight, .nothing), (200, inFlight + "\n" + error(3, "bad"), .nothing),
                (200, inFlight + "\n" + #"{"result":{"status":"FAILED"}}"#, .dealtWith),
                (200, error(3, "bad") + "\n" + inFlight.dropLast(4), .nothing),
                (200, #"{"result":{"status":"SUCC"#, .nothing), (502, "<html>", .nothing), (200, "", .nothing),
            ], LNDWallet.reading)
    }

    @Test("Core Lightning")
    func coreLightning() {
        func error(_ code: Int) -> String { #"{"code":\#(code),"message":"words"}"# }
        Self.expect(
            [
                (401, error(1502), .nothingSent), (403, error(1501), .nothingSent), (404, error(-32601), .nothingSent),
                (401, error(7), .nothing), (405, error(-32601), .nothing), (406, error(1501), .nothing),
                (500, error(-4), .nothing), (500, error(210), .nothing), (500, error(1501), .nothing),
                (500, #"{"message":"words"}"#, .nothing),
                (500, error(-32602), .nothingSent), (500, error(213), .nothingSent),
                (500, error(203), .dealtWith), (500, error(205), .dealtWith), (500, error(207), .dealtWith),
                (500, error(209), .nothing), (500, error(219), .dealtWith), (500, error(-3), .nothing),
                (500, error(-1), .nothing), (201, #"{"payment_preimage":"00"}"#, .dealtWith), (201, "{}", .nothing),
                (404, "<html>", .nothing), (502, "<html>", .nothing),
            ], CoreLightningWallet.reading)
    }

    @Test("phoenixd")
    func phoenixd() {
        Self.expect(
            [
                (400, "Missing parameter: invoice", .nothingSent), (401, "Invalid authentication", .nothingSent),
                (400, "Bad Request", .nothing), (401, "<html>", .nothing), (403, "Forbidden", .nothing),
                (405, "", .nothing),
                (200, #"{"reason":"payment amount must be positive"}"#, .nothingSent),
                (200, #"{"reason":"payment attempts exhausted without success"}"#, .dealtWith),
                (200, #"{"reason":"something new"}"#, .nothing),
                (200, #"{"reason":"this invoice has already been paid"}"#, .dealtWith),
                (200, #"{"reason":"another payment is in progress for that invoice"}"#, .dealtWith),
                (200, #"{"paymentPreimage":"00","paymentHash":"00"}"#, .dealtWith),
                (200, "{}", .nothing), (200, "<html>", .nothing), (500, "boom", .nothing), (404, "Not found", .nothing),
            ], PhoenixdWallet.reading)
    }

    @Test("Every error that Core Lightning lists for a payment is read")
    func paymentErrors() throws {
        let proofs: [Int64: Proof] = [
            -32602: .nothingSent, 213: .nothingSent, -1: .nothing, -3: .nothing, 203: .dealtWith, 205: .dealtWith,
            207: .dealtWith, 209: .nothing, 219: .dealtWith,
        ]
        let codes = try WalletFacts(.coreLightning).values(of: "PaymentError", "code").compactMap(\.int64)
        #expect(Set(codes) == Set(proofs.keys))
        Self.expect(
            proofs.map { (500, #"{"code":\#($0.key),"message":"words"}"#, $0.value) }, CoreLightningWallet.reading)
    }

    // MARK: Records

    /// A wallet that gives the same answer to everything.
    private struct Fixed: HTTPTransport {
        var answers: [String: HTTPResponse]
        var isRepeated = false

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            var response = answers[request.url.path] ?? answers[""] ?? HTTPResponse(status: 500)
            response.mayFollowEarlierCopy = isRepeated
            return response
        }
    }

    private static let invoice = WalletInvoice(
        text: "lnbcrt1", paymentHash: String(repeating: "ab", count: 32), amount: 21_000, isAmountless: false,
        feeLimit: 10_000)
    private static let account = WalletAccount(id: "w")

    private static func record(
        _ face: SimulatedNode.Face, _ status: Int, _ body: String, at path: String = ""
    ) async throws -> WalletRecord {
        let wallet = try WalletBench.wallet(face, over: Fixed(answers: [path: response(status, body)]))
        return try await wallet.record(of: invoice, in: account)
    }

    private static func row(_ members: String) -> String {
        let details = #"{"payment_hash":"\#(invoice.paymentHash)","status":"success",\#(members)}"#
        return #"{"paid":true,"preimage":"00","details":\#(details)}"#
    }

    @Test("LNbits' record counts only as this wallet's own outgoing payment of this amount")
    func lnbitsRecord() async throws {
        let own = #""wallet_id":"w","amount":-21000,"bolt11":"LNBCRT1""#
        #expect(try await Self.record(.lnbits, 200, Self.row(own)) == .paid(preimage: "00", fee: nil))
        for members in [
            #""wallet_id":"x","amount":-21000"#, #""wallet_id":"w","amount":21000"#,
            #""wallet_id":"w","amount":-22000"#,
            #""wallet_id":"w","amount":-21000,"bolt11":"lnbcrt2""#,
        ] {
            await #expect(throws: PaymentError.self, "\(members)") {
                try await Self.record(.lnbits, 200, Self.row(members))
            }
        }
        // A payment that it calls successful, and not paid.
        await #expect(throws: PaymentError.self) {
            try await Self.record(.lnbits, 200, Self.row(own).replacing(#""paid":true"#, with: #""paid":false"#))
        }
        // The answer to a wrong key, about any wallet's payment.
        await #expect(throws: PaymentError.self) {
            try await Self.record(.lnbits, 200, #"{"paid":true,"preimage":"00"}"#)
        }
        await #expect(throws: PaymentError.self) { try await Self.record(.lnbits, 404, #"{"detail":"Not Found"}"#) }
    }

    @Test("LNbits' record without a preimage, with zeros or null, is that of a payment without proof")
    func lnbitsProofless() async throws {
        let hash = Self.invoice.paymentHash
        let own = #""wallet_id":"w","amount":-21000,"payment_hash":"\#(hash)","status":"success""#
        for (body, preimage) in [
            (#"{"paid":true,"preimage":null,"details":{\#(own),"preimage":null}}"#, nil),
            (#"{"paid":true,"preimage":null,"details":{\#(own),"preimage":"07"}}"#, "07"),
            (#"{"paid":true,"details":{\#(own)}}"#, nil),
        ] {
            #expect(try await Self.record(.lnbits, 200, body) == .paid(preimage: preimage, fee: nil), "\(body)")
        }
        let settler = try await WalletBench(.lnbits).another(
            WalletBench.wallet(
                .lnbits,
                over: Fixed(answers: ["": Self.response(200, #"{"paid":true,"details":{\#(own)}}"#)])))
        guard case .paid(let proof, _) = try await settler.record(of: Self.invoice, in: Self.account) else {
            Issue.record("it is not paid")
            return
        }
        #expect(proof == .unproven(paymentHash: hash))
    }

    @Test("A record over another amount is another payment's", arguments: SimulatedNode.Face.allCases)
    func otherAmount(face: SimulatedNode.Face) async throws {
        let hash = Self.invoice.paymentHash
        let bodies: [SimulatedNode.Face: (Int, (Int) -> String)] = [
            .lnbits: (200, { Self.row(#""wallet_id":"w","amount":-\#($0)"#) }),
            .lnd: (
                200,
                {
                    let payment = #""payment_hash":"\#(hash)","payment_preimage":"00","status":"SUCCEEDED""#
                    return #"{"result":{\#(payment),"value_msat":"\#($0)"}}"#
                }
            ),
            .coreLightning: (
                201, { #"{"pays":[{"payment_hash":"\#(hash)","status":"complete","amount_msat":\#($0)}]}"# }
            ),
            .phoenixd: (
                200, { #"{"isPaid":true,"paymentHash":"\#(hash)","preimage":"00","sent":\#($0 / 1000)}"# }
            ),
        ]
        let (status, body) = try #require(bodies[face])
        guard case .paid = try await Self.record(face, status, body(21_000)) else {
            Issue.record("it is not paid")
            return
        }
        await #expect(throws: PaymentError.self) { try await Self.record(face, status, body(20_000)) }
    }

    @Test("Of several lines about a payment, LND's last one counts")
    func lastLine() async throws {
        func line(_ status: String) -> String {
            let payment = #""payment_hash":"\#(Self.invoice.paymentHash)","payment_preimage":"00","value_msat":"21000""#
            return #"{"result":{\#(payment),"status":"\#(status)"}}"#
        }
        let body = line("IN_FLIGHT") + "\n" + line("SUCCEEDED")
        #expect(try await Self.record(.lnd, 200, body) == .paid(preimage: "00", fee: nil))
    }

    @Test(
        "A wallet's conduct is that of its node",
        arguments: [
            (.lnbits, false, true), (.lnd, true, false), (.coreLightning, true, false), (.phoenixd, false, false),
        ] as [(SimulatedNode.Face, Bool, Bool)])
    func conduct(face: SimulatedNode.Face, refusesExpired: Bool, takesTurns: Bool) throws {
        let conduct = try WalletBench.wallet(face, over: Fixed(answers: [:])).conduct
        #expect(conduct.refusesExpired == refusesExpired && conduct.takesTurns == takesTurns)
    }

    @Test("LND's record of another payment hash is another payment's, also without the text of its invoice")
    func otherHash() async throws {
        for (hash, isPaid) in [(Self.invoice.paymentHash, true), (String(repeating: "cd", count: 32), false)] {
            let payment = #""payment_hash":"\#(hash)","payment_preimage":"00","value_msat":"21000""#
            let record = try? await Self.record(.lnd, 200, #"{"result":{\#(payment),"status":"SUCCEEDED"}}"#)
            #expect(record == (isPaid ? .paid(preimage: "00", fee: nil) : nil))
        }
    }

    @Test("A failed payment of Core Lightning with a part in flight is in flight")
    func part() async throws {
        let hash = Self.invoice.paymentHash
        let wallet = try WalletBench.wallet(
            .coreLightning,
            over: Fixed(answers: [
                "/v1/listpays": Self.response(201, #"{"pays":[{"payment_hash":"\#(hash)","status":"failed"}]}"#),
                "/v1/listsendpays": Self.response(
                    201, #"{"payments":[{"partid":1,"status":"failed"},{"partid":2,"status":"pending"}]}"#),
            ]))
        #expect(try await wallet.record(of: Self.invoice, in: Self.account) == .inFlight)
    }

    @Test("Every status of a payment that LND and LNbits list is read, with every reason of a failure")
    func statuses() async throws {
        let lnd: [String: WalletRecord] = [
            "UNKNOWN": .inFlight, "INITIATED": .inFlight, "IN_FLIGHT": .inFlight,
            "SUCCEEDED": .paid(preimage: "00", fee: 7),
        ]
        let facts = try WalletFacts(.lnd)
        #expect(Set(facts.values(of: "PaymentStatus").compactMap(\.string)) == Set(lnd.keys).union(["FAILED"]))
        func payment(_ status: String, _ reason: String) -> String {
            let hash = #""payment_hash":"\#(Self.invoice.paymentHash)","payment_preimage":"00""#
            let amounts = #""value_msat":"21000","fee_msat":"7""#
            return #"{"result":{\#(hash),\#(amounts),"status":"\#(status)","failure_reason":"\#(reason)"}}"#
        }
        for (status, record) in lnd {
            let body = payment(status, "FAILURE_REASON_NONE")
            #expect(try await Self.record(.lnd, 200, body) == record, "\(status)")
            let proof: Proof = status == "SUCCEEDED" ? .dealtWith : .nothing
            #expect(Self.proof(LNDWallet.reading(Self.response(200, body))) == proof, "\(status)")
        }
        let reasons = facts.values(of: "PaymentFailureReason").compactMap(\.string)
        #expect(reasons.count == 7)
        for reason in reasons {
            let body = payment("FAILED", reason)
            #expect(try await Self.record(.lnd, 200, body) == .failed(reason: reason, isFinal: true))
            #expect(LNDWallet.reading(Self.response(200, body)) == .dealtWith)
        }
        let states = try WalletFacts(.lnbits).values(of: "State").compactMap(\.string)
        #expect(states == ["pending", "success", "failed"])
        for state in states {
            let details = #""wallet_id":"w","amount":-21000,"payment_hash":"\#(Self.invoice.paymentHash)","fee":-7"#
            let body = #"{"paid":\#(state == "success"),"preimage":"00","details":{"status":"\#(state)",\#(details)}}"#
            let record = try await Self.record(.lnbits, 200, body)
            switch record {
            case .inFlight: #expect(state == "pending")
            case .paid(let preimage, let fee): #expect(state == "success" && preimage == "00" && fee == 7)
            case .failed(_, let isFinal): #expect(state == "failed" && !isFinal)
            default: Issue.record("\(record)")
            }
        }
    }

    @Test("A phoenixd without the question for a hash is not one without a payment")
    func oldPhoenixd() async throws {
        #expect(try await Self.record(.phoenixd, 404, "Not found") == .none)
        await #expect(throws: PaymentError.self) {
            try await Self.record(.phoenixd, 404, "Unknown endpoint (see the docs)")
        }
    }

    @Test(
        "What phoenixd has sent is known in whole satoshi, and is the payment's up to a satoshi below its amount",
        arguments: [(21_000, true), (21_999, true), (22_000, false)] as [(UInt64, Bool)])
    func wholeSatoshi(amount: UInt64, isPaid: Bool) async throws {
        let hash = Self.invoice.paymentHash
        let invoice = WalletInvoice(
            text: "lnbcrt1", paymentHash: hash, amount: amount, isAmountless: false, feeLimit: 10_000)
        let body = #"{"isPaid":true,"paymentHash":"\#(hash)","preimage":"00","sent":21,"fees":0}"#
        let wallet = try WalletBench.wallet(.phoenixd, over: Fixed(answers: ["": Self.response(200, body)]))
        let record = try? await wallet.record(of: invoice, in: Self.account)
        #expect(record == (isPaid ? .paid(preimage: "00", fee: 0) : nil))
    }

    @Test("An invoice that LND could pay several times is not paid", arguments: ["30", "31"])
    func multiple(feature: String) async throws {
        let body = #"{"payment_hash":"\#(Self.invoice.paymentHash)","num_msat":"21000","features":{"\#(feature)":{}}}"#
        let wallet = try WalletBench.wallet(.lnd, over: Fixed(answers: ["": Self.response(200, body)]))
        #expect(try await wallet.objection(to: Self.invoice) != nil)
    }

    @Test(
        "Nodes of either chain of the test network pay its invoices",
        arguments: ["testnet", "testnet3", "testnet4"])
    func testNetworks(chain: String) async throws {
        let bodies: [SimulatedNode.Face: (Int, String)] = [
            .lnd: (200, #"{"identity_pubkey":"02","chains":[{"chain":"bitcoin","network":"\#(chain)"}]}"#),
            .coreLightning: (201, #"{"id":"02","network":"\#(chain)"}"#),
            .phoenixd: (200, #"{"nodeId":"02","chain":"\#(chain)","balanceSat":1}"#),
        ]
        for (face, (status, body)) in bodies {
            let wallet = try WalletBench.wallet(face, over: Fixed(answers: ["": Self.response(status, body)]))
            #expect(try await wallet.account().network == "testnet")
        }
    }

    @Test(
        "An answer with the status of an error states no account and no balance",
        arguments: [
            (.lnbits, 200, "/api/v1/wallet", #"{"id":"02","name":"B","balance":1}"#),
            (.lnd, 200, "/v1/getinfo", #"{"identity_pubkey":"02","chains":[]}"#),
            (.coreLightning, 201, "/v1/getinfo", #"{"id":"02","network":"regtest"}"#),
            (.phoenixd, 200, "/getinfo", #"{"nodeId":"02"}"#), (.phoenixd, 200, "/getbalance", #"{"balanceSat":1}"#),
        ] as [(SimulatedNode.Face, Int, String, String)])
    func failedAccount(face: SimulatedNode.Face, status: Int, path: String, body: String) async throws {
        // Whatever else is asked, it is answered.
        let rest = Self.response(200, #"{"nodeId":"02","balanceSat":1}"#)
        for (status, isStated) in [(status, true), (500, false), (203, false)] {
            let node = Fixed(answers: [path: Self.response(status, body), "": rest])
            let account = try? await WalletBench.wallet(face, over: node).account()
            #expect((account?.id == "02") == isStated, "\(status)")
        }
    }

    @Test("LNbits takes a key for wrong where it says so, and not where a proxy finds nothing")
    func unknownKey() async throws {
        for (detail, isKey) in [("Wallet not found.", true), ("Not Found", false)] {
            let node = Fixed(answers: ["": Self.response(404, #"{"detail":"\#(detail)"}"#)])
            let error = await #expect(throws: PaymentError.self) {
                try await WalletBench.wallet(.lnbits, over: node).account()
            }
            #expect((error?.code == .unauthorized) == isKey)
        }
    }

    @Test("The height of a node that is behind is not known")
    func behind() async throws {
        let lnd = #""identity_pubkey":"02","chains":[],"block_height":7"#
        let cln = #""id":"02","network":"regtest","blockheight":7"#
        for (face, status, body, height) in [
            (SimulatedNode.Face.lnd, 200, "{\(lnd),\"synced_to_chain\":true}", 7 as UInt64?),
            (.lnd, 200, "{\(lnd),\"synced_to_chain\":false}", nil), (.lnd, 200, "{\(lnd)}", nil),
            (.coreLightning, 201, "{\(cln)}", 7),
            (.coreLightning, 201, "{\(cln),\"warning_lightningd_sync\":\"Still loading\"}", nil),
            (.coreLightning, 201, "{\(cln),\"warning_bitcoind_sync\":\"Not up-to-date\"}", nil),
        ] {
            let wallet = try WalletBench.wallet(face, over: Fixed(answers: ["": Self.response(status, body)]))
            #expect(try await wallet.account().height == height, "\(body)")
        }
    }

    @Test("A transaction is discarded or unknown as Core Lightning says, and no other answer is taken for either")
    func discarding() async throws {
        let id = String(repeating: "ab", count: 32)
        for (status, body, isDiscarded) in [
            (201, #"{"txid":"\#(id)"}"#, true), (500, #"{"code":-32602}"#, false), (500, #"{"code":-1}"#, nil),
            (500, "{}", nil), (400, #"{"code":-32602}"#, nil), (201, #"{"txid":"cd"}"#, nil),
        ] as [(Int, String, Bool?)] {
            let node = Fixed(answers: ["": Self.response(status, body)])
            let wallet = try #require(try WalletBench.wallet(.coreLightning, over: node) as? CoreLightningWallet)
            let answer = try? await wallet.discard(ChainTransaction(id: id, address: "a", amount: 1, fee: 1))
            #expect(answer == isDiscarded, "\(status) \(body)")
        }
    }

    @Test("A request to pay or to publish waits a minute for its answer", arguments: SimulatedNode.Face.allCases)
    func patience(face: SimulatedNode.Face) async throws {
        let transport = RecordingTransport()
        let wallet = try WalletBench.wallet(face, over: transport)
        _ = await wallet.pay(Self.invoice)
        let transaction = ChainTransaction(id: "ab", address: "a", amount: 1, fee: 1)
        if let wallet = wallet as? any ChainWallet { _ = await wallet.publish(transaction) }
        #expect(
            transport.requests.map(\.timeout)
                == Array(repeating: .seconds(60), count: wallet is any ChainWallet ? 2 : 1))
    }

    @Test("LNbits is not asked to pay an invoice without an amount")
    func amountless() async throws {
        let wallet = try WalletBench.wallet(
            .lnbits, over: Fixed(answers: ["": Self.response(200, #"{"fee_reserve":2000}"#)]))
        let open = WalletInvoice(
            text: "lnbcrt1", paymentHash: Self.invoice.paymentHash, amount: 21_000, isAmountless: true, feeLimit: 10_000
        )
        #expect(try await wallet.objection(to: open) != nil)
        #expect(try await wallet.objection(to: Self.invoice) == nil)
    }

    @Test("The answer to a repeated request proves nothing", arguments: SimulatedNode.Face.allCases)
    func repeated(face: SimulatedNode.Face) async throws {
        let refusal =
            face == .phoenixd
            ? Self.response(401, "Invalid authentication")
            : Self.response(
                face == .coreLightning ? 403 : 401,
                #"{"detail":"No Api Key provided.","code":\#(face == .lnd ? 16 : 1501),"message":"no"}"#)
        let once = try WalletBench.wallet(face, over: Fixed(answers: ["": refusal]))
        #expect(Self.proof(await once.pay(Self.invoice)) == .nothingSent)
        let again = try WalletBench.wallet(face, over: Fixed(answers: ["": refusal], isRepeated: true))
        #expect(await again.pay(Self.invoice) == .nothing)
    }
}
