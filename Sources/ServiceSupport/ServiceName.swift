import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Names that callers choose, in a form that a service accepts. The service may limit the characters and the length.
package enum ServiceName {
    /// The first character of every name that is not the caller's text itself.
    private static let mark = "~"

    /// Returns the name at the service. It is the same in every process, and different for every other name.
    ///
    /// A name that the service takes stays as it is. Any other name is spelled in letters, digits, `-`, `_` and `~`. If
    /// that is too long, the name is replaced by its digest.
    ///
    /// - Parameters:
    ///   - name: the caller's name.
    ///   - turn: a number that lets one name stand for several at the service; the first is 0.
    ///   - limit: the maximum number of bytes that the service takes, at least 80.
    ///   - isSound: returns true if the service takes a name.
    package static func make(_ name: String, turn: Int = 0, limit: Int, isSound: (String) -> Bool) -> String {
        if turn == 0, !name.hasPrefix(mark), isSound(name) { return name }
        let beginning = mark + String(turn) + mark
        let spelled = beginning + Base64URL.encode(Array(name.utf8))
        guard spelled.utf8.count > limit else { return spelled }
        return beginning + mark + Hex.encode(Digest.sha256.hash(Array(name.utf8)))
    }

    /// Returns the caller's name from the name that ``make(_:turn:limit:isSound:)`` made. Nil if that cannot be read:
    /// it is a digest, or was not made here.
    package static func read(_ text: String) -> String? {
        guard text.hasPrefix(mark) else { return text }
        let parts = text.dropFirst().split(separator: Character(mark), omittingEmptySubsequences: false)
        guard parts.count == 2, let turn = Int(parts[0]), let bytes = Base64URL.decode(String(parts[1])),
            let name = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return make(name, turn: turn, limit: .max, isSound: { _ in false }) == text ? name : nil
    }
}
