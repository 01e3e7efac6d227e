import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Names that callers choose, as a service can take them: it may allow only some characters and only some length.
package enum ServiceName {
    /// The first character of every name that is not the caller's text itself.
    private static let mark = "~"

    /// Returns the name at the service; the same one in every process, and another one for every other name.
    ///
    /// A name that the service takes stays as it is. Any other one is spelled in letters, digits, `-`, `_` and `~`, and
    /// one that is too long even so is replaced by its digest.
    ///
    /// - Parameters:
    ///   - name: the caller's name.
    ///   - turn: a number by which one name stands for several at the service; the first is 0.
    ///   - limit: the most bytes that the service takes, 80 at least.
    ///   - isSound: returns true if the service takes a name.
    package static func make(_ name: String, turn: Int = 0, limit: Int, isSound: (String) -> Bool) -> String {
        if turn == 0, !name.hasPrefix(mark), isSound(name) { return name }
        let beginning = mark + String(turn) + mark
        let spelled = beginning + Base64URL.encode(Array(name.utf8))
        guard spelled.utf8.count > limit else { return spelled }
        return beginning + mark + Hex.encode(Digest.sha256.hash(Array(name.utf8)))
    }

    /// Returns the caller's name that ``make(_:turn:limit:isSound:)`` made a name of; nil where that cannot be read: it
    /// is a digest, or was not made here.
    package static func read(_ text: String) -> String? {
        guard text.hasPrefix(mark) else { return text }
        let parts = text.dropFirst().split(separator: Character(mark), omittingEmptySubsequences: false)
        guard parts.count == 2, let turn = Int(parts[0]), let bytes = Base64URL.decode(String(parts[1])),
            let name = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return make(name, turn: turn, limit: .max, isSound: { _ in false }) == text ? name : nil
    }
}
