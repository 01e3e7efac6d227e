/// One boundary that strangers' bytes cross, and what must hold there for every input.
package protocol FuzzTarget: Sendable {
    /// A few words for people.
    static var name: String { get }
    /// How many of the inputs it gets, beside the shares of the others.
    static var share: Int { get }
    /// What its inputs are made of.
    var corpus: Corpus { get }
    /// How often each kind of result was reached: a fuzzer that is always rejected finds nothing.
    var counts: [String: Int] { get }

    init() throws

    /// What is wrong about `input`, or nil.
    mutating func violation(_ input: [UInt8]) -> String?
}
