import PaymentCore
import PaymentTesting
import TestSupport
import Testing

/// Every operation of a merchant, at every vendor, under every fault: what is stated, and what has moved.
@Suite struct MerchantTableTests {
    struct Cell: Sendable, Hashable, CustomTestStringConvertible {
        let vendor: MerchantVendor
        let verb: MerchantVerb
        let fault: MerchantFault

        var testDescription: String { "\(vendor.rawValue) \(verb.rawValue), \(fault.rawValue)" }
    }

    private static let cells = MerchantVendor.allCases.flatMap { vendor in
        MerchantVerb.allCases.filter { vendor != .walletConnectPay || $0 != .capture }.flatMap { verb in
            MerchantFault.allCases.map { Cell(vendor: vendor, verb: verb, fault: $0) }
        }
    }

    @Test("Everything stated is what has happened", arguments: cells)
    func cell(_ cell: Cell) async throws {
        let bench = try await cell.vendor.bench(cell.verb)
        let seen = try await bench.run(cell.verb, cell.fault)
        #expect(seen == MerchantTable.cells[cell.testDescription])
    }

    @Test("The table has the cells that there are, and none moves money twice or states what has not moved")
    func table() throws {
        #expect(Set(MerchantTable.cells.keys) == Set(Self.cells.map(\.testDescription)))
        for (name, cell) in MerchantTable.cells {
            for column in cell.split(separator: "|").prefix(2) {
                let words = column.split(separator: " ")
                let amounts = try #require(words.last).split(separator: "+")
                #expect(words.first != "done" || amounts != ["0"], "\(name)")
                // Two servers that ask for two amounts under one id are two requests.
                #expect(Set(amounts).count == amounts.count, "\(name)")
                #expect(amounts.count == 1 || words.first == "open", "\(name)")
            }
        }
    }
}
