/// The tables of one part of this software in a deployment's schema. Each part has its own version, and makes its
/// tables where it is first used.
package struct PostgresTables: Sendable {
    /// The part's name in the table `deployment`.
    let part: String
    /// The statements of each version, from the schema's name: the first makes version 1, each later one makes the
    /// next. Released ones never change.
    let steps: [@Sendable (_ schema: String) -> [String]]

    package init(part: String, steps: [@Sendable (_ schema: String) -> [String]]) {
        self.part = part
        self.steps = steps
    }

    /// The version that the steps lead to.
    var version: Int { steps.count }
}
