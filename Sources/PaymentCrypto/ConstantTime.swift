/// Comparisons that take the same time wherever the bytes differ.
public enum ConstantTime {
    /// Returns true if `left` and `right` are equal. The time depends on the lengths only, which are not secret.
    public static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        // Arrays: through generic iterators this takes twenty times as long.
        let (left, right) = (Array(left), Array(right))
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
