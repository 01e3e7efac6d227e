/// A colour without a platform, with a value for light and one for dark ground.
///
/// The named colours have the values that Apple publishes for its system colours.
public struct StyleColor: Sendable, Hashable {
    /// One colour in sRGB.
    public struct Components: Sendable, Hashable {
        /// Red, green and blue, 0 to 255.
        public let red, green, blue: UInt8
        /// The opacity, from 0 to 1.
        public let alpha: Double

        /// Creates a colour. An `alpha` outside 0…1 is clamped; one that is not a number is opaque.
        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: Double = 1) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha.isNaN ? 1 : min(max(alpha, 0), 1)
        }

        /// Creates a colour from its six hexadecimal digits, `0xRRGGBB`; higher bits are ignored.
        public init(hex: UInt32, alpha: Double = 1) {
            self.init(
                red: UInt8(hex >> 16 & 0xFF), green: UInt8(hex >> 8 & 0xFF), blue: UInt8(hex & 0xFF), alpha: alpha)
        }

        fileprivate func withAlpha(_ alpha: Double) -> Components {
            Components(red: red, green: green, blue: blue, alpha: alpha)
        }
    }

    /// The colour on light ground.
    public let light: Components
    /// The colour on dark ground.
    public let dark: Components

    /// Creates a colour with two appearances.
    public init(light: Components, dark: Components) {
        self.light = light
        self.dark = dark
    }

    /// Creates a colour that is the same on light and on dark ground.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: Double = 1) {
        let same = Components(red: red, green: green, blue: blue, alpha: alpha)
        self.init(light: same, dark: same)
    }

    /// Returns the same colour with the opacity `alpha`, from 0 to 1.
    public func withAlphaComponent(_ alpha: Double) -> StyleColor {
        StyleColor(light: light.withAlpha(alpha), dark: dark.withAlpha(alpha))
    }
}

extension StyleColor {
    private init(_ light: UInt32, _ dark: UInt32) {
        self.init(light: Components(hex: light), dark: Components(hex: dark))
    }

    /// Fully transparent.
    public static let clear = StyleColor(red: 0, green: 0, blue: 0, alpha: 0)
    /// White on light and on dark ground.
    public static let white = StyleColor(red: 255, green: 255, blue: 255)
    /// Black on light and on dark ground.
    public static let black = StyleColor(red: 0, green: 0, blue: 0)
    /// The system's blue.
    public static let systemBlue = StyleColor(0x007AFF, 0x0A84FF)
    /// The system's red, for errors and destructive actions.
    public static let systemRed = StyleColor(0xFF3B30, 0xFF453A)
    /// The system's green.
    public static let systemGreen = StyleColor(0x34C759, 0x30D158)
    /// The system's orange.
    public static let systemOrange = StyleColor(0xFF9500, 0xFF9F0A)
    /// The system's middle grey.
    public static let systemGray = StyleColor(red: 0x8E, green: 0x8E, blue: 0x93)
    /// The system's palest grey, close to the background.
    public static let systemGray6 = StyleColor(0xF2F2F7, 0x1C1C1E)
    /// The background.
    public static let systemBackground = StyleColor(0xFFFFFF, 0x000000)
    /// Text.
    public static let label = StyleColor(0x000000, 0xFFFFFF)
    /// Secondary text.
    public static let secondaryLabel = StyleColor(
        light: Components(hex: 0x3C3C43, alpha: 0.6), dark: Components(hex: 0xEBEBF5, alpha: 0.6))
    /// Thin lines.
    public static let separator = StyleColor(
        light: Components(hex: 0x3C3C43, alpha: 0.29), dark: Components(hex: 0x545458, alpha: 0.6))
}
