/// The size of a target by itself, and of what depends on it. Every count of the package's size is made here.
struct TargetSize: Equatable, Sendable {
    /// The line ends in the target's Swift files.
    var lines = 0
    /// The public structures, enumerations, classes, actors and protocols, nested ones among them.
    var publicTypes = 0
    /// The number of targets that depend on it, directly or not.
    var dependents = 0
    /// The lines of those targets.
    var downstream = 0
    /// The lines of those of them that are outside its vendor's house; all of them where it is in none.
    var outside = 0

    /// True if `written` is near enough to be left as it is: the same dependents, and counts within 2 %, or within 20
    /// lines or 2 types.
    func isStated(by written: TargetSize) -> Bool {
        func isNear(_ count: Int, _ other: Int, _ least: Int) -> Bool { abs(count - other) <= max(least, count / 50) }
        return dependents == written.dependents && isNear(lines, written.lines, 20)
            && isNear(publicTypes, written.publicTypes, 2) && isNear(downstream, written.downstream, 20)
            && isNear(outside, written.outside, 20)
    }
}

extension Project {
    /// The libraries that programs outside are made of: those under `Sources`, and a house's without its tests.
    var libraries: [Manifest.Target] {
        manifest.targets.filter { $0.kind == "regular" && !$0.isTest && ["Sources", "Plugins"].contains($0.area) }
    }

    /// Returns the size of each of `targets`, in order.
    func sizes(of targets: [Manifest.Target]) -> [TargetSize] {
        var own: [String: TargetSize] = [:]
        for (file, text) in files {
            guard let target = manifest.target(of: file) else { continue }
            own[target.name, default: TargetSize()].lines += text.utf8.count { $0 == UInt8(ascii: "\n") }
            own[target.name, default: TargetSize()].publicTypes += Self.publicTypes(in: text)
        }
        return targets.map { target in
            var size = own[target.name] ?? TargetSize()
            for dependent in dependents(of: target.name) {
                let lines = own[dependent.name]?.lines ?? 0
                size.dependents += 1
                size.downstream += lines
                if target.vendor == nil || dependent.vendor != target.vendor { size.outside += lines }
            }
            return size
        }
    }

    /// The targets that have to be looked at again after a change of one: those that depend on it, directly or not.
    private func dependents(of name: String) -> [Manifest.Target] {
        var reached: Set = [name]
        var count = 0
        while reached.count > count {
            count = reached.count
            for target in manifest.targets where !reached.isDisjoint(with: target.dependencies) {
                reached.insert(target.name)
            }
        }
        return manifest.targets.filter { $0.name != name && reached.contains($0.name) }
    }

    private static func publicTypes(in text: String) -> Int {
        guard text.hasBytes(of: "public ") else { return 0 }
        let tokens = SwiftText.of(text).tokens
        return tokens.indices.count { index in
            guard tokens[index] == "public" else { return false }
            let kind = tokens[(index + 1)...].first { $0 != "final" && $0 != "indirect" }
            return kind.map { ["struct", "enum", "class", "actor", "protocol"].contains($0) } ?? false
        }
    }
}
