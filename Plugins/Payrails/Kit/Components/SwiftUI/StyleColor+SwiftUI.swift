// Only conversions.

#if canImport(SwiftUI)
    public import SwiftUI

    extension StyleColor.Components {
        /// The colour for SwiftUI.
        public var color: Color {
            Color(
                .sRGB, red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255, opacity: alpha)
        }
    }

    extension StyleColor {
        /// Returns the colour for the appearance `scheme`.
        public func color(in scheme: ColorScheme) -> Color { scheme == .dark ? dark.color : light.color }
    }

    extension StyleFont {
        /// The font for SwiftUI.
        public var font: Font {
            if let family { return Font.custom(family, size: size).weight(weight.swiftUI) }
            return Font.system(size: size, weight: weight.swiftUI)
        }
    }

    extension StyleFont.Weight {
        fileprivate var swiftUI: Font.Weight {
            switch self {
            case .ultraLight: .ultraLight
            case .thin: .thin
            case .light: .light
            case .regular: .regular
            case .medium: .medium
            case .semibold: .semibold
            case .bold: .bold
            case .heavy: .heavy
            case .black: .black
            }
        }
    }

    extension StyleInsets {
        /// The insets for SwiftUI, for a layout from left to right.
        public var edgeInsets: EdgeInsets { EdgeInsets(top: top, leading: left, bottom: bottom, trailing: right) }
    }
#endif
