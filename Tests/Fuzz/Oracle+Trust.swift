import FuzzModel

extension Oracle {
    /// True if `input` can be a link to WalletConnect Pay itself. Errs on the side of true: a verified link must at
    /// least pass this.
    static func canLeadToWalletConnectPay(_ input: [UInt8]) -> Bool {
        var text = input
        let isEncoded = starts(text, "wc%3a") || starts(text, "https%3a")
        if isEncoded { text = decoded(text[...]) }
        if starts(text, "https://") { return isTrustedURL(text[...]) }
        guard starts(text, "wc:"), let question = text.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = text[(question + 1)...].prefix { $0 != UInt8(ascii: "#") }
        let payments = query.split(separator: UInt8(ascii: "&")).filter { starts(Array($0), "pay=") }
        return payments.count == 1 && payments.allSatisfy { isTrustedURL(decoded($0.dropFirst(4))[...]) }
    }

    private static func isTrustedURL(_ url: ArraySlice<UInt8>) -> Bool {
        guard starts(Array(url), "https://") else { return false }
        let authority = url.dropFirst(8).prefix { !"/?#".utf8.contains($0) }
        var host = String(decoding: authority, as: UTF8.self).lowercased()
        if host.hasSuffix(":443") { host.removeLast(4) }
        guard host.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains($0) }) else {
            return false
        }
        return host == "pay.walletconnect.com" || host == "pay.wct.me" || host.hasSuffix(".pay.walletconnect.com")
    }
}
