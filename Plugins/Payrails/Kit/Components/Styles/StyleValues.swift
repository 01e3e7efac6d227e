public import Foundation

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

/// A font without a platform.
public struct StyleFont: Sendable, Hashable {
    /// The weight of the strokes. The raw value is the weight of CSS and OpenType.
    public enum Weight: Int, Sendable, Hashable, CaseIterable {
        /// 100.
        case ultraLight = 100
        /// 200.
        case thin = 200
        /// 300.
        case light = 300
        /// 400, that of running text.
        case regular = 400
        /// 500.
        case medium = 500
        /// 600.
        case semibold = 600
        /// 700.
        case bold = 700
        /// 800.
        case heavy = 800
        /// 900.
        case black = 900
    }

    /// The family's name; nil is the system's font.
    public let family: String?
    /// The size in points; in HTML, in pixels of CSS.
    public let size: Double
    /// The weight of the strokes.
    public let weight: Weight

    /// Creates a font.
    public init(family: String? = nil, size: Double, weight: Weight = .regular) {
        self.family = family
        self.size = size
        self.weight = weight
    }

    /// Returns the system's font, named as in UIKit.
    public static func systemFont(ofSize size: Double, weight: Weight = .regular) -> StyleFont {
        StyleFont(size: size, weight: weight)
    }
}

/// Distances from the four edges, in points, ordered as UIKit's.
public struct StyleInsets: Sendable, Hashable {
    /// The distance in points.
    public let top, left, bottom, right: Double

    /// Creates insets.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Creates insets of the same distance on all sides.
    public init(all distance: Double) {
        self.init(top: distance, left: distance, bottom: distance, right: distance)
    }

    /// No distance.
    public static let zero = StyleInsets(all: 0)

    /// Returns the space inside a card field, by default 6 points left and right.
    public static func fieldInsets(
        top: Double = 0, left: Double = 6, bottom: Double = 0, right: Double = 6
    ) -> StyleInsets {
        StyleInsets(top: top, left: left, bottom: bottom, right: right)
    }
}

/// A width and a height, in points.
public struct StyleSize: Sendable, Hashable {
    /// The extent in points.
    public let width, height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

extension StyleSize {
    /// Creates a size from the system's.
    public init(_ size: CGSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}

#if !canImport(UIKit)
    /// The name that the vendor's guide uses, on platforms without UIKit.
    public typealias UIEdgeInsets = StyleInsets
#endif
