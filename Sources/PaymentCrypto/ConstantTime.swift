/// Comparisons that take the same time wherever the bytes differ.
public enum ConstantTime {
    /// Whether `left` and `right` are equal. The time depends on the lengths only, which are not secret.
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}
