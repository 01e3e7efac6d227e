import PaymentStandards

/// A picture from a PNG file (ISO/IEC 15948) as shades of grey, for finding codes in it.
struct PNGPicture {
    let width: Int
    let height: Int
    /// One byte a pixel, row by row; 0 is black.
    let grey: [UInt8]

    /// Why a file is no picture that can be read.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The most pixels: a scanned page is a tenth of it. A small file may say that it holds far more.
    static let maximumPixels = 100_000_000
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The kinds of pixel.
    private enum Kind: UInt8 {
        case grey = 0
        case color = 2
        case palette = 3
        case greyAlpha = 4
        case colorAlpha = 6

        var channels: Int {
            switch self {
            case .grey, .palette: 1
            case .greyAlpha: 2
            case .color: 3
            case .colorAlpha: 4
            }
        }

        var depths: Set<Int> {
            switch self {
            case .grey: [1, 2, 4, 8, 16]
            case .palette: [1, 2, 4, 8]
            case .color, .greyAlpha, .colorAlpha: [8, 16]
            }
        }
    }

    /// Reads a file.
    init(_ file: [UInt8]) throws(Failure) {
        guard file.starts(with: Self.signature) else { throw Failure(description: "it is no PNG file") }
        var (position, header, palette, transparency, data) = (8, [UInt8](), [UInt8](), [UInt8](), [UInt8]())
        var isEnded = false
        while !isEnded, position + 12 <= file.count {
            let length = Self.number(file[position..<position + 4])
            guard length <= file.count - position - 12 else { throw Self.damaged("it is cut off") }
            let body = file[position + 4..<position + 8 + length]
            let sum = Self.number(file[position + 8 + length..<position + 12 + length])
            guard UInt32(sum) == CyclicRedundancy.crc32(Array(body)) else { throw Self.damaged("a checksum is wrong") }
            switch String(decoding: body.prefix(4), as: UTF8.self) {
            case "IHDR": header = Array(body.dropFirst(4))
            case "PLTE": palette = Array(body.dropFirst(4))
            case "tRNS": transparency = Array(body.dropFirst(4))
            case "IDAT": data += body.dropFirst(4)
            case "IEND": isEnded = true
            // Chunks with a capital are needed to read the picture.
            case let name where name.utf8.first.map { $0 & 0x20 == 0 } ?? true:
                throw Self.damaged("it holds a part that is not known")
            default: break
            }
            position += 12 + length
        }
        guard isEnded, header.count == 13 else { throw Self.damaged("it is cut off") }
        width = Self.number(header[0..<4])
        height = Self.number(header[4..<8])
        let depth = Int(header[8])
        guard let kind = Kind(rawValue: header[9]), kind.depths.contains(depth), header[10] == 0, header[11] == 0 else {
            throw Self.damaged("its header makes no sense")
        }
        guard header[12] == 0 else {
            throw Failure(description: "it is interlaced; save it without interlacing")
        }
        guard width > 0, height > 0, width <= Self.maximumPixels, height <= Self.maximumPixels / width else {
            throw Failure(description: "it has no pixels, or more than \(Self.maximumPixels / 1_000_000) million")
        }
        let rowBytes = (width * kind.channels * depth + 7) / 8
        let raw: [UInt8]
        do { raw = try Inflate.unpack(data, limit: height * (rowBytes + 1)) } catch {
            throw Self.damaged("its pixels cannot be unpacked")
        }
        guard raw.count == height * (rowBytes + 1) else { throw Self.damaged("pixels are missing") }
        let bytes = try Self.unfiltered(raw, rowBytes, height, step: max(1, kind.channels * depth / 8))
        let shades = Self.shades(palette, transparency)
        var grey: [UInt8] = []
        grey.reserveCapacity(width * height)
        for row in 0..<height {
            let start = row * rowBytes
            for column in 0..<width {
                func sample(_ channel: Int) -> Int {
                    let bit = (column * kind.channels + channel) * depth
                    if depth >= 8 { return Int(bytes[start + bit / 8]) }
                    return Int(bytes[start + bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
                }
                switch kind {
                case .grey: grey.append(UInt8(depth >= 8 ? sample(0) : sample(0) * 255 / (1 << depth - 1)))
                case .palette:
                    guard sample(0) < shades.count else { throw Self.damaged("a colour is missing") }
                    grey.append(shades[sample(0)])
                case .greyAlpha: grey.append(Self.onWhite(sample(0), sample(1)))
                case .color: grey.append(Self.shade(sample(0), sample(1), sample(2)))
                case .colorAlpha:
                    grey.append(Self.onWhite(Int(Self.shade(sample(0), sample(1), sample(2))), sample(3)))
                }
            }
        }
        self.grey = grey
    }

    private static func damaged(_ what: String) -> Failure { Failure(description: "the PNG file is damaged: \(what)") }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// How bright a colour is (ITU-R BT.601).
    private static func shade(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        UInt8((299 * red + 587 * green + 114 * blue) / 1000)
    }

    /// A shade as it shows on paper: what is transparent is white.
    private static func onWhite(_ shade: Int, _ alpha: Int) -> UInt8 {
        UInt8((shade * alpha + 255 * (255 - alpha)) / 255)
    }

    private static func shades(_ palette: [UInt8], _ transparency: [UInt8]) -> [UInt8] {
        (0..<palette.count / 3).map { index in
            let shade = shade(Int(palette[3 * index]), Int(palette[3 * index + 1]), Int(palette[3 * index + 2]))
            return onWhite(Int(shade), transparency.indices.contains(index) ? Int(transparency[index]) : 255)
        }
    }

    /// Takes the filters back (ISO/IEC 15948, 9).
    private static func unfiltered(
        _ raw: [UInt8], _ rowBytes: Int, _ height: Int, step: Int
    ) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: rowBytes * height)
        for row in 0..<height {
            let (from, to) = (row * (rowBytes + 1), row * rowBytes)
            let filter = raw[from]
            guard filter <= 4 else { throw damaged("a filter is not known") }
            for column in 0..<rowBytes {
                let left = column >= step ? Int(bytes[to + column - step]) : 0
                let above = row > 0 ? Int(bytes[to + column - rowBytes]) : 0
                let corner = row > 0 && column >= step ? Int(bytes[to + column - rowBytes - step]) : 0
                let guess =
                    switch filter {
                    case 1: left
                    case 2: above
                    case 3: (left + above) / 2
                    case 4: paeth(left, above, corner)
                    default: 0
                    }
                bytes[to + column] = raw[from + 1 + column] &+ UInt8(guess)
            }
        }
        return bytes
    }

    private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let guess = left + above - corner
        let distances = (abs(guess - left), abs(guess - above), abs(guess - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }
}
