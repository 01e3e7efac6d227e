import CLzma
import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A payment order of the Slovak PAY by square: a table packed with LZMA and written in base32hex.
///
/// Source: Slovak Banking Association, PAY by square 1.0 to 1.2, as its public implementations read it. The text has no
/// mark. Its header and its unpacking identify it.
struct PayBySquare: PaymentStandard {
    static let id = "paybysquare"
    static let specification = "SBA PAY by square 1.2"
    /// The first digits hold the type, 0 for an order and 1 for an invoice.
    static let patterns: [StandardPattern] = ["0", "1", "2", "3"].map {
        .bare(BareShape($0, lengths: 40...PaymentLink.maximumLength, .base32hex))
    }

    /// 0 for 1.0, 1 for 1.1, 2 for 1.2.
    let version: Int
    /// The unpacked table: fields between tabs.
    let unpacked: String
    let invoiceID: String?
    /// The orders, usually one.
    let payments: [Order]

    /// One order in the table.
    struct Order: Sendable, Hashable {
        /// The kind, as bits: 1 an order, 2 a standing order, 4 a direct debit.
        fileprivate(set) var type = 1
        /// The texts by the names that the vectors use; empty ones are left out.
        fileprivate var texts: [String: String] = [:]
        /// The accounts, each with its bank's code or an empty text.
        fileprivate var accounts: [[String]] = []
        /// Day, months as bits, periodicity and last date.
        fileprivate var standingOrder: [String] = []
        /// Ten fields.
        fileprivate var directDebit: [String] = []
        /// Name, street and city.
        fileprivate var beneficiary: [String] = []

        /// The rhythm of a standing order; nil for a single payment. Unknown letters mean on demand.
        fileprivate var repetition: PaymentInstruction.Repetition? {
            guard type & 2 != 0 || standingOrder.contains(where: { !$0.isEmpty }) else { return nil }
            let rhythms: [String: (Int, PaymentInstruction.Repetition.Unit)] = [
                "d": (1, .day), "w": (1, .week), "b": (2, .week), "m": (1, .month), "B": (2, .month),
                "q": (3, .month), "s": (6, .month), "a": (1, .year),
            ]
            func date(_ text: String?) -> Date? {
                text.flatMap { try? CalendarDay(TextPart(decoded: $0, at: 0), "date", .yyyyMMdd).date() }
            }
            let rhythm = standingOrder.count > 2 ? rhythms[standingOrder[2]] : nil
            return PaymentInstruction.Repetition(
                every: rhythm?.0, rhythm?.1 ?? .month, first: date(texts["dueDate"]),
                last: standingOrder.count > 3 ? date(standingOrder[3]) : nil)
        }

        fileprivate var json: JSONValue {
            var object = texts.mapValues(JSONValue.string)
            object["type"] = .string(String(type))
            object["accounts"] = .array(accounts.map { .array($0.map(JSONValue.string)) })
            for (name, list) in [
                ("standingOrder", standingOrder), ("directDebit", directDebit), ("beneficiary", beneficiary),
            ] where !list.allSatisfy(\.isEmpty) {
                object[name] = .array(list.map(JSONValue.string))
            }
            return .object(object)
        }
    }

    /// The most bytes that are unpacked; codes that fit a printed square hold far fewer.
    private static let maximumSize = 8192
    /// Header, length, the first byte of LZMA and its code.
    private static let smallest = 9

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        let packed = Self.bytes(of: part.bytes)
        // LZMA begins with a zero byte. With the header, that is as strong as a mark of two letters.
        guard packed.count > Self.smallest, packed[4] == 0, packed[0] >> 4 <= 1, packed[1] == 0 else {
            throw part.defect(.foreign, "header", "is not one of PAY by square")
        }
        let size = Int(packed[2]) | Int(packed[3]) << 8
        guard size > 4, size <= Self.maximumSize, size < packed.count * 64 else {
            throw part.defect(.foreign, "length", "is not the length of a code")
        }
        guard packed[0] >> 4 == 0 else {
            throw part.defect(.unsupported, "type", "is that of an invoice; it is no payment order")
        }
        version = Int(packed[0] & 15)
        guard version <= 2 else { throw part.defect(.unsupported, "version", "is newer than 1.2") }
        guard let content = LZMAStream.unpack(packed[4...], size: size, dictionary: 131_072) else {
            throw part.defect(.malformed, "packed text", "is cut off or damaged; scan the code again")
        }
        let sum = CyclicRedundancy.crc32(content[4...])
        guard (0..<4).allSatisfy({ content[$0] == UInt8(truncatingIfNeeded: sum >> (8 * UInt32($0))) }) else {
            throw part.defect(.checksum, "checksum", "is wrong: the code was misread or changed; scan it again")
        }
        guard let text = String(validating: content[4...], as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) || $0 == "\t" })
        else { throw part.defect(.encoding, "packed text", "is not plain UTF-8 text between tabs") }
        unpacked = text
        var table = Table(TextPart(decoded: text, at: part.offset))
        let invoice = try table.next("invoice id")
        invoiceID = invoice.isEmpty ? nil : invoice.text
        payments = try table.orders()
    }

    /// Returns the bytes of base32hex digits; bits left over at the end are dropped.
    private static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 5 / 8)
        var word: UInt16 = 0
        var bits: UInt16 = 0
        for digit in digits {
            word = word << 5 | UInt16(digit.isASCIIDigit ? digit - 0x30 : digit &- 0x41 &+ 10)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
                word &= (1 << bits) - 1
            }
        }
        return bytes
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["bySquareType": 0]
        fields.set("version", version)
        fields.set("documentType", 0)
        fields.set("text", unpacked)
        fields.setOrNull("invoiceId", invoiceID)
        fields["payments"] = .array(payments.map(\.json))
        return fields
    }

    /// Pays the first account of each order.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            guard let order = payments.first else { return }
            if payments.contains(where: { $0.type & 4 != 0 }) { instruction.purpose = .pull }
            instruction.payee = .init(
                account: order.accounts.first?.first, name: order.beneficiary.first.flatMap { $0.isEmpty ? nil : $0 },
                check: .checksum)
            instruction.network = "sepa"
            instruction.amount = .init(order.texts["amount"], iso: order.texts["currency"])
            instruction.memo = order.texts["note"]
            instruction.reference = order.texts["variableSymbol"] ?? order.texts["originatorReference"]
            if order.accounts.count > 1 { instruction.warnings.append(.severalPayees) }
            instruction.repeats = order.repetition
            guard payments.count > 1 else { return }
            instruction.setPayments(
                payments.map { order in
                    .init(
                        payee: .init(
                            account: order.accounts.first?.first,
                            name: order.beneficiary.first.flatMap { $0.isEmpty ? nil : $0 }, check: .checksum),
                        amount: .init(order.texts["amount"], iso: order.texts["currency"]), memo: order.texts["note"])
                })
            instruction.repeats = payments.lazy.compactMap(\.repetition).first
        }
    }
}

/// Takes the fields of the unpacked table one after the other.
private struct Table {
    private var fields: ArraySlice<TextPart>
    private let end: TextPart

    init(_ text: TextPart) {
        fields = text.split(at: "\t")[...]
        end = text.suffix(0)
    }

    mutating func next(_ name: String) throws(StandardDefect) -> TextPart {
        guard let field = fields.popFirst() else { throw end.defect(.missing, name, "is missing in the packed text") }
        return field
    }

    /// A count from `range`.
    private mutating func count(_ range: ClosedRange<Int>, _ name: String) throws(StandardDefect) -> Int {
        let field = try next(name)
        guard field.isDigits, field.count <= 3, let count = Int(field.text), range.contains(count) else {
            throw field.defect(.range, name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    private mutating func list(_ count: Int, _ name: String) throws(StandardDefect) -> [String] {
        var list: [String] = []
        for _ in 0..<count { list.append(try next(name).text) }
        return list
    }

    mutating func orders() throws(StandardDefect) -> [PayBySquare.Order] {
        var orders: [PayBySquare.Order] = []
        for _ in 0..<(try count(1...100, "number of payments")) { orders.append(try order()) }
        // Version 1.0 ends here, but its texts often name the beneficiaries anyway.
        for index in orders.indices where !fields.isEmpty {
            orders[index].beneficiary = try list(3, "beneficiary")
        }
        return orders
    }

    private mutating func order() throws(StandardDefect) -> PayBySquare.Order {
        var order = PayBySquare.Order()
        order.type = try count(1...7, "type of payment")
        let amount = try next("amount")
        if !amount.isEmpty {
            order.texts["amount"] = try DecimalText(amount, "amount", DecimalRules(fractionDigits: 2)).text
        }
        let currency = try next("currency")
        guard ISO4217.exponent(of: currency.text) != nil else {
            throw currency.defect(.malformed, "currency", "must be three capital letters of ISO 4217")
        }
        order.texts["currency"] = currency.text
        let due = try next("due date")
        if !due.isEmpty {
            _ = try CalendarDay(due, "due date", .yyyyMMdd)
            order.texts["dueDate"] = due.text
        }
        for name in ["variableSymbol", "constantSymbol", "specificSymbol", "originatorReference", "note"] {
            let field = try next(name)
            if !field.isEmpty { order.texts[name] = field.text }
        }
        for _ in 0..<(try count(1...100, "number of accounts")) {
            let iban = try IBAN(try next("IBAN"), "IBAN")
            let bank = try next("BIC")
            order.accounts.append([iban.text, bank.isEmpty ? "" : try BankCode(bank, "BIC").text])
        }
        if try count(0...1, "mark of a standing order") == 1 { order.standingOrder = try list(4, "standing order") }
        if try count(0...1, "mark of a direct debit") == 1 { order.directDebit = try list(10, "direct debit") }
        return order
    }
}

/// Raw LZMA, the packing of PAY by square. Source: the LZMA SDK's `lzma1` filter, through liblzma.
enum LZMAStream {
    /// Returns the unpacked bytes of `packed`.
    ///
    /// - Parameters:
    ///   - size: The required number of bytes. Unpacking never writes more, so a decompression bomb stops there.
    ///   - dictionary: The size of the dictionary in bytes.
    /// - Returns: The bytes; nil if the stream is damaged or ends before `size` bytes.
    static func unpack(_ packed: some Collection<UInt8>, size: Int, dictionary: UInt32) -> [UInt8]? {
        var options = lzma_options_lzma()
        options.dict_size = dictionary
        options.lc = 3
        options.lp = 0
        options.pb = 2
        let bytes = Array(packed)
        return withUnsafeMutablePointer(to: &options) { options in
            // LZMA_FILTER_LZMA1 and LZMA_VLI_UNKNOWN are macros that Swift does not see.
            let filters = [
                lzma_filter(id: 0x4000_0000_0000_0001, options: UnsafeMutableRawPointer(options)),
                lzma_filter(id: .max, options: nil),
            ]
            var stream = lzma_stream()
            guard lzma_raw_decoder(&stream, filters) == LZMA_OK else { return nil }
            defer { lzma_end(&stream) }
            let unpacked = bytes.withUnsafeBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: size) { output, count in
                    stream.next_in = input.baseAddress
                    stream.avail_in = input.count
                    stream.next_out = output.baseAddress
                    stream.avail_out = size
                    while stream.avail_out > 0, lzma_code(&stream, LZMA_RUN) == LZMA_OK, stream.avail_in > 0 {}
                    count = size - stream.avail_out
                }
            }
            return unpacked.count == size ? unpacked : nil
        }
    }
}
