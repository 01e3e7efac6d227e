import PaymentCore

/// The file of settings that `PAYROUTE_CONFIG` names: values of options that neither the line nor the environment has.
///
/// It is one JSON object. A member has the name of an option that has a variable, without its dashes, and its value as
/// on the line; a file's path begins at the folder of the file of settings unless it is absolute.
struct Settings {
    /// The environment's variable with the path of the file.
    static let variable = "PAYROUTE_CONFIG"
    private static let kind = "file of settings"
    /// Bytes.
    private static let limit = 65536

    /// The values by the variables that they stand for.
    let values: [String: String]
    /// The names of the options, in order.
    let names: [String]

    /// Reads the file at `path`.
    ///
    /// - Parameter known: The options of all commands.
    /// - Throws: ``CommandError`` with the member at fault, and no value.
    init(_ path: String, known: [CommandSyntax.Option]) throws(CommandError) {
        // A changed limit, wallet or account in it would move money.
        let bytes = try NamedFile.bytes(path, Self.kind, limit: Self.limit, keptFrom: .change)
        guard let members = (try? JSONValue(parsing: bytes))?.object else {
            throw NamedFile.unusable(path, Self.kind, "it is not a JSON object, or names a member twice")
        }
        let options = Dictionary(known.filter { $0.variable != nil }.map { ($0.name, $0) }) { first, _ in first }
        var values: [String: String] = [:]
        for (name, value) in members {
            guard let option = options[name], let variable = option.variable else {
                let all = options.keys.sorted().joined(separator: ", ")
                let shown = Printable.short(name, 40)
                throw NamedFile.unusable(path, Self.kind, "it has no member '\(shown)'; it may have: \(all)")
            }
            guard let text = value.string ?? value.uint64.map({ "\($0)" }), !text.isEmpty else {
                throw NamedFile.unusable(path, Self.kind, "\(name) is neither a text nor a number")
            }
            values[variable] = option.value == "file" ? NamedFile.path(text, beside: path) : text
        }
        self.values = values
        names = members.keys.sorted()
    }

    /// Returns the settings of the file that the environment names; nil where it names none.
    static func named(by console: Console) throws(CommandError) -> Settings? {
        guard let path = console.environment(variable), !path.isEmpty else { return nil }
        return try Settings(path, known: options(of: CommandLineTool.commands))
    }

    private static func options(of commands: [any Command.Type]) -> [CommandSyntax.Option] {
        commands.flatMap { $0.syntax.options + options(of: $0.subcommands) }
    }
}
