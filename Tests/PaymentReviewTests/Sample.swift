import Foundation
import PaymentCore
import PaymentReview
import TestSupport
import Testing

/// A published case, for tests that change one part of it.
struct Sample {
    var json: JSONValue

    static let permit = "permit2 usdc base, spender not seen before on this chain"
    static let approval = "exact approval of permit2 then permit, ethereum usdt, value 0x0"
    static let receive = "receive authorization usdc ethereum, recorded recipient"
    static let transfer = "transfer authorization usdc base, json numbers, no EIP712Domain"
    static let native = "plain native transfer polygon"
    static let settlement = "native settlement call ethereum"
    static let unlisted = "permit2 for a token no table knows, which the application allows by name"
    static let refusedToken = "permit2 for a token no table knows"
    static let sponsored = "solana usdc, sponsored fee, account made by sponsor, memo"
    static let legacy = "solana usdc, legacy message, payer pays the fee"
    static let sol = "solana sol transfer, bare object params"
    static let rent = "solana usdc, payer funds the merchant's token account"

    init(_ name: String) throws {
        json = try #require(VectorTests.Case.all.first { $0.testDescription == name }?.json)
    }

    /// The verdict of the review.
    var verdict: JSONValue {
        get throws { try ReviewCase(json).verdict().json }
    }

    /// The refusal's code; nil if the list is approved.
    var code: String? {
        get throws {
            let verdict = try verdict
            return verdict["verdict"] == "refuse" ? verdict["reason-code"]?.string : nil
        }
    }

    /// The code and the place of a refusal.
    var refusal: String {
        get throws { "\(try code ?? "approved") \(try verdict["member"]?.string ?? "")" }
    }

    /// The text for people.
    var text: String {
        get throws { try verdict["text"]?.string ?? "" }
    }

    // MARK: Changes

    /// Changes one of the calls.
    mutating func call(_ index: Int = 0, _ change: (inout JSONValue) throws -> Void) rethrows {
        var calls = json["calls"]?.array ?? []
        try change(&calls[index])
        json["calls"] = .array(calls)
    }

    /// Changes one parameter of a call.
    mutating func parameter(
        _ index: Int, ofCall call: Int = 0, _ change: (inout JSONValue) throws -> Void
    ) rethrows {
        try self.call(call) { json in
            var params = json["params"]?.array ?? []
            try change(&params[index])
            json["params"] = .array(params)
        }
    }

    /// Changes the typed data of the last call, which becomes an object.
    mutating func typedData(_ change: (inout JSONValue) throws -> Void) throws {
        try parameter(1, ofCall: (json["calls"]?.array?.count ?? 1) - 1) { data in
            if let text = data.string { data = try JSONValue(parsing: text) }
            try change(&data)
        }
    }

    /// Changes the calldata of a call.
    mutating func calldata(_ call: Int = 0, _ change: (inout [UInt8]) throws -> Void) throws {
        try parameter(0, ofCall: call) { transaction in
            var bytes = Hex.decode(transaction["data"]?.string ?? "") ?? []
            try change(&bytes)
            transaction["data"] = .string("0x" + Hex.encode(bytes))
        }
    }

    /// Sets the word of this number in a call's calldata.
    mutating func word(_ index: Int, ofCall call: Int = 0, _ word: [UInt8]) throws {
        try calldata(call) { bytes in
            let padded = [UInt8](repeating: 0, count: 32 - word.count) + word
            bytes.replaceSubrange(4 + 32 * index..<36 + 32 * index, with: padded)
        }
    }

    /// Changes the text of a Solana transaction.
    mutating func base64(_ change: (inout String) throws -> Void) rethrows {
        try call { json in
            let isBare = json["params"]?.array == nil
            var object = (isBare ? json["params"] : json["params"]?[0]) ?? .null
            var text = object["transaction"]?.string ?? ""
            try change(&text)
            object["transaction"] = .string(text)
            json["params"] = isBare ? object : [object]
        }
    }

    /// Changes the bytes of a Solana transaction.
    mutating func transaction(_ change: (inout [UInt8]) throws -> Void) throws {
        try base64 { text in
            var bytes = [UInt8](try #require(Data(base64Encoded: text)))
            try change(&bytes)
            text = Data(bytes).base64EncodedString()
        }
    }
}
