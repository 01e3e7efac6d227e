import PaymentCore

/// An Interledger payment pointer: `$host/path`. Source: paymentpointers.org (Interledger RFC 0026).
struct PaymentPointer: PaymentStandard {
    static let id = "payment-pointer"
    static let specification = "Interledger RFC 0026"
    static let patterns: [StandardPattern] = [.prefix("$")]

    /// The host in lower case.
    let host: String
    /// The path as written; empty if there is none.
    let path: String

    /// A name without a dot belongs to another system.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed.dropFirst(1)
        let slash = part.bytes.firstIndex(of: UInt8(ascii: "/")) ?? part.bytes.endIndex
        let name = part[part.bytes.startIndex..<slash]
        guard name.bytes.contains(UInt8(ascii: ".")) || name.isEmpty && part.count > 0 else {
            throw part.defect(.foreign, "host", "has no dot")
        }
        // An amount in dollars is not a pointer. No host's last label is a number.
        guard name.split(at: ".").last?.isDigits != true else { throw name.defect(.foreign, "host", "is a number") }
        let rest = part[slash..<part.bytes.endIndex]
        if let stray = part.bytes.firstIndex(where: Self.isStray) {
            throw StandardDefect(
                .malformed, "path", at: part.place(stray), "may not have a query, a fragment or white space")
        }
        _ = try rest.decoded("path")
        guard let address = try? PaymentLink("https://\(name.text)\(rest.text)"), address.port == nil,
            address.hostKind == .name || address.hostKind == .internationalName, let host = address.host
        else { throw name.defect(.malformed, "host", "must be a host's name: no user, port or other letters than a–z") }
        self.host = String(host)
        path = rest.text
    }

    /// True for white space, control characters and `?#@\`.
    private static func isStray(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x3F || byte == 0x23 || byte == 0x40 || byte == 0x5C
    }

    /// The address for arranging the payment.
    var url: String { "https://\(host)\(path.isEmpty || path == "/" ? "/.well-known/pay" : path)" }

    var fields: InstructionFields { ["host": .string(host), "path": .string(path), "url": .string(url)] }

    /// Pays the account that the host names.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: "$\(host)\(path)", check: .none)
            instruction.network = "interledger"
            instruction.warnings = [.followsURL, .missingChecksum]
        }
    }
}
