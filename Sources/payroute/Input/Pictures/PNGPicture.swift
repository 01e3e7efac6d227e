import CPNG

/// A picture from a PNG file (ISO/IEC 15948), read by libpng, as shades of grey, for finding codes in it.
struct PNGPicture {
    let width: Int
    let height: Int
    /// One byte a pixel, row by row; 0 is black.
    let grey: [UInt8]

    /// The reason why a file is not a readable picture.
    struct PNGDefect: Error, CustomStringConvertible {
        let description: String
    }

    /// The most pixels: a scanned page is a tenth of it. A small file may declare far more.
    static let maximumPixels = 100_000_000
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads a file. Transparent pixels are white, as on paper.
    init(_ file: [UInt8]) throws(PNGDefect) {
        guard file.starts(with: Self.signature) else { throw PNGDefect(description: "it is no PNG file") }
        self = try file.withUnsafeBytes { bytes in Result { () throws(PNGDefect) in try Self.read(bytes) } }.get()
    }

    private static func read(_ file: UnsafeRawBufferPointer) throws(PNGDefect) -> PNGPicture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else { throw damaged(image) }
        let (width, height) = (Int(image.width), Int(image.height))
        guard width > 0, height > 0, width <= maximumPixels, height <= maximumPixels / width else {
            throw PNGDefect(description: "it has no pixels, or more than \(maximumPixels / 1_000_000) million")
        }
        image.format = png_uint_32(PNG_FORMAT_GRAY)
        var white = png_color(red: 255, green: 255, blue: 255)
        var grey = [UInt8](repeating: 0, count: width * height)
        guard png_image_finish_read(&image, &white, &grey, 0, nil) != 0 else { throw damaged(image) }
        return PNGPicture(width: width, height: height, grey: grey)
    }

    private init(width: Int, height: Int, grey: [UInt8]) {
        self.width = width
        self.height = height
        self.grey = grey
    }

    /// Returns the message of libpng: a few words, without any content of the file.
    private static func damaged(_ image: png_image) -> PNGDefect {
        let words = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return PNGDefect(description: "the PNG file is damaged\(words.isEmpty ? "" : ": \(words)")")
    }
}
