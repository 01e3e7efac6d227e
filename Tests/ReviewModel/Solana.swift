import Foundation
import PaymentCore
import PaymentCrypto

/// The effect of a signed transaction of Solana.
enum Solana {
    static func acts(_ params: JSONValue, chain: String, payer: String) -> [Act] {
        let object = params.array.map { $0.count == 1 ? $0[0] : .null } ?? params
        guard object.object?.count == 1, let text = object["transaction"]?.string, let bytes = base64(text),
            let message = Message(bytes)
        else { return [.ruin("a transaction that readers disagree about")] }
        guard message.signers.count <= 2, let last = message.signers.last, Base58.encode(last) == payer else {
            return [.ruin("a stranger signs, or the payer does not")]
        }
        var reader = Instructions(chain: chain, payer: payer, signers: message.signers.map { Base58.encode($0) })
        for instruction in message.instructions { reader.add(instruction) }
        return reader.acts + [reader.fee(signatures: message.signers.count)]
    }

    /// The one form of base64 that all readers read alike: full groups, and no stray bits.
    private static func base64(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return [UInt8](data)
    }

    struct Instruction {
        let program: String
        let accounts: [String]
        let data: [UInt8]
    }

    /// The layout of anza-xyz/solana-sdk, read with one cursor.
    struct Message {
        var signers: [[UInt8]] = []
        var instructions: [Instruction] = []

        init?(_ bytes: [UInt8]) {
            var rest = bytes[...]
            guard let signatures = Self.compact(&rest), let _ = Self.cut(&rest, signatures * 64) else { return nil }
            let isVersioned = rest.first == 0x80
            if isVersioned { rest.removeFirst() }
            guard let header = Self.cut(&rest, 3), header[0] < 0x80, Int(header[0]) == signatures,
                header[1] < header[0], let count = Self.compact(&rest), let flat = Self.cut(&rest, count * 32),
                Int(header[0]) + Int(header[2]) <= count, Self.cut(&rest, 32) != nil,
                let number = Self.compact(&rest)
            else { return nil }
            let keys = stride(from: 0, to: flat.count, by: 32).map { Array(flat[$0..<$0 + 32]) }
            guard Set(keys).count == keys.count else { return nil }
            signers = Array(keys.prefix(Int(header[0])))
            for _ in 0..<number {
                guard let program = Self.cut(&rest, 1), let places = Self.compact(&rest),
                    let accounts = Self.cut(&rest, places), let length = Self.compact(&rest),
                    let data = Self.cut(&rest, length),
                    (program + accounts).allSatisfy({ Int($0) < keys.count })
                else { return nil }
                instructions.append(
                    Instruction(
                        program: Base58.encode(keys[Int(program[0])]),
                        accounts: accounts.map { Base58.encode(keys[Int($0)]) }, data: data))
            }
            // Accounts that only the chain can name make every index above meaningless.
            if isVersioned, Self.compact(&rest) != 0 { return nil }
            guard rest.isEmpty else { return nil }
        }

        private static func cut(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> [UInt8]? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }

        private static func compact(_ rest: inout ArraySlice<UInt8>) -> Int? {
            var (value, shift) = (0, 0)
            while let byte = rest.popFirst() {
                value += Int(byte & 0x7F) << shift
                // Zeros at the end are a second spelling of the same number.
                if byte < 0x80 { return (byte == 0 && shift > 0) || value > 0xFFFF ? nil : value }
                shift += 7
                if shift > 14 { return nil }
            }
            return nil
        }
    }

    private struct Instructions {
        let chain: String
        let payer: String
        let signers: [String]
        var acts: [Act] = []
        var limit: UInt64?
        var price: UInt64 = 0
        var count = 0

        mutating func add(_ instruction: Instruction) {
            let (accounts, data) = (instruction.accounts, instruction.data)
            if instruction.program != "ComputeBudget111111111111111111111111111111" { count += 1 }
            switch (instruction.program, data.first ?? 0, data.count, accounts.count) {
            case ("ComputeBudget111111111111111111111111111111", 2, 5, _): limit = Self.number(data[1...])
            case ("ComputeBudget111111111111111111111111111111", 3, 9, _): price = Self.number(data[1...])
            case ("11111111111111111111111111111111", 2, 12, 2) where data[1..<4].allSatisfy { $0 == 0 }:
                if accounts[0] == payer {
                    acts.append(.transfer(.coin(chain), Amount(Self.number(data[4...])), to: accounts[1]))
                } else {
                    acts.append(.ruin("moves somebody else's coins"))
                }
            case ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", 12, 10, 4),
                ("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", 12, 10, 4):
                guard accounts[3] == payer else { return acts.append(.ruin("somebody else's tokens")) }
                let asset = Asset(chain: chain, name: "token:\(accounts[1])")
                acts.append(.transfer(asset, Amount(Self.number(data[1..<9])), to: accounts[2]))
            case ("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL", 0...1, 0...1, 6):
                acts.append(.opening(chain: chain, funder: accounts[0], owner: accounts[2]))
            case ("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", _, _, _),
                ("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo", _, _, _):
                break
            default: acts.append(.ruin("an instruction that can do anything"))
            }
        }

        /// The largest fee of the account that pays it.
        func fee(signatures: Int) -> Act {
            let units = limit ?? UInt64(min(200_000 * count, 1_400_000))
            let product = units.multipliedFullWidth(by: price)
            let priority = product.high > 0 ? UInt64.max : product.low / 1_000_000 + 1
            let most = UInt64(signatures * 5000).addingReportingOverflow(price == 0 ? 0 : priority)
            return .fee(chain: chain, payer: signers.first ?? "", most: most.overflow ? .max : most.partialValue)
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
