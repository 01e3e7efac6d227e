/// The system's cryptographically secure generator.
public enum SecureRandom {
    /// Returns `count` unpredictable bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
