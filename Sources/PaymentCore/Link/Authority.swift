/// The authority of a web-style URI: host and port, read strictly.
struct Authority {
    private(set) var hostStart = 0
    private(set) var hostEnd = 0
    /// One past the last byte of the authority.
    private(set) var end = 0
    /// The port as written, 0 when there is none.
    private(set) var port: UInt16 = 0
    private(set) var kind: PaymentLink.HostKind = .none
    private(set) var isLowercase = true

    /// Reads from `start`, just behind the slashes. Only web schemes promise domain names; in the other schemes any
    /// word may stand in place of the host (`upi://pay`), of any length (`monero://4…`).
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isWeb: Bool) -> LinkDefect? {
        hostStart = start
        hostEnd = start
        end = start
        guard start < bytes.count else { return nil }
        let defect =
            bytes[start] == UInt8(ascii: "[") ? readAddressLiteral(bytes) : readName(bytes, isWeb: isWeb)
        if let defect { return defect }
        return readPort(bytes)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private mutating func readName(_ bytes: UnsafeBufferPointer<UInt8>, isWeb: Bool) -> LinkDefect? {
        var index = hostStart
        var labelStart = index
        var labels = 0
        var isInternational = false
        scan: while true {
            // Runs of plain letters and digits are most of a host.
            index = ByteSearch.first(in: bytes, from: index, ByteSearch.notLetterOrDigit)
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "/")
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                isLowercase = false
            case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":"):
                let length = index - labelStart
                if byte != UInt8(ascii: ".") && length == 0 && labels == 0 { break scan }
                guard length > 0, length <= 63 || !isWeb, bytes[labelStart] != UInt8(ascii: "-"),
                    bytes[index - 1] != UInt8(ascii: "-")
                else { return Self.hasUserInformation(bytes, from: index) ?? .invalidHost(offset: labelStart) }
                labels += 1
                isInternational = isInternational || Self.isInternational(bytes, labelStart, length)
                if byte != UInt8(ascii: ".") { break scan }
                labelStart = index + 1
            case UInt8(ascii: "@"):
                return .userInformation(offset: index)
            default:
                return Self.hasUserInformation(bytes, from: index) ?? .invalidHost(offset: index)
            }
            index += 1
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ":"),
            let defect = Self.hasUserInformation(bytes, from: index)
        {
            return defect
        }
        hostEnd = index
        end = index
        guard index > hostStart else { return nil }
        guard index - hostStart <= 253 || !isWeb else { return .invalidHost(offset: hostStart) }
        return classify(bytes, labels: labels, lastLabel: labelStart, isInternational: isInternational, isWeb: isWeb)
    }

    /// Determines the kind of the host. Browsers read a host whose last label is a number as an IPv4 address, in many
    /// spellings (`2130706433`, `0x7f.1`): only the plain dotted form is accepted.
    private mutating func classify(
        _ bytes: UnsafeBufferPointer<UInt8>, labels: Int, lastLabel: Int, isInternational: Bool, isWeb: Bool
    ) -> LinkDefect? {
        let last = bytes[lastLabel..<hostEnd]
        let isNumber =
            bytes[lastLabel].isASCIIDigit
            && (last.allSatisfy(\.isASCIIDigit)
                || (last.count >= 2 && last[lastLabel] == UInt8(ascii: "0")
                    && last[lastLabel + 1] | 0x20 == UInt8(ascii: "x")
                    && last.dropFirst(2).allSatisfy { Hex.value(of: $0) != nil }))
        if isNumber {
            guard AddressText.isDottedQuad(bytes[hostStart..<hostEnd]) else {
                if !isWeb {
                    kind = .singleLabel
                    return nil
                }
                return .invalidHost(offset: lastLabel)
            }
            kind = .address
        } else if isInternational {
            kind = .internationalName
        } else {
            kind = labels == 1 ? .singleLabel : .name
        }
        return nil
    }

    private static func isInternational(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ length: Int) -> Bool {
        length >= 4 && bytes[start] | 0x20 == UInt8(ascii: "x") && bytes[start + 1] | 0x20 == UInt8(ascii: "n")
            && bytes[start + 2] == UInt8(ascii: "-") && bytes[start + 3] == UInt8(ascii: "-")
    }

    /// The defect to report when an `@` follows within the authority.
    private static func hasUserInformation(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> LinkDefect? {
        var index = start
        while index < bytes.count, !endsAuthority(bytes[index]) {
            if bytes[index] == UInt8(ascii: "@") { return .userInformation(offset: index) }
            index += 1
        }
        return nil
    }

    private mutating func readAddressLiteral(_ bytes: UnsafeBufferPointer<UInt8>) -> LinkDefect? {
        var index = hostStart + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            guard
                Hex.value(of: bytes[index]) != nil || bytes[index] == UInt8(ascii: ":")
                    || bytes[index] == UInt8(ascii: ".")
            else { return .invalidHost(offset: index) }
            if bytes[index] &- 0x41 < 26 { isLowercase = false }
            index += 1
        }
        guard index < bytes.count, AddressText.isIPv6(bytes[hostStart + 1..<index]) else {
            return .invalidHost(offset: hostStart)
        }
        hostEnd = index + 1
        end = hostEnd
        kind = .address
        if end < bytes.count, bytes[end] != UInt8(ascii: ":"), !Self.endsAuthority(bytes[end]) {
            return .invalidHost(offset: end)
        }
        return nil
    }

    private mutating func readPort(_ bytes: UnsafeBufferPointer<UInt8>) -> LinkDefect? {
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
        var index = end + 1
        let start = index
        var value = 0
        while index < bytes.count, !Self.endsAuthority(bytes[index]) {
            guard bytes[index].isASCIIDigit, value <= 6553 else { return .invalidPort(offset: start) }
            value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start, value >= 1, value <= 65535, bytes[start] != UInt8(ascii: "0") else {
            return .invalidPort(offset: start)
        }
        port = UInt16(value)
        end = index
        return nil
    }
}
