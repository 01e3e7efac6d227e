import PaymentCore
import PaymentReview
import Testing

/// Lists of calls, and the calls that an application may allow unreviewed.
struct ListTests {
    private func code(_ name: String, _ change: ([JSONValue]) -> [JSONValue]) throws -> String {
        var sample = try Sample(name)
        sample.json["calls"] = .array(change(sample.json["calls"]?.array ?? []))
        return try sample.code ?? "approved"
    }

    @Test("A list has one payment, and an approval at most, before it")
    func shapes() throws {
        let approval = try #require(Sample(Sample.approval).json["calls"]?[0])
        #expect(try code(Sample.approval) { $0 } == "approved")
        #expect(try code(Sample.approval) { $0.reversed() } == "list-order")
        #expect(try code(Sample.approval) { [$0[0], $0[0]] } == "list-two-payments")
        #expect(try code(Sample.approval) { [$0[1], $0[1]] } == "list-two-payments")
        #expect(try code(Sample.approval) { [$0[0]] } == "list-no-payment")
        #expect(try code(Sample.approval) { [$0[1]] } == "approved")
        #expect(try code(Sample.approval) { [$0[0], $0[0], $0[1]] } == "list-too-long")
        #expect(try code(Sample.approval) { $0 + $0 } == "list-too-long")
        #expect(try code(Sample.approval) { _ in [] } == "list-empty")
        #expect(try code(Sample.receive) { [approval] + $0 } != "approved")
        #expect(try code(Sample.sol) { $0 + $0 } == "list-two-payments")
        #expect(try code(Sample.native) { $0 + $0 } == "list-two-payments")
        #expect(try code(Sample.approval) { [JSONValue](repeating: $0[1], count: 5000) } == "list-too-long")
    }

    @Test("A call has three members, and its chain is the account's")
    func members() throws {
        func code(_ name: String = Sample.permit, _ change: (inout JSONValue) -> Void) throws -> String? {
            var sample = try Sample(name)
            sample.call { change(&$0) }
            return try sample.code
        }
        for member in ["chain_id", "method", "params"] {
            #expect(try code { $0[member] = nil } == "call-shape")
            if member != "params" { #expect(try code { $0[member] = .null } == "call-shape") }
        }
        #expect(try code { $0["id"] = 1 } == "call-shape")
        #expect(try code { $0["Params"] = 1 } == "call-shape")
        #expect(try code { $0 = "x" } == "call-shape")
        for chain in ["eip155:1", "eip155:8453 ", "EIP155:8453", "eip155:08453", "", "eip155:84530"] {
            #expect(try code { $0["chain_id"] = .string(chain) } == "call-chain", "\(chain)")
        }
        // Unicode treats the Kelvin sign as the letter K, of which Solana's id has two.
        let kelvin = "solana:5eykt4UsFv8P8NJdTREpY1vzq\u{212A}qZKvdp"
        #expect(try code(Sample.sol) { $0["chain_id"] = .string(kelvin) } == "call-chain")
        for method in [
            "eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4 ", "ETH_SIGNTYPEDDATA_V4", "eth_sign",
            "personal_sign", "wallet_sendCalls", "wallet_signAuthorization", "eth_signTransaction",
            "solana_signTransaction", "eth_sendRawTransaction", "",
        ] { #expect(try code { $0["method"] = .string(method) } == "method-not-allowed", "\(method)") }
        for method in ["eth_sendTransaction", "solana_signAndSendTransaction", "solana_signMessage"] {
            #expect(try code(Sample.sol) { $0["method"] = .string(method) } == "method-not-allowed", "\(method)")
        }
    }

    @Test("Parameters are exactly what a method takes")
    func parameters() throws {
        func code(_ name: String, _ change: ([JSONValue]) -> JSONValue) throws -> String? {
            var sample = try Sample(name)
            sample.call { $0["params"] = change($0["params"]?.array ?? [$0["params"] ?? .null]) }
            return try sample.code
        }
        for name in [Sample.permit, Sample.native, Sample.sponsored] {
            #expect(try code(name) { .array($0) } == nil)
            #expect(try code(name) { .array($0 + [.null]) } == "params-shape")
            #expect(try code(name) { .array($0.dropLast()) } == "params-shape")
            #expect(try code(name) { [.array($0)] } == "params-shape")
            #expect(try code(name) { _ in "x" } == "params-shape")
        }
        #expect(try code(Sample.permit) { .array($0.reversed()) } == "signer")
        #expect(try code(Sample.sponsored) { [$0[0], $0[0]] } == "params-shape")
        #expect(
            try code(Sample.sponsored) { list in
                var object = list[0]
                object["options"] = [:]
                return object
            } == "params-shape")
    }

    @Test("Typed data pays tokens, transactions pay coins")
    func kinds() throws {
        var sample = try Sample(Sample.permit)
        sample.json["option"]?["amount"]?["unit"] = "caip19/eip155:8453/slip44:60"
        sample.json["option"]?["amount"]?["display"] = ["assetSymbol": "ETH", "decimals": 18]
        #expect(try sample.code == "asset-kind")
        let token: JSONValue = [
            "unit": "caip19/eip155:137/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
            "value": "2500000000000000000",
            "display": ["assetSymbol": "USDC", "decimals": 6],
        ]
        sample = try Sample(Sample.native)
        sample.json["option"]?["amount"] = token
        #expect(try sample.code == "asset-kind")
        sample.parameter(0) { $0["data"] = "0xa9059cbb" }
        #expect(try sample.code == "calldata")
        sample = try Sample(Sample.approval)
        sample.json["option"]?["amount"] = [
            "unit": "caip19/eip155:1/slip44:60", "value": "640000",
            "display": ["assetSymbol": "ETH", "decimals": 18],
        ]
        #expect(try sample.code == "asset-kind")
    }

    // MARK: Allowed calls, and known payees

    private func review(_ sample: Sample, _ reviewer: SigningReviewer) throws -> ReviewVerdict {
        try ReviewCase(sample.json).verdict(of: reviewer)
    }

    @Test("Only named methods pass without a look, alone, and the text says so")
    func unreviewed() throws {
        var sample = try Sample(Sample.permit)
        sample.call {
            $0["method"] = "personal_sign"
            $0["params"] = ["0x00"]
        }
        let reviewer = SigningReviewer(unreviewedMethods: ["personal_sign", "eth_sendTransaction"])
        guard case .approved(let review) = try review(sample, reviewer) else {
            Issue.record("refused")
            return
        }
        #expect(review.warnings == [.unreviewed])
        #expect(review.effects.map(\.kind) == [.unreviewed] && review.effects[0].asset == nil)
        #expect(review.digest == nil)
        #expect(review.description.contains("Answers personal_sign, which was not reviewed"))
        #expect(try self.review(sample, SigningReviewer(unreviewedMethods: ["eth_sign"])).name == "refuse")
        sample.call { $0["method"] = "x_\u{212A}" }
        #expect(try self.review(sample, SigningReviewer(unreviewedMethods: ["x_K"])).name == "refuse")
        sample.call { $0["method"] = "personal_sign" }
        // Not beside others, not on another chain, and no method that can be reviewed.
        var twice = sample
        twice.json["calls"] = .array([sample.json["calls"]?[0] ?? .null, sample.json["calls"]?[0] ?? .null])
        #expect(try self.review(twice, reviewer).name == "refuse")
        var elsewhere = sample
        elsewhere.call { $0["chain_id"] = "eip155:1" }
        #expect(try self.review(elsewhere, reviewer).name == "refuse")
        var seen = try Sample(Sample.native)
        seen.parameter(0) { $0["value"] = "0x1" }
        #expect(try self.review(seen, reviewer).name == "refuse")
    }

    @Test("Recipients are known to the payer by chain and address")
    func known() throws {
        func warnings(_ name: String, _ known: [String]) throws -> [String] {
            let reviewer = SigningReviewer(knownRecipients: try known.map { try AccountID($0) })
            guard case .approved(let review) = try review(Sample(name), reviewer) else { return ["refused"] }
            let isNew = review.description.contains("(not seen before)")
            #expect(isNew == review.warnings.contains(.recipientUnknown))
            #expect(isNew != review.description.contains("(seen before)"))
            return review.warnings.map(\.rawValue)
        }
        let recipient = "0x1c6bbdcf304b1e15c1aa9de302141ba638477a74"
        #expect(try warnings(Sample.native, ["eip155:137:\(recipient)"]) == [])
        #expect(try warnings(Sample.native, ["eip155:137:0x\(recipient.dropFirst(2).uppercased())"]) == [])
        #expect(
            try warnings(Sample.native, ["eip155:1:\(recipient)", "eip155:137:\(recipient.dropLast())5"]) == [
                "recipient-unknown"
            ])
        let chain = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
        let owner = "Fdu2uGdvZ3Uy5NrRxqvRUbsTKJvLQXTaeMhhSNtqfJKa"
        #expect(try warnings(Sample.sponsored, ["\(chain):\(owner)"]) == [])
        #expect(try warnings(Sample.sponsored, ["\(chain):\(owner.lowercased())"]) == ["recipient-unknown"])
        // The account of the tokens is not the payee.
        #expect(
            try warnings(Sample.sponsored, ["\(chain):DZZuKkAVyU2FL7JVHXHWZoBxeMfQiXCeMymzRVRgntdh"]) == [
                "recipient-unknown"
            ])
    }

    /// Their digest may be the same, but wallets differ over what they take, and older ones over what they show.
    @Test(
        "Other names of the method that signs typed data are refused",
        arguments: ["eth_signTypedData", "eth_signTypedData_v1", "eth_signTypedData_v3", "eth_signTypedData_V4"])
    func aliases(_ method: String) throws {
        var sample = try Sample(Sample.permit)
        sample.call { $0["method"] = .string(method) }
        #expect(try sample.refusal == "method-not-allowed /calls/0/method")
    }
}
