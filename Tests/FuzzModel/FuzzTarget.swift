/// One boundary that untrusted bytes cross, and its invariants for every input.
package protocol FuzzTarget: Sendable {
    /// A short name for people.
    static var name: String { get }
    /// The target's share of the inputs, relative to the others.
    static var share: Int { get }
    /// The source of its inputs.
    var corpus: Corpus { get }
    /// The number of results of each kind: a fuzzer that is always rejected finds nothing.
    var counts: [String: Int] { get }

    init() throws

    /// The violation of `input`, or nil.
    mutating func violation(_ input: [UInt8]) -> String?
}
